// Moving in a trajectory: n/p from hit to hit, j/k from step to step, / to find; folds opened in place.
(() => {
  "use strict";
  const toolbar = document.querySelector("[data-toolbar]");
  if (!toolbar) return;
  const announce = toolbar.querySelector("[data-announce]");
  const lists = {
    step: () => [...document.querySelectorAll(".step")],
    hit: () => [...document.querySelectorAll("[id^='hit-']")],
  };
  // Where the reader is in each list: the last one gone to, or what is at the top of the window.
  const at = { step: null, hit: null };

  const say = (kind, element, n, all) => {
    const landmark = element.id.split("-")[1]; // hit-<landmark>-<which>
    announce.value = announce.dataset[kind].replace("{landmark}", landmark).replace("{n}", n).replace("{all}", all);
  };

  const outline = (step) => {
    document.querySelector(".outline [aria-current]")?.removeAttribute("aria-current");
    const line = document.querySelector(`.outline a[href="#${step.id}"]`);
    if (!line) return;
    line.setAttribute("aria-current", "true");
    const rail = line.closest(".rail");
    if (rail.scrollHeight > rail.clientHeight) {
      const offset = line.getBoundingClientRect().top - rail.getBoundingClientRect().top;
      if (offset < 0 || offset > rail.clientHeight - 40) rail.scrollTop += offset - rail.clientHeight / 2;
    }
  };

  const goTo = (kind, element, list) => {
    const step = element.closest(".step");
    at.step = step;
    at.hit = kind === "hit" ? element : null;
    document.querySelector("mark.current")?.classList.remove("current");
    // Where two hits begin at the same place, the second one's address is on an empty element in the mark.
    const shown = element.closest("mark") ?? element;
    if (kind === "hit") shown.classList.add("current");
    shown.setAttribute("tabindex", "-1");
    shown.focus({ preventScroll: true });
    shown.scrollIntoView({ block: kind === "hit" ? "center" : "start" });
    history.replaceState(history.state, "", `#${element.id}`);
    outline(step);
    say(kind, element, list.indexOf(element) + 1, list.length);
  };

  const move = (kind, by) => {
    const list = lists[kind]();
    if (!list.length) {
      announce.value = announce.dataset.none;
      return;
    }
    let index = list.indexOf(at[kind]);
    if (index < 0) {
      const below = list.findIndex((element) => element.getBoundingClientRect().top > 1);
      index = below < 0 ? list.length : below;
      index = by > 0 ? index - 1 : index;
    }
    goTo(kind, list[Math.min(Math.max(index + by, 0), list.length - 1)], list);
  };

  const openAddress = () => {
    const id = location.hash.slice(1);
    const kind = id.startsWith("hit-") ? "hit" : "step";
    const list = lists[kind]();
    const element = list.find((each) => each.id === id);
    if (element) goTo(kind, element, list);
  };

  const keys = { n: ["hit", 1], p: ["hit", -1], j: ["step", 1], k: ["step", -1] };
  // Who speaks to the computer, or hits keys by accident, can turn single keys off; it is remembered.
  const keysSwitch = toolbar.querySelector("[data-keys-switch]");
  const keyed = [...toolbar.querySelectorAll("[aria-keyshortcuts]")];
  const keysAreOn = () => keysSwitch.getAttribute("aria-checked") === "true";
  const turnKeys = (on) => {
    keysSwitch.setAttribute("aria-checked", String(on));
    for (const button of keyed) {
      if (on) button.setAttribute("aria-keyshortcuts", button.querySelector("kbd").textContent);
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
  document.addEventListener("keydown", (event) => {
    if (!keysAreOn() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find-text").focus();
    } else if (keys[event.key]) {
      event.preventDefault();
      move(...keys[event.key]);
    }
  });
  toolbar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (button) move(button.dataset.move, Number(button.dataset.by));
  });

  const show = async (address, place) => {
    await htmx.ajax("GET", address, { source: place, target: place, swap: "innerHTML" });
    announce.value = place.querySelector(".range")?.textContent ?? "";
  };

  // A fold's link leads to a page of its own; here the page of text opens below it, and closes again.
  const toggle = (fold) => {
    const isOpen = fold.getAttribute("aria-expanded") === "true";
    fold.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) {
      fold.nextElementSibling.remove();
      return;
    }
    const place = document.createElement("div");
    place.className = "opened";
    place.tabIndex = -1;
    fold.after(place);
    show(fold.getAttribute("href"), place);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.fold, .opened .pager a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.matches(".fold")) {
      toggle(link);
      return;
    }
    const place = link.closest(".opened");
    place.focus(); // The link goes with the page it is on.
    show(link.getAttribute("href"), place);
  });

  document.querySelectorAll("a.fold").forEach((fold) => fold.setAttribute("aria-expanded", "false"));
  toolbar.hidden = false;
  // Outlines are long on a phone: there it opens when it is wanted.
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".outline").open = false;
  // In a frame of its own: what is in a live region when it appears is not announced.
  requestAnimationFrame(openAddress);
  addEventListener("hashchange", openAddress);
})();
