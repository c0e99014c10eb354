// Sends files in chunks through the API, and resumes after a broken connection or a reload. Without this script
// the form sends them whole. Several files, or a folder, become a tar that refers to the files: its content is
// not held in memory, and the same files make the same bytes.
const CHUNK = 4 * 1024 * 1024;
/** Milliseconds to wait after each failure in a row. */
const PAUSES = [500, 1000, 2000, 4000, 8000, 15000];

const form = document.querySelector("[data-upload]");
const picker = form.querySelector("#upload-files");
const folder = form.querySelector("#upload-folder");
const drop = form.querySelector("[data-drop]");
const sending = form.querySelector("[data-sending]");
const status = form.querySelector("[data-status]");
const bar = form.querySelector("progress");
let dropped = [];

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const encoder = new TextEncoder();

/** Write text into a field of a tar header, cut to the field's width. */
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

/** A record of an extended header. Its length includes the digits of the length itself. */
const record = (key, value) => {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
};

const tar = (files) => {
  const parts = [];
  for (const [name, file] of files) {
    // Always with an extended header, since names can be long and in any script.
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
  const dates = files.map(([name, file]) => `${name}:${file.size}:${file.lastModified}`).join("|");
  if (files.length === 1) return { name: files[0][1].name, content: files[0][1], dates };
  const [top] = files[0][0].split("/");
  return { name: `${files[0][0].includes("/") ? top : "files"}.tar`, content: tar(files), dates };
};

/** What the fields say about the entry, as the API takes it; empty fields are left out. */
const description = (data) => {
  const [benchmark, set] = data.get("task_set").split("/");
  const lines = data.get("links").split("\n").map((line) => line.trim()).filter(Boolean);
  const links = lines.map((line) => {
    const [, url, label] = line.match(/^(\S+)\s*(.*)$/);
    return label ? { url, label } : { url };
  });
  const filled = { benchmark, set, ...(links.length && { links }), email: data.has("email") };
  for (const name of ["agent", "model", "notes", "webhook"]) filled[name] = data.get(name).trim();
  const cost = data.get("cost") === "" ? {} : { cost: Number(data.get("cost")) };
  return { ...Object.fromEntries(Object.entries(filled).filter(([, value]) => value)), ...cost };
};

/** The API refused a request; the message is for the submitter. */
class RefusedError extends Error {
  constructor(message, code, problems) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

/** The same request may succeed after some seconds: a broken connection, a rate limit, a busy upload. */
class TemporaryError extends Error {
  constructor(message, seconds = 0) {
    super(message);
    this.seconds = seconds;
  }
}

const problemText = ({ file, place, reason, remedy }) =>
  `${place ? `${file}, ${place}` : file}: ${reason}${remedy ? ` (${remedy})` : ""}`;

/** One request to the API. A chunk at the wrong offset is no error: the answer has the right one. */
const ask = async (address, { method = "GET", headers = {}, body } = {}) => {
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
  let answer;
  try {
    answer = await fetch(address, { method, body, cache: "no-store", headers: { "X-CSRFToken": token, ...headers } });
  } catch {
    throw new TemporaryError(form.dataset.textBroken);
  }
  if (answer.ok || answer.headers.has("Upload-Offset")) return answer;
  const { problems = [], detail } = await answer.json().catch(() => ({}));
  const message = problems.map(problemText).join("\n") || detail || `${answer.status} ${answer.statusText}`;
  const seconds = Number(answer.headers.get("Retry-After"));
  if (seconds || answer.status >= 500) throw new TemporaryError(message, seconds);
  throw new RefusedError(message, answer.status, problems);
};

const read = async (address) => (await ask(address)).json();

const post = async (address, content) => {
  const headers = { "Content-Type": "application/json" };
  return (await ask(address, { method: "POST", headers, body: JSON.stringify(content) })).json();
};

/** Try until it works or fails for good. `attempt` is called with whether it is a retry. */
const retry = async (attempt) => {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(failures > 0);
    } catch (error) {
      if (!(error instanceof TemporaryError)) throw error;
      if (failures >= PAUSES.length) throw new Error(`${error.message} ${form.dataset.textResume}`);
      status.textContent = `${error.message} ${form.dataset.textAgain}`;
      await wait(Math.max(PAUSES[failures], error.seconds * 1000));
    }
  }
};

