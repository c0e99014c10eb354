// Loaded before the first paint: a chosen theme must not flash the other one.
(() => {
  "use strict";
  const root = document.documentElement;
  const order = ["system", "light", "dark"];
  const stored = () => {
    try {
      return localStorage.getItem("theme") || "system";
    } catch {
      return "system"; // Storage can be forbidden; the page still works.
    }
  };
  const apply = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  apply(stored());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    const label = (theme) => {
      button.setAttribute("aria-label", button.dataset[theme]);
      button.title = button.dataset[theme];
      button.dataset.shows = theme;
    };
    label(stored());
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = order[(order.indexOf(button.dataset.shows) + 1) % order.length];
      try {
        localStorage.setItem("theme", next);
      } catch {
        // As above.
      }
      apply(next);
      label(next);
      // A button's changed name is not read out by itself.
      document.querySelector("[data-theme-said]").textContent = button.dataset[next];
      document.dispatchEvent(new CustomEvent("themechange"));
    });
  });
})();
