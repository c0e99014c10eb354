// Draws the board's charts with the colours and fonts of the page, and again when table or theme change.
(() => {
  "use strict";
  const plotly = document.currentScript.dataset.plotly;
  let library;

  const load = () =>
    (library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = plotly;
      script.onload = () => resolve(window.Plotly);
      script.onerror = reject;
      document.head.append(script);
    }));

  // Figures name the page's custom properties; plotly wants values, and a property can hold one for each theme.
  const probe = document.createElement("span");
  probe.hidden = true;
  document.documentElement.append(probe);
  const value = (name) => {
    if (name === "--sans") return getComputedStyle(document.body).fontFamily;
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const resolve = (part) => {
    if (typeof part === "string") return part.replace(/^var\((--[\w-]+)\)$/, (_, name) => value(name));
    if (Array.isArray(part)) return part.map(resolve);
    if (part && typeof part === "object") {
      return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, resolve(item)]));
    }
    return part;
  };

  const fail = (plot) => {
    plot.textContent = plot.dataset.failed;
    plot.parentElement.querySelector("details").open = true;
  };

  const draw = async () => {
    const charts = document.querySelector("[data-charts]");
    if (!charts) return;
    const plots = [...charts.querySelectorAll("[data-plot]")];
    try {
      const [Plotly, response] = await Promise.all([load(), fetch(charts.dataset.charts)]);
      if (!response.ok) throw new Error(response.statusText);
      const figures = await response.json();
      for (const plot of plots) {
        const figure = resolve(figures[plot.dataset.plot]);
        if (!("drawn" in plot.dataset)) plot.replaceChildren();
        await Plotly.react(plot, figure.data, figure.layout, { displayModeBar: false, responsive: true });
        plot.dataset.drawn = "";
      }
    } catch {
      plots.forEach(fail);
    }
  };

  // The library is large. Where the page has each chart as an image, it is fetched when a reader has scrolled to
  // the charts or points at one; else when they come into view.
  let scrolled = false;
  const watch = () => {
    const charts = document.querySelector("[data-charts]");
    if (!charts?.querySelector("[data-plot]")) return;
    if (!charts.querySelector("[data-plot] > svg")) scrolled = true;
    let near = false;
    const begin = () => {
      observer.disconnect();
      removeEventListener("scroll", arrive);
      draw();
    };
    const arrive = () => {
      scrolled = true;
      if (near) begin();
    };
    const observer = new IntersectionObserver(
      (entries) => {
        near = entries.some((entry) => entry.isIntersecting);
        if (near && scrolled) begin();
      },
      { rootMargin: "100px" },
    );
    observer.observe(charts);
    addEventListener("scroll", arrive, { passive: true });
    for (const event of ["pointerover", "focusin"]) charts.addEventListener(event, begin, { once: true });
  };

  const redraw = () => {
    if (document.querySelector("[data-drawn]")) draw();
  };

  watch();
  document.addEventListener("htmx:afterSettle", watch);
  document.addEventListener("themechange", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
