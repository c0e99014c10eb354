// The number of the line under the mouse, beside it: a link to the line.
(() => {
  "use strict";
  const viewer = window.viewer;
  const trajectory = document.querySelector(".trajectory");
  if (!trajectory || !viewer.land) return;
  const link = document.createElement("a");
  link.className = "line-link";
  link.hidden = true;
  // Whoever has no mouse gets to lines by finding them.
  link.tabIndex = -1;
  link.setAttribute("aria-hidden", "true");

  const caretAt = (x, y) => {
    if (document.caretPositionFromPoint) {
      const caret = document.caretPositionFromPoint(x, y);
      return caret && [caret.offsetNode, caret.offset];
    }
    const range = document.caretRangeFromPoint(x, y);
    return range && [range.startContainer, range.startOffset];
  };

  const lineAt = (pre, x, y) => {
    const caret = caretAt(x, y);
    const text = viewer.read(pre);
    const index = caret ? text.nodes.indexOf(caret[0]) : -1;
    if (index < 0) return null;
    const before = text.text.slice(0, text.starts[index] + caret[1]);
    const start = before.lastIndexOf("\n") + 1;
    const range = document.createRange();
    range.setStart(...viewer.pointAt(text, start));
    range.setEnd(...viewer.pointAt(text, Math.min(start + 1, text.text.length), true));
    return { number: viewer.begin(pre)[0] + before.split("\n").length - 1, box: range.getClientRects()[0] };
  };

  let waiting = false;
  const follow = (pre, x, y) => {
    waiting = false;
    const part = pre.closest(".action, .output, .thought");
    const found = part && lineAt(pre, x, y);
    link.hidden = !found?.box;
    if (link.hidden) return;
    const name = ["action", "output", "thought"].find((each) => part.classList.contains(each));
    const frame = trajectory.getBoundingClientRect();
    link.href = `#${viewer.lineId(pre.closest(".step").id.slice(5), name, found.number)}`;
    link.textContent = found.number;
    if (!link.isConnected) trajectory.append(link);
    link.style.setProperty("top", `${found.box.top - frame.top}px`);
    link.style.setProperty("right", `${frame.right - pre.getBoundingClientRect().left + 3}px`);
  };
  trajectory.addEventListener("pointermove", (event) => {
    const pre = event.target.closest("pre");
    // Text that was opened has its numbers, and the link itself must stay to be reached.
    const isPlain = pre?.matches(":is(.action, .output, .thought) > pre");
    if (event.pointerType !== "mouse" || waiting || !isPlain) return;
    waiting = true;
    requestAnimationFrame(() => follow(pre, event.clientX, event.clientY));
  });

  document.addEventListener("click", (event) => {
    const number = event.target.closest(".ln[id]");
    if (number) location.hash = number.id;
  });
})();
