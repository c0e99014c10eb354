// Keys of a page that was downloaded: j/k from step to step, n/p from hit to hit, o to the outline.
(() => {
  "use strict";
  const lists = {
    step: [...document.querySelectorAll(".step")],
    hit: [...document.querySelectorAll("[id^='hit-']")],
  };
  const keys = { j: ["step", 1], k: ["step", -1], n: ["hit", 1], p: ["hit", -1] };
  const inWindow = ({ top, bottom }) => bottom > 0 && top < innerHeight;

  // From where the keys went to last, if that is still in sight; else from what is at the top of the window.
  const move = (list, by) => {
    if (!list.length) return;
    let index = list.findIndex((each) => `#${each.id}` === location.hash);
    if (index < 0 || !inWindow(list[index].getBoundingClientRect())) {
      const below = list.findIndex((each) => each.getBoundingClientRect().top > 1);
      index = (below < 0 ? list.length : below) - (by > 0 ? 1 : 0);
    }
    location.hash = list[Math.min(Math.max(index + by, 0), list.length - 1)].id;
  };

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (keys[event.key]) move(lists[keys[event.key][0]], keys[event.key][1]);
    else if (event.key === "o") document.querySelector(".outline a")?.focus();
    else return;
    event.preventDefault();
  });
})();
