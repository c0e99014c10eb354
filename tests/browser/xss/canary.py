"""Notices whatever a page does that it should not: a script that runs, a policy breached, another host asked.

canary = Canary(page, home=live_server.url)
canary.visit("/about/")
assert not canary.heard
"""

from __future__ import annotations

from playwright.sync_api import Dialog, Error, Frame, Page, Request

ON_EVERY_PAGE = """(() => {
    const told = what => window.toldCanary(`${location.pathname}: ${what}`);
    const cages = {canary: n => told(`canary ${n} sang`)};
    for (const name of ["alert", "confirm", "prompt", "print", "open"])
        cages[name] = () => told(`${name} was called`);
    for (const [name, value] of Object.entries(cages))
        Object.defineProperty(window, name, {value, writable: false});
    document.addEventListener("securitypolicyviolation", event =>
        told(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
})()"""
"""Before any script of the page: what payloads call tells us, and what the browser refuses does."""

FOREIGNERS = """() => {
    const tags = `script, img, svg, iframe, frame, frameset, object, embed, applet, link, base, style,
        template, math, meta[http-equiv], image, video, audio, source, track, marquee, portal, isindex,
        plaintext, xmp, listing, xss, picture, noscript, bgsound, [srcdoc], [autofocus], [formaction],
        [ping], [background], [contenteditable], [popover], [style], [poster], [srcset],
        dialog:not(#keys)`;
    const ours = `link[rel=icon], head > link[rel=canonical],
        link[rel=alternate][href^="/"], img[src^="/e/"][src$="/badge.svg"],
        link[rel=stylesheet][href^="/static/"], script[src^="/static/"],
        img[src^="/static/"], svg.bar, nav.strip > svg, .timelines svg, .plot *,
        #js-plotly-tester, #js-plotly-tester *,
        head > style[id], html > span[hidden]`;
    const addresses = ["href", "src", "action", "data", "xlink:href", "cite", "hx-get", "hx-post"];
    const wrong = (each, {name, value}) => {
        if (/^(on|hx-on|data-hx-)/i.test(name)) return true;
        if (![...addresses, "data-charts"].includes(name)) return false;
        if (each.matches("a[rel~=noopener]")) return !/^https?:$/.test(each.protocol);
        return new URL(value, location).origin !== location.origin;
    };
    const found = [...document.querySelectorAll(tags)].filter(each => !each.matches(ours))
        .map(each => each.outerHTML);
    for (const each of document.querySelectorAll("*"))
        for (const attribute of each.attributes)
            if (wrong(each, attribute)) found.push(`${each.tagName} ${attribute.name}=${attribute.value}`);
    return found.map(each => each.slice(0, 200));
}"""
"""Elements and attributes that no page of ours has, and addresses that lead elsewhere without saying so."""


class Canary:
    """Listens to one page in a context of its own; ``heard`` is what it noticed."""

    def __init__(self, page: Page, *, home: str) -> None:
        self.heard: list[str] = []
        self._page = page
        self._home = home
        self._going_to = ""
        context = page.context
        context.expose_binding("toldCanary", lambda _, what: self.heard.append(what))
        context.add_init_script(ON_EVERY_PAGE)
        context.on("request", self._on_request)
        context.on("page", lambda popup: self.heard.append(f"a window was opened: {popup.url}"))
        page.on("dialog", self._on_dialog)
        page.on("framenavigated", self._on_navigation)

    def visit(self, address: str) -> None:
        """Open a page of the site, or a file by its address, and look it over."""
        self._going_to = address if "://" in address else f"{self._home}{address}"
        self._page.goto(address)
        self.look()

    def look(self) -> None:
        """Look over the page as it is now."""
        try:
            foreigners: list[str] = self._page.evaluate(FOREIGNERS)
        except Error as error:
            # Its document went away under us: a page that leaves by itself.
            foreigners = [error.message]
        self.heard += [f"{self._page.url}: {each}" for each in foreigners]

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((f"{self._home}/", "file:", "data:image/", "blob:")):
            self.heard.append(f"{self._page.url}: asked for {request.url}")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.heard.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _on_navigation(self, frame: Frame) -> None:
        # Where a form of ours leads is our own; a payload's place is another host or scheme.
        if frame.parent_frame or not frame.url.startswith((f"{self._home}/", self._going_to or self._home)):
            self.heard.append(f"went to {frame.url}")
