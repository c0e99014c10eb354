// Copying a step, its code or its output: links to their text, which a click puts on the clipboard.
(() => {
  "use strict";
  const { announce } = window.viewer;
  if (!announce) return;
  const PARTS = { action: "code", output: "output" };

  const link = (address, label, said) => {
    const made = document.createElement("a");
    made.href = address;
    made.textContent = label;
    made.dataset.copy = said;
    made.setAttribute("aria-label", `Copy ${said}`);
    return made;
  };

  // Made for the steps near the window: an attempt can have very many.
  const addLinks = (step) => {
    const number = step.id.slice(5);
    const links = document.createElement("span");
    links.className = "copy";
    links.append("Copy ");
    for (const [part, label] of Object.entries(PARTS)) {
      if (!step.querySelector(`:scope > .${part}:not(.no-output)`)) continue;
      links.append(link(`${number}/${part}.txt`, label, `the ${label} of step ${number}`), " ");
    }
    links.append(link(`${number}.md`, "step", `step ${number} as Markdown`));
    step.querySelector(":scope > header").append(links);
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        addLinks(target);
      }
    },
    { rootMargin: "800px" },
  );
  document.querySelectorAll(".step").forEach((step) => near.observe(step));

  document.addEventListener("click", async (event) => {
    const copy = event.target.closest("[data-copy]");
    // Without a clipboard (on a page that is not secure) the link leads to the text.
    if (!copy || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const response = await fetch(copy.href);
      if (!response.ok) throw new Error(`${response.status} for ${copy.href}`);
      await navigator.clipboard.writeText(await response.text());
      announce.value = `Copied ${copy.dataset.copy}`;
    } catch {
      announce.value = "It could not be copied: open the link for the text";
      return;
    }
    copy.classList.add("copied");
  });
})();
