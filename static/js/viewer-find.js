// Find in place: the server says which lines match; here they are marked, and gone to one by one.
(() => {
  "use strict";
  const viewer = window.viewer;
  const form = document.querySelector("[data-find]");
  if (!form || !viewer.land) return;
  const field = form.querySelector("[type=search]");
  const filter = form.querySelector("select");
  const found = document.getElementById("found");
  const buttons = document.querySelector("[data-found]");
  let matches = []; // The links of the list, in order.
  let at = -1;
  let wanted = 0; // Which way to go once the matches are there.
  let before = null; // What had the focus before the field.

  const shownFor = () => found.querySelector("[data-matches]")?.dataset;
  const areOfTheField = () => {
    const shown = shownFor();
    return shown?.matches === field.value && (shown.part ?? "") === filter.value;
  };
  // As the server compares: case is ignored, nothing else.
  const pattern = (text) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");

  // The range of a match in the page, as [text, from, to]; null if it is folded away or not shown as it is written.
  const locate = ({ step, part, line, nth, nthInPart }, text) => {
    const place = viewer.partOf(step, part);
    if (!place) return null;
    const inLine = viewer.findLine(place, Number(line));
    if (inLine) {
      const end = inLine.text.text.indexOf("\n", inLine.offset);
      const shown = inLine.text.text.slice(inLine.offset, end < 0 ? undefined : end);
      const hit = [...shown.matchAll(pattern(text))][Number(nth)];
      return hit && [inLine.text, inLine.offset + hit.index, inLine.offset + hit.index + hit[0].length];
    }
    if (part !== "thought") return null;
    // A thought is shown as Markdown, without lines.
    const shown = viewer.read(place);
    const hits = [...shown.text.matchAll(pattern(text))];
    const hit = hits[Math.min(Number(nthInPart), hits.length - 1)];
    return hit && [shown, hit.index, hit.index + hit[0].length];
  };

  const unmark = () => {
    document.querySelectorAll("mark.found").forEach(viewer.unwrap);
    at = -1;
  };
  const mark = (link) => {
    const known = link.marks?.find((each) => each.isConnected);
    if (known) return known;
    const range = locate(link.dataset, shownFor().matches);
    const first = range ? viewer.wrap(...range) : null;
    link.marks = first ? [first] : [];
    return first;
  };

  const isBelow = (link) => {
    const step = document.getElementById(`step-${link.dataset.step}`);
    return step && step.getBoundingClientRect().bottom > viewer.top() + 1;
  };
  const goTo = async (index) => {
    at = index;
    const link = matches[index];
    const { step, part, line } = link.dataset;
    const place = viewer.partOf(step, part);
    if (place) await viewer.reveal(place, Number(line));
    if (at !== index) return;
    found.querySelector("[aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    const shown = mark(link) ?? place ?? document.getElementById(`step-${step}`);
    const focused = document.activeElement === field;
    viewer.land(shown, { id: shown.matches(".step") ? shown.id : viewer.lineId(step, part, line) });
    if (focused) field.focus({ preventScroll: true });
    viewer.say("match", { n: index + 1, all: matches.length });
    link.scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    takeMatches();
    if (!matches.length) return;
    if (at < 0) {
      const below = matches.findIndex(isBelow);
      goTo(by > 0 ? Math.max(below, 0) : (below < 0 ? matches.length : Math.max(below, 1)) - 1);
      return;
    }
    goTo((at + by + matches.length) % matches.length);
  };

  // Mark the matches of the list, if it is a new one: it may be looked at before htmx says that it is there.
  const takeMatches = () => {
    const listed = [...found.querySelectorAll(".matches a")];
    if (listed[0] === matches[0]) return;
    unmark();
    matches = listed;
    buttons.hidden = !matches.length;
    matches.forEach(mark);
  };
  found.addEventListener("htmx:afterSettle", () => {
    takeMatches();
    if (wanted) move(wanted);
    wanted = 0;
  });
  found.addEventListener("click", (event) => {
    const link = event.target.closest(".matches a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    takeMatches();
    goTo(matches.indexOf(link));
  });
  form.addEventListener("submit", () => {
    wanted ||= 1;
  });

  const leave = () => {
    const target = document.querySelector("mark.found.current") ?? before;
    if (target?.isConnected && target !== document.body) target.focus({ preventScroll: true });
    else field.blur();
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault(); // Browsers would empty the field.
      leave();
    } else if (event.key === "Enter") {
      if (areOfTheField()) {
        event.preventDefault();
        move(event.shiftKey ? -1 : 1);
      } else if (event.shiftKey) {
        wanted = -1;
      }
    }
  });
  field.addEventListener("focus", (event) => {
    if (event.relatedTarget && !form.contains(event.relatedTarget)) before = event.relatedTarget;
  });

  viewer.moveMatch = move;
  viewer.startFinding = () => {
    before = document.activeElement;
    field.focus();
    field.select();
  };
})();
