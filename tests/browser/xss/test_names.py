"""Payloads as names, as what owners and operators say, and as what the site makes of those."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from html import unescape

from playwright.sync_api import Page, expect
from pytest_django import Settings

from leaderboard.domain.text import storable
from leaderboard.models import AuditEvent, Entry, Team, Upload
from leaderboard.uploads.descriptions import checked_name
from tests.browser.test_publishing import sign_in
from tests.browser.xss import site
from tests.browser.xss.canary import Canary
from tests.browser.xss.corpus import TEXTS
from tests.browser.xss.looking import (
    missing,
    published,
    said,
)

PLAIN = [text for text in TEXTS if text.isprintable() and len(text) <= 100 and text == text.strip()]
"""What a label of a link, which is one line, can hold."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that spreadsheets compute, the wide forms in Japanese ones."""
NAME_EVERYTHING = (
    """() => Plotly.restyle(document.querySelector("[data-plot=scatter]"), {mode: "markers+text"})"""
)
"""Names every point, though there are many."""
HOVER = """async () => {
    const plot = document.querySelector("[data-plot=scatter]");
    const told = () => plot.querySelector(".hovertext")?.textContent ?? "";
    const found = [];
    for (let pointNumber = 0; pointNumber < plot.data[0].x.length; pointNumber += 9) {
        const before = told();
        Plotly.Fx.hover(plot, [{curveNumber: 0, pointNumber}]);
        // The library hovers at most every 50 ms.
        for (let frames = 0; told() === before && frames < 300; frames++)
            await new Promise(requestAnimationFrame);
        found.push([plot.data[0].text[pointNumber].trim(), told()]);
    }
    return found;
}"""
"""Hovers over some points; returns their names as given to the library, and what it then says."""


def test_what_spreadsheets_would_compute_has_a_quote_before_it(
    page: Page, names: dict[str, list[str]], settings: Settings
) -> None:
    settings.SUPERBOARD_PAGE_SIZE = 1000
    text = page.request.get("/b/crowd/all/data.csv").text()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]

    formulas = [name for name in published(names["agent"]) if name.startswith(FORMULA)]
    assert len(formulas) > 5
    assert {f"'{name}" for name in formulas} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(FORMULA)]


def test_boards_and_charts_of_hostile_names(
    page: Page, canary: Canary, names: dict[str, list[str]], settings: Settings
) -> None:
    settings.SUPERBOARD_PAGE_SIZE = 100
    shown, labels = "", ""
    for number in range(1, Entry.objects.filter(state="published").count() // 100 + 2):
        canary.visit(f"/b/crowd/all/?page={number}")
        shown += "\n".join(said(page, ".board"))
        page.locator("[data-charts]").scroll_into_view_if_needed()
        expect(page.locator("[data-plot=scatter]")).to_have_attribute("data-drawn", "", timeout=30_000)
        page.evaluate(NAME_EVERYTHING)
        labels += "\n".join(page.locator("[data-plot=scatter] .textpoint").all_text_contents())
        for name, told in page.evaluate(HOVER):
            assert missing([unescape(name)[:60]], told) == []
        canary.look()

    assert missing(published(names["agent"]), shown) == []
    assert missing(published(names["agent"]), labels) == []


def test_what_is_said_of_entries(page: Page, canary: Canary, alice: None, complaints: list[str]) -> None:
    shown = "\n".join(visited(page, canary, Entry.objects.exclude(accepted=None)))
    gone = Entry.objects.filter(state__in=("withdrawn", "hidden"))
    for entry in gone[:4]:
        assert entry.state_reason[:50] in "".join(visited(page, canary, [entry]))
    page.context.clear_cookies()
    tombs = "\n".join(visited(page, canary, gone))
    # Chromium reports the status of a tombstone as an error.
    complaints[:] = [each for each in complaints if "status of 410" not in each]

    said_of = [storable(text) for text in TEXTS]
    assert missing(said_of, shown) == missing(said_of, tombs) == []
    assert [text for text in PLAIN if shown.count(text) < 3] == [], "as a note, a label and a badge"


def visited(page: Page, canary: Canary, entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        canary.visit(entry.get_absolute_url())
        yield said(page, "main")[0]


def test_the_pages_of_owners_and_operators(
    page: Page, canary: Canary, alice: None, names: dict[str, list[str]]
) -> None:
    for path in (
        "/account/",
        "/account/delete/",
        "/operate/",
        "/operate/audit/",
        "/api/docs",
        "/about/",
        "/submit/",
    ):
        canary.visit(path)
    for team in Team.objects.order_by("pk")[:5]:
        canary.visit(team.get_absolute_url())
        assert team.name in said(page, "main")[0]
    canary.visit("/account/tokens/")
    assert missing((name for name in names["token"] if "\0" not in name), said(page, "main")[0]) == []
    canary.visit("/account/teams/")
    assert missing(Team.objects.values_list("name", flat=True), said(page, "main")[0]) == []


def test_an_audit_of_everything(page: Page, canary: Canary, alice: None) -> None:
    shown = ""
    for number in range(1, AuditEvent.objects.count() // 100 + 2):
        canary.visit(f"/operate/audit/?page={number}")
        shown += said(page, "main")[0]
    assert missing((storable(batch[0])[:150] for batch in site.batches()), shown) == []


def test_uploads_are_listed_by_name(
    page: Page, canary: Canary, alice: None, names: dict[str, list[str]]
) -> None:
    shown = ""
    while Upload.objects.exists():
        canary.visit("/submit/")
        shown += said(page, "main")[0]
        Upload.objects.filter(pk__in=[each.pk for each in Upload.objects.all()[:50]]).delete()

    assert missing(map(checked_name, names["upload"]), shown) == []


def test_invitations_into_hostile_teams(page: Page, canary: Canary, names: dict[str, list[str]]) -> None:
    sign_in(page, "bob")
    canary.visit("/account/teams/")

    invited = Team.objects.exclude(invitations=None).values_list("name", flat=True)
    assert len(invited) == site.INVITATIONS
    assert missing(invited, said(page, "main")[0]) == []
