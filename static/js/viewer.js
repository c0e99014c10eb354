// Moving in a trajectory: n/p from hit to hit, j/k from step to step, addresses of steps, hits and lines, the keys.
(() => {
  "use strict";
  const viewer = window.viewer;
  const toolbar = document.querySelector("[data-toolbar]");
  if (!toolbar) return;
  const announce = toolbar.querySelector("[data-announce]");
  const isShown = (element) => !element.closest("details:not([open])");
  const lists = {
    step: () => [...document.querySelectorAll(".step")].filter(isShown),
    hit: () => [...document.querySelectorAll("[id^='hit-']")],
  };
  // The last one of each list that was gone to.
  const at = { step: null, hit: null };

  const say = (kind, values) => {
    announce.value = announce.dataset[kind].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };

  const outline = (step) => {
    document.querySelector(".outline [aria-current]")?.removeAttribute("aria-current");
    const line = document.querySelector(`.outline a[href="#${step.id}"]`);
    if (!line) return;
    line.setAttribute("aria-current", "true");
    const run = line.closest(".repeats > details");
    if (run) run.open = true;
    const rail = line.closest(".rail");
    if (rail.scrollHeight > rail.clientHeight) {
      const offset = line.getBoundingClientRect().top - rail.getBoundingClientRect().top;
      if (offset < 0 || offset > rail.clientHeight - 40) rail.scrollTop += offset - rail.clientHeight / 2;
    }
  };

  // Show an element, in the middle of the window but for a step, and give it the focus; `id` is its address.
  const land = (element, { id = element.id, block = "center" } = {}) => {
    viewer.openAround(element);
    document.querySelectorAll(".current").forEach((each) => each.classList.remove("current"));
    const step = element.closest(".step");
    if (element !== step) element.classList.add("current");
    element.setAttribute("tabindex", "-1");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block });
    history.replaceState(history.state, "", `#${id}`);
    if (step) outline(step);
    at.step = step;
    at.hit = null;
  };

  const goTo = (kind, element, list) => {
    // Where two hits begin at the same place, the second one's address is on an empty element in the mark.
    land(element.closest("mark") ?? element, { id: element.id, block: kind === "hit" ? "center" : "start" });
    if (kind === "hit") at.hit = element;
    const landmark = element.id.split("-")[1]; // hit-<landmark>-<which>
    const all = kind === "step" ? document.querySelectorAll(".step").length : list.length;
    say(kind, { landmark, all, n: kind === "step" ? element.id.slice(5) : list.indexOf(element) + 1 });
  };

  // The element gone to last, while some of it is in the window: whoever scrolls away goes on from there.
  const top = () => parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  const isInWindow = (element) => {
    if (!element?.isConnected || !isShown(element)) return false;
    const box = element.getBoundingClientRect();
    return box.bottom > top() && box.top < innerHeight;
  };
  const indexIn = (list, kind, by) => {
    if (isInWindow(at[kind])) return list.indexOf(at[kind]);
    if (kind === "hit" && isInWindow(at.step)) {
      const below = list.findIndex((hit) => at.step.compareDocumentPosition(hit) & Node.DOCUMENT_POSITION_FOLLOWING);
      return (below < 0 ? list.length : below) - (by > 0 ? 1 : 0);
    }
    const below = list.findIndex((element) => element.getBoundingClientRect().top > top() + 1);
    return (below < 0 ? list.length : below) - (by > 0 ? 1 : 0);
  };

  const move = (kind, by) => {
    if (kind === "match") {
      viewer.moveMatch?.(by);
      return;
    }
    const list = lists[kind]();
    if (!list.length) {
      announce.value = announce.dataset.none;
      return;
    }
    goTo(kind, list[Math.min(Math.max(indexIn(list, kind, by) + by, 0), list.length - 1)], list);
  };

  // The place of a line in the page, once whatever hides it is open; null if there is no such line.
  const lineAnchor = async ({ step, part, line }) => {
    const place = viewer.partOf(step, part);
    if (!place || !(await viewer.reveal(place, line))) return null;
    const id = viewer.lineId(step, part, line);
    const known = document.getElementById(id);
    if (known) return known;
    const found = viewer.findLine(place, line);
    if (!found) return null;
    const anchor = document.createElement("span");
    anchor.className = "ln";
    anchor.id = id;
    anchor.dataset.n = line;
    const range = document.createRange();
    range.setStart(...viewer.pointAt(found.text, found.offset));
    range.insertNode(anchor);
    return anchor;
  };
  const goToLine = async (address) => {
    const anchor = await lineAnchor(address);
    const step = document.getElementById(`step-${address.step}`);
    const place = viewer.partOf(address.step, address.part);
    if (anchor) land(anchor);
    else if (step) land(step, { block: "start" });
    const part = { action: "code, ", thought: "thought, ", output: "" }[address.part];
    const linked = place?.querySelector("a.fold:not([data-hides])");
    const missing = linked ? "That line is on the page that a link here leads to" : "There is no such line in this step";
    announce.value = anchor ? `Step ${address.step}, ${part}line ${address.line}` : missing;
  };

  const openAddress = () => {
    const id = location.hash.slice(1);
    const line = viewer.parseLineId(id);
    if (line) {
      goToLine(line);
      return;
    }
    const element = document.getElementById(id);
    const kind = id.startsWith("hit-") ? "hit" : "step";
    if (!element?.closest(".step")) return;
    viewer.openAround(element);
    goTo(kind, element, lists[kind]());
  };

  // Keys. Who speaks to the computer, or hits keys by accident, can turn single keys off; it is remembered.
  const dialog = document.getElementById("keys");
  const keys = {
    n: () => move("hit", 1),
    p: () => move("hit", -1),
    j: () => move("step", 1),
    k: () => move("step", -1),
    ".": () => move("match", 1),
    ",": () => move("match", -1),
    "/": () => viewer.startFinding?.(),
    e: viewer.expandAll,
    c: viewer.collapseAll,
    "?": () => dialog.showModal(),
  };
  const keysSwitch = dialog.querySelector("[data-keys-switch]");
  const keyed = [...document.querySelectorAll("[aria-keyshortcuts]")].map((button) => [
    button,
    button.getAttribute("aria-keyshortcuts"),
  ]);
  const keysAreOn = () => keysSwitch.getAttribute("aria-checked") === "true";
  const turnKeys = (on) => {
    keysSwitch.setAttribute("aria-checked", String(on));
    toolbar.classList.toggle("without-keys", !on);
    for (const [button, key] of keyed) {
      if (on) button.setAttribute("aria-keyshortcuts", key);
      else button.removeAttribute("aria-keyshortcuts");
    }
  };
  try {
    turnKeys(localStorage.getItem("keys") !== "off");
  } catch {
    // Storage can be forbidden; the switch then holds for this page.
  }
  keysSwitch.addEventListener("click", () => {
    const on = !keysAreOn();
    turnKeys(on);
    announce.value = on ? keysSwitch.dataset.saidOn : keysSwitch.dataset.saidOff;
    try {
      localStorage.setItem("keys", on ? "on" : "off");
    } catch {
      // As above.
    }
  });
  toolbar.querySelector("[data-open-keys]").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (!keysAreOn() || dialog.open || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  toolbar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (button) move(button.dataset.move, Number(button.dataset.by));
  });

  Object.assign(viewer, { announce, land, say, top });
  toolbar.hidden = false;
  // Outlines are long on a phone: there it opens when it is wanted.
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".outline").open = false;
  // In a frame of its own: what is in a live region when it appears is not announced.
  requestAnimationFrame(openAddress);
  addEventListener("hashchange", openAddress);
})();
