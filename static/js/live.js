// Pages that ask again and again: what they get goes in only where it differs. An element that is replaced
// loses the keyboard's focus and its scroll position, and a live region says again what it has said.
(() => {
  "use strict";
  // The end of an output is followed as long as the reader is there.
  const follow = (output, text) => {
    const top = output.scrollTop;
    const atEnd = top + output.clientHeight >= output.scrollHeight - 2;
    output.textContent = text;
    output.scrollTop = atEnd ? output.scrollHeight : top;
  };

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    const same = target.innerHTML === fragment.innerHTML;
    const follows = target.matches("[data-follow]");
    if (same || follows) event.detail.shouldSwap = false;
    if (!same && follows) follow(target, fragment.textContent);
  });
})();
