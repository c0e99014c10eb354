// Sends files piece by piece, and goes on after a broken connection or a reload where it stopped. Without this
// script the form sends them whole. Several files and folders become a tar, made of the files themselves:
// nothing is held in memory, and the same files make the same bytes.
const PIECE = 4 * 1024 * 1024;
const PAUSES = [500, 1000, 2000, 4000, 8000, 15000];

const form = document.querySelector("[data-upload]");
const picker = form.querySelector("#upload-files");
const folder = form.querySelector("#upload-folder");
const drop = form.querySelector("[data-drop]");
const sending = form.querySelector("[data-sending]");
const said = form.querySelector("[data-said]");
const bar = form.querySelector("progress");
let dropped = [];

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const encoder = new TextEncoder();

/** A field of a tar header: text, cut to its width. */
const put = (header, text, at, width) => header.set(encoder.encode(text).subarray(0, width), at);

const octal = (number, width) => number.toString(8).padStart(width - 1, "0") + "\0";

const header = (name, size, type) => {
  const block = new Uint8Array(512);
  put(block, name, 0, 100);
  put(block, octal(0o644, 8), 100, 8);
  put(block, octal(0, 8), 108, 8);
  put(block, octal(0, 8), 116, 8);
  put(block, octal(size, 12), 124, 12);
  put(block, octal(0, 12), 136, 12);
  put(block, "        ", 148, 8);
  put(block, type, 156, 1);
  put(block, "ustar\u000000", 257, 8);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(block, sum.toString(8).padStart(6, "0") + "\0 ", 148, 8);
  return block;
};

const padding = (size) => new Uint8Array((512 - (size % 512)) % 512);

/** A record of an extended header; its length counts itself. */
const record = (key, value) => {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
};

const tar = (files) => {
  const parts = [];
  for (const [name, file] of files) {
    // Always with an extended header: names can be long, and in any script; sizes beyond 8 GB can't be.
    const extended = encoder.encode(record("path", name));
    parts.push(header("extended", extended.length, "x"), extended, padding(extended.length));
    parts.push(header("file", file.size, "0"), file, padding(file.size));
  }
  parts.push(new Uint8Array(1024));
  return new Blob(parts);
};

const picked = () => {
  const files = [...picker.files, ...dropped].map((file) => [file.name, file]);
  const inFolder = [...(folder?.files ?? [])].map((file) => [file.webkitRelativePath || file.name, file]);
  return [...files, ...inFolder].sort(([one], [other]) => (one < other ? -1 : 1));
};

const bundle = (files) => {
  const mark = files.map(([name, file]) => `${name}:${file.size}:${file.lastModified}`).join("|");
  if (files.length === 1) return { name: files[0][1].name, content: files[0][1], mark };
  const [top] = files[0][0].split("/");
  return { name: `${files[0][0].includes("/") ? top : "files"}.tar`, content: tar(files), mark };
};

const shortened = async (mark) => {
  // Known on https and on this machine; elsewhere the mark is cut, and finds the file as well.
  if (!crypto.subtle) return mark.slice(0, 200);
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(mark));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};

const token = () => form.querySelector("[name=csrfmiddlewaretoken]").value;

const refuse = async (answer) => {
  const { problems = [] } = await answer.json().catch(() => ({}));
  throw new Error(problems.join("\n") || `${answer.status} ${answer.statusText}`);
};

const begin = async ({ name, content, mark }) => {
  const data = new FormData(form);
  data.delete("files");
  for (const [key, value] of Object.entries({ name, size: content.size, mark: await shortened(mark) })) data.set(key, value);
  const answer = await fetch(location.href, { method: "POST", body: data, headers: { Accept: "application/json" } });
  return answer.ok ? answer.json() : refuse(answer);
};

const show = (sent, size) => {
  bar.value = Math.floor((sent * 100) / size);
  said.textContent = form.dataset.saidSending.replace("{percent}", bar.value);
};

/** One piece; returns where to go on, and the page once that is known. */
const piece = async (where, content, offset) => {
  const answer = await fetch(where, {
    method: "PATCH",
    body: content.slice(offset, offset + PIECE),
    headers: { "Upload-Offset": String(offset), "X-CSRFToken": token(), "Content-Type": "application/offset+octet-stream" },
  });
  if (answer.status === 400 || answer.status === 403 || answer.status === 404) return refuse(answer);
  const next = answer.headers.get("Upload-Offset");
  if (next === null) throw new TypeError(String(answer.status));
  return { offset: Number(next), page: answer.headers.get("Location") };
};

const send = async (begun, content) => {
  let offset = begun.received;
  let page = begun.page;
  for (let failures = 0; ; ) {
    show(offset, content.size);
    try {
      ({ offset, page = begun.page } = await piece(begun.bytes, content, offset));
      failures = 0;
      if (offset >= content.size) return page || begun.page;
    } catch (error) {
      // What the network does to us is a TypeError; anything else is an answer that would come again.
      if (!(error instanceof TypeError)) throw error;
      if (failures >= PAUSES.length) throw new Error(form.dataset.saidLost);
      said.textContent = form.dataset.saidAgain;
      await wait(PAUSES[failures]);
      failures += 1;
      const here = await fetch(begun.bytes, { cache: "no-store" }).catch(() => null);
      if (here?.ok) offset = Number(here.headers.get("Upload-Offset"));
    }
  }
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const files = picked();
  sending.hidden = false;
  const button = form.querySelector("#do-send");
  try {
    if (!files.length) throw new Error(form.dataset.saidNone);
    const whole = bundle(files);
    if (whole.content.size > form.dataset.max * 1024 * 1024) throw new Error(form.dataset.saidLarge);
    button.disabled = true;
    location.assign(await send(await begin(whole), whole.content));
  } catch (error) {
    said.textContent = error.message;
    button.disabled = false;
  }
});

// A folder can be picked, or files dropped, instead: no file picker is required any more.
picker.required = false;
form.querySelector("[data-folder-part]").hidden = false;
for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", over);
    if (name === "drop") {
      dropped = [...event.dataTransfer.files];
      sending.hidden = false;
      said.textContent = dropped.map((file) => file.name).join(", ");
    }
  });
}
