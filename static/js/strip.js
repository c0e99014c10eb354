// The time strip: one stop of the Tab key, arrows go from bar to bar; the bar of what is read is marked.
(() => {
  "use strict";
  const strip = document.querySelector(".strip svg");
  if (!strip) return;
  const bars = [...strip.querySelectorAll("a")];
  const firsts = bars.map((bar) => Number(bar.dataset.first));

  const stopAt = (bar) => {
    strip.querySelector('a[tabindex="0"]')?.setAttribute("tabindex", "-1");
    bar.setAttribute("tabindex", "0");
  };

  const keys = {
    ArrowRight: (index) => index + 1,
    ArrowLeft: (index) => index - 1,
    Home: () => 0,
    End: () => bars.length - 1,
  };
  strip.addEventListener("keydown", (event) => {
    const move = keys[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    const to = bars[Math.min(Math.max(move(bars.indexOf(event.target.closest("a"))), 0), bars.length - 1)];
    stopAt(to);
    to.focus({ preventScroll: true });
  });

  const barOf = (number) => bars[firsts.findLastIndex((first) => first <= number)];

  // The last step that begins at or above the edge where an address opens.
  const readNow = () => {
    // What a closed line of repeated steps has in it is nowhere.
    const all = [...document.querySelectorAll(".trajectory .step")];
    const steps = all.filter((step) => !step.closest("details:not([open])"));
    const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 2;
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle].getBoundingClientRect().top <= edge) low = middle + 1;
      else high = middle;
    }
    return low ? Number(steps[low - 1].id.slice("step-".length)) : 0;
  };

  let waiting = false;
  const follow = () => {
    waiting = false;
    const now = barOf(readNow());
    const before = strip.querySelector("[aria-current]");
    if (now === before || (!now && !before)) return;
    before?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "true");
    if (now && !strip.contains(document.activeElement)) stopAt(now);
  };
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(follow);
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  soon();
})();
