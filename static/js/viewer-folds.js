// Folds open in place: what is hidden there, and no more, from the pages that a fold's link leads to.
(() => {
  "use strict";
  const { begin, earlier, isBefore, later, offsetOf, parse, pointAt, read } = window.viewer;
  const toolbar = document.querySelector("[data-toolbar]");
  if (!toolbar) return;
  const announce = toolbar.querySelector("[data-announce]");
  // Lines that "Expand all" opens at once: more would make the page slow.
  const AT_ONCE = 20_000;

  const hiddenBy = (fold) => fold.dataset.hides.split(" ").map(parse);
  const show = (places) => places.map((place) => place.join(":")).join(" ");
  const isOpen = (fold) => fold.getAttribute("aria-expanded") === "true";
  const isCut = (fold) => fold.matches(".cut");
  const folds = (root) => [...root.querySelectorAll("a.fold[data-hides]")];
  const closed = (root) => folds(root).filter((fold) => !isOpen(fold));

  const load = async (address) => {
    const response = await fetch(address, { headers: { "HX-Request": "true" } });
    if (!response.ok) throw new Error(`${response.status} for ${address}`);
    return new DOMParser().parseFromString(await response.text(), "text/html");
  };

  // The part of a loaded page that lies between two places.
  const between = (pre, from, to) => {
    const text = read(pre);
    const range = pre.ownerDocument.createRange();
    range.selectNodeContents(pre);
    if (isBefore(begin(pre), from)) {
      const number = from[1] === 0 && pre.querySelector(`.ln[data-n="${from[0]}"]`);
      if (number) range.setStartBefore(number);
      else range.setStart(...pointAt(text, offsetOf(text, from)));
    }
    // A page that ends within a line has a newline there, which is not in the text.
    if (isBefore(to, parse(pre.dataset.to)) || to[1] > 0) range.setEnd(...pointAt(text, offsetOf(text, to), true));
    return document.importNode(range.cloneContents(), true);
  };

  const label = (fold) => {
    const [from, to] = hiddenBy(fold);
    if (isCut(fold)) return `${(to[1] - from[1]).toLocaleString("en")} characters cut`;
    const lines = to[0] - from[0] + (to[1] > 0 ? 1 : 0);
    return `${lines.toLocaleString("en")} ${lines === 1 ? "line" : "lines"} hidden`;
  };

  // A fold for the rest of what another one hides.
  const rest = (fold, from, to, href) => {
    const link = document.createElement("a");
    link.className = fold.className;
    link.href = href;
    link.dataset.hides = show([from, to]);
    link.textContent = label(link);
    link.setAttribute("aria-expanded", "false");
    return link;
  };

  // Put a page's part that a fold hides below it, and folds for what comes before and after it.
  const fill = (fold, page) => {
    const pre = page.querySelector("pre");
    pre.dataset.to ??= `${begin(pre)[0] + read(pre).text.split("\n").length - 1}:0`;
    const [foldFrom, foldTo] = hiddenBy(fold);
    const from = later(foldFrom, begin(pre));
    const to = earlier(foldTo, parse(pre.dataset.to));
    if (!isBefore(from, to)) throw new Error("That page has nothing of what is hidden here");
    const place = document.createElement(isCut(fold) ? "span" : "div");
    place.className = "opened";
    place.tabIndex = -1;
    const content = between(pre, from, to);
    for (const number of content.querySelectorAll(".ln")) {
      if (isCut(fold) || document.getElementById(number.id)) number.remove();
    }
    if (isBefore(foldFrom, from)) place.append(rest(fold, foldFrom, from, fold.href));
    if (isCut(fold)) {
      place.append(content);
    } else {
      const shown = document.createElement("pre");
      shown.dataset.from = show([from]);
      shown.append(content);
      place.append(shown);
    }
    const next = page.querySelector("a[rel=next]");
    if (isBefore(to, foldTo) && next) place.append(rest(fold, to, foldTo, next.getAttribute("href")));
    fold.after(place);
    fold.setAttribute("aria-expanded", "true");
    fold.dataset.closed = fold.textContent;
    const last = to[1] > 0 ? to[0] : to[0] - 1;
    const said = isCut(fold) ? "Cut it again" : `Lines ${from[0].toLocaleString("en")} to ${last.toLocaleString("en")}`;
    fold.textContent = isCut(fold) ? said : `${said}: hide again`;
    return said;
  };

  const opening = new WeakMap();
  // Open a fold at its first page, or at the one that has a line. Returns what to say of it; nothing if it failed.
  const open = (fold, line) => {
    if (isOpen(fold)) return "Open";
    if (!opening.has(fold)) {
      const address = line && !isCut(fold) ? new URL(`../?line=${line}`, fold.href) : fold.href;
      fold.setAttribute("aria-busy", "true");
      const opened = load(address)
        .then((page) => fill(fold, page))
        .catch(() => {
          announce.value = "It could not be opened here: its link leads to a page of its own";
          return "";
        })
        .finally(() => {
          fold.removeAttribute("aria-busy");
          opening.delete(fold);
        });
      opening.set(fold, opened);
    }
    return opening.get(fold);
  };

  const close = (fold) => {
    if (!isOpen(fold)) return;
    fold.nextElementSibling.remove();
    fold.textContent = fold.dataset.closed;
    fold.setAttribute("aria-expanded", "false");
  };

  // Open whatever hides an element, or a line of a part of a step. Returns whether that could be done.
  const openAround = (element) => {
    for (let at = element.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  };
  const reveal = async (place, line) => {
    openAround(place);
    const hides = (fold) => {
      const [from, to] = hiddenBy(fold);
      return from[0] <= line && (line < to[0] || (line === to[0] && to[1] > 0));
    };
    for (let fold = closed(place).find(hides); fold; fold = closed(place).find(hides)) {
      if (!(await open(fold, line))) return false;
    }
    return true;
  };

  const expandAll = async () => {
    const trajectory = document.querySelector(".trajectory");
    trajectory.querySelectorAll("details.repeats").forEach((details) => (details.open = true));
    let lines = 0;
    let waiting = closed(trajectory);
    while (waiting.length && lines < AT_ONCE) {
      const fold = waiting[0];
      if (!(await open(fold))) return;
      const pre = fold.nextElementSibling.querySelector(":scope > pre");
      lines += pre ? read(pre).text.split("\n").length - 1 : 1;
      waiting = closed(trajectory);
    }
    announce.value = waiting.length
      ? `${lines.toLocaleString("en")} lines are open, ${waiting.length} folds are not: that is all at once`
      : trajectory.querySelector("a.fold:not([data-hides])")
        ? "Open, but for texts that have pages of their own"
        : "Everything is open";
  };
  const collapseAll = () => {
    const trajectory = document.querySelector(".trajectory");
    trajectory.querySelectorAll("details.repeats").forEach((details) => (details.open = false));
    folds(trajectory).forEach(close);
    announce.value = "Everything is folded";
  };

  document.addEventListener("click", async (event) => {
    const fold = event.target.closest("a.fold[data-hides]");
    if (!fold || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const said = isOpen(fold) ? close(fold) : await open(fold);
    if (said) announce.value = said;
  });
  const folding = document.querySelector("[data-folding]");
  folding.querySelector("[data-expand]").addEventListener("click", expandAll);
  folding.querySelector("[data-collapse]").addEventListener("click", collapseAll);
  folding.hidden = false;
  folds(document).forEach((fold) => fold.setAttribute("aria-expanded", "false"));
  Object.assign(window.viewer, { collapseAll, expandAll, openAround, reveal });
})();