/** Where the address of an upload is stored, so that the same files resume it after a reload. */
const storageKey = async (...parts) => {
  const text = JSON.stringify(parts);
  // Only https and localhost have crypto.subtle.
  if (!crypto.subtle) return `upload ${text.slice(0, 500)}`;
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return `upload ${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
};

/** The interrupted upload of the same files that this browser began, with what the form says now. */
const findInterrupted = async (address, about) => {
  try {
    const upload = await retry(() => read(address));
    if (upload.state !== "receiving") return null;
    return Object.keys(about).length ? await retry(() => post(`${address}/describe`, { form: about })) : upload;
  } catch (error) {
    if (error.code === 404 || error.code === 410) return null;
    throw error;
  }
};

/** Send the next chunk; returns the upload with what has been received of it. */
const sendChunk = async (upload, content) => {
  if (upload.state !== "receiving") return upload;
  const { received, url } = upload;
  const answer = await ask(url, {
    method: "PATCH",
    body: content.slice(received, received + CHUNK),
    headers: { "Upload-Offset": String(received), "Content-Type": "application/offset+octet-stream" },
  });
  // Location is the address of an earlier upload of the same bytes.
  return { ...upload, url: answer.headers.get("Location") ?? url, received: Number(answer.headers.get("Upload-Offset")) };
};

/** Send all that is missing; returns the upload, which is an earlier one where the team has sent these bytes before. */
const send = async (begun, content) => {
  let upload = begun;
  while (upload.state === "receiving") {
    bar.value = Math.floor((upload.received * 100) / content.size);
    status.textContent = form.dataset.textSending.replace("{percent}", bar.value);
    upload = await retry(async (again) => sendChunk(again ? await read(upload.url) : upload, content));
    if (upload.received >= content.size) upload = await retry(() => read(upload.url));
  }
  return upload;
};

/** Begin or resume an upload, send it, and return the address of its page. */
const uploadFiles = async ({ name, content, dates }) => {
  const data = new FormData(form);
  const { entry, previous, api } = form.dataset;
  const about = description(data);
  // Files for an entry are its team's: there is no team to choose.
  const team = data.get("team") ?? "";
  const key = await storageKey(name, content.size, team, entry, previous, dates);
  const stored = localStorage.getItem(key);
  let begun = stored && (await findInterrupted(stored, about));
  if (!begun) {
    begun = await retry(() => post(api, { name, size: content.size, form: about, team, entry, previous }));
    localStorage.setItem(key, begun.url);
  }
  const sent = await send(begun, content);
  localStorage.removeItem(key);
  return sent.id === begun.id ? sent.page : `${sent.page}?sent-before=1`;
};

/** Fields by the places that problems name, where these differ: as in uploads/forms.py. */
const FIELD_OF_PLACE = { benchmark: "task_set", set: "task_set", name: "files", size: "files" };

const fieldOf = ({ place }) => {
  const [, name] = place.match(/^(?:\$\.)?(?:form\.)?(\w+)/) ?? [];
  return form.elements.namedItem(FIELD_OF_PLACE[name] ?? name ?? "");
};

const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const clearErrors = () => {
  for (const old of form.querySelectorAll(".errorlist, [data-field-errors]")) old.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    const others = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => !id.endsWith("_error"));
    field.setAttribute("aria-describedby", others.join(" ").trim());
  }
};

/** Show problems at their fields, and a list of them on top, as the server does; return those without a field. */
const showAtFields = (problems) => {
  const items = [];
  for (const problem of problems.filter(fieldOf)) {
    const field = fieldOf(problem);
    const text = problem.reason + (problem.remedy ? ` (${problem.remedy})` : "");
    const id = `${field.id}_error`;
    if (!document.getElementById(id)) field.closest(".field").append(element("ul", { id, className: "errorlist" }));
    document.getElementById(id).append(element("li", { textContent: text }));
    field.setAttribute("aria-invalid", "true");
    const described = new Set((field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)).add(id);
    field.setAttribute("aria-describedby", [...described].join(" "));
    const label = form.querySelector(`label[for="${field.id}"]`).firstChild.textContent.trim();
    items.push(element("li", {}, element("a", { href: `#${field.id}`, textContent: label }), `: ${text}`));
  }
  if (items.length) {
    const list = element("div", { className: "notice", tabIndex: -1 });
    list.dataset.fieldErrors = "";
    list.append(element("p", { textContent: form.dataset.textLook }), element("ul", {}, ...items));
    form.prepend(list);
    list.focus();
  }
  return problems.filter((problem) => !fieldOf(problem));
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const files = picked();
  sending.hidden = false;
  const button = form.querySelector("#do-send");
  clearErrors();
  try {
    if (!files.length) throw new Error(form.dataset.textNone);
    const whole = bundle(files);
    if (whole.content.size > form.dataset.max * 1024 * 1024) throw new Error(form.dataset.textLarge);
    button.disabled = true;
    location.assign(await uploadFiles(whole));
  } catch (error) {
    const atFields = error.problems?.length;
    status.textContent = atFields ? showAtFields(error.problems).map(problemText).join("\n") : error.message;
    button.disabled = false;
  }
});

// A folder can be picked or files dropped instead, so the file picker is not required.
picker.required = false;
form.querySelector("[data-folder-part]").hidden = false;
for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", over);
    if (name === "drop") {
      dropped = [...event.dataTransfer.files];
      sending.hidden = false;
      status.textContent = dropped.map((file) => file.name).join(", ");
    }
  });
}
