// Moving in a trajectory: n/p from hit to hit, j/k from step to step, / to find; folds opened in place.
(() => {
  "use strict";
  const toolbar = document.querySelector("[data-toolbar]");
  if (!toolbar) return;
  const announce = toolbar.querySelector("[data-announce]");
  const steps = () => [...document.querySelectorAll(".step")];
  const hits = () => [...document.querySelectorAll("[id^='hit-']")];
  const lists = { step: steps, hit: hits };
  // Where the reader is in each list: the last one gone to, or what is at the top of the window.
  const at = { step: null, hit: null };

  const say = (kind, element, n, all) => {
    const text = announce.dataset[kind].replace("{n}", n).replace("{all}", all);
    announce.value = text.replace("{landmark}", (element.dataset.landmark || "").split(" ").join(", "));
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
    at[kind] = element;
    const step = element.closest(".step");
    if (kind === "hit" && step) at.step = step;
    document.querySelector(".current-hit")?.classList.remove("current-hit");
    if (kind === "hit") element.classList.add("current-hit");
    element.setAttribute("tabindex", "-1");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: kind === "hit" ? "center" : "start" });
    history.replaceState(history.state, "", `#${element.id}`);
    if (step) outline(step);
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
    const target = list[Math.min(Math.max(index + by, 0), list.length - 1)];
    goTo(kind, target, list);
  };

  const openAddress = () => {
    const element = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!element) return;
    const kind = element.id.startsWith("hit-") ? "hit" : "step";
    const list = lists[kind]();
    if (list.includes(element)) goTo(kind, element, list);
  };

  const keys = { n: ["hit", 1], p: ["hit", -1], j: ["step", 1], k: ["step", -1] };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
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

  // A fold's link leads to a page of its own; here the page of text comes in place of the fold's label.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.fold, .output-page .pager a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const target = link.closest(".output-page") || link.closest(".whole") || document.createElement("div");
    if (!target.isConnected) {
      target.className = "whole";
      link.after(target);
    }
    htmx.ajax("GET", link.getAttribute("href"), { source: link, target, swap: target.matches(".whole") ? "innerHTML" : "outerHTML" });
  });

  toolbar.hidden = false;
  // Outlines are long on a phone: there it opens when it is wanted.
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".outline").open = false;
  openAddress();
  addEventListener("hashchange", openAddress);
})();
