// Tick boxes that change what a page shows, and stay as the reader left them.
(() => {
  "use strict";
  for (const box of document.querySelectorAll("[data-remember]")) {
    const key = `superboard-${box.dataset.remember}`;
    // An address that asks for it shows it, whatever was left.
    if (!("asked" in box.dataset)) {
      try {
        box.checked = localStorage.getItem(key) === "on";
      } catch {
        // Storage may be forbidden; then it is as the page came.
      }
    }
    box.addEventListener("change", () => {
      try {
        localStorage.setItem(key, box.checked ? "on" : "off");
      } catch {
        // As above.
      }
    });
  }
})();
