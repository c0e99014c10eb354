"""The browser fixtures notice what they promise to notice."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.browser import chromium
from tests.browser.looks import (
    PHONE,
    accessibility_findings,
    findings_in_every_look,
    in_both_themes,
    too_wide,
)

A_FILE_OF_OURS = "/static/django_htmx/htmx-2.min.js"


def test_an_error_on_the_console_is_a_complaint(page: Page, complaints: list[str]) -> None:
    page.evaluate("console.error('it broke')")

    assert complaints == ["console: it broke"]
    complaints.clear()


def test_a_request_to_another_host_is_a_complaint(page: Page, complaints: list[str]) -> None:
    page.route("http://elsewhere.invalid/**", lambda route: route.fulfill(body="x"))
    page.goto(A_FILE_OF_OURS)

    page.evaluate("fetch('http://elsewhere.invalid/x', {mode: 'no-cors'}).then(() => null)")

    assert complaints == ["another host: http://elsewhere.invalid/x"]
    complaints.clear()


@pytest.mark.parametrize(
    "offence",
    [
        "document.head.append(Object.assign(document.createElement('style'), {textContent: 'b {}'}))",
        "document.body.setAttribute('style', 'color: red')",
        "document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}))",
    ],
    ids=["style element", "style attribute", "script"],
)
def test_a_breach_of_the_content_security_policy_is_a_complaint(
    page: Page, complaints: list[str], offence: str
) -> None:
    page.goto("/about/")

    page.evaluate(offence)

    page.wait_for_function("true")
    assert len(complaints) == 1
    assert "Content Security Policy" in complaints.pop()


@in_both_themes
def test_the_theme_is_what_the_page_sees(page: Page, theme: str) -> None:
    assert page.evaluate(f"matchMedia('(prefers-color-scheme: {theme})').matches")


def test_accessibility_findings_name_the_rule_and_the_element(page: Page) -> None:
    page.set_content('<html lang="en"><title>T</title><main><h1>Chart</h1><img id="chart"></main>')

    assert accessibility_findings(page) == ["image-alt (critical): #chart: Images must have alternative text"]


def test_what_is_hard_to_read_in_the_dark_alone_is_found(page: Page) -> None:
    page.set_content(
        """<html lang="en"><meta name="viewport" content="width=device-width"><title>T</title>
        <style>@media (prefers-color-scheme: dark) { body { background: #000 } p { color: #222 } }</style>
        <main><h1>Chart</h1><p id="faint">of accuracies</p></main>"""
    )

    found = findings_in_every_look(page)

    assert [finding.partition(": ")[0] for finding in found if "#faint" in finding] == [
        "dark, 1440 px",
        "dark, 390 px",
    ]


def test_a_chromium_that_was_asked_for_is_not_replaced_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-browser")

    with pytest.raises(
        chromium.ChromiumMissingError, match="CHROMIUM is 'no-such-browser', which is not a program"
    ):
        chromium.find_or_install()


@pytest.mark.parametrize("viewport", [PHONE])
def test_a_page_that_only_our_own_font_fits_in_is_too_wide(page: Page, viewport: ViewportSize) -> None:
    page.goto("/")
    assert too_wide(page) == {}

    page.evaluate(
        """() => {
            const line = document.createElement("p");
            line.textContent = "as wide as its window";
            Object.assign(line.style, { position: "absolute", left: 0, whiteSpace: "nowrap" });
            document.body.append(line);
            line.style.paddingRight = `${Math.floor(innerWidth - line.getBoundingClientRect().width)}px`;
        }"""
    )

    assert set(too_wide(page)) == {"390 px, wide letters", "320 px, own letters", "320 px, wide letters"}
    assert page.viewport_size == viewport


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The one folder on PATH, on a machine that has no Chromium."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "playwrights_own", lambda: tmp_path / "never-downloaded")
    return tmp_path


def make_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(stat.S_IRWXU)


def test_a_chromium_is_found_on_the_path(programs: Path) -> None:
    make_program(programs / "chromium-browser", "exit 0")

    assert chromium.find() == programs / "chromium-browser"


def test_root_on_debian_gets_the_package(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    make_program(
        programs / "apt-get", 'case "$*" in install*chromium*) /bin/cp "$0" "${0%/*}/chromium";; esac'
    )

    assert chromium.find_or_install() == programs / "chromium"


def test_a_failed_installation_says_what_to_do(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    make_program(programs / "apt-get", "exit 100")

    with pytest.raises(chromium.ChromiumMissingError, match=r"`apt-get update -q` failed.*SKIP_BROWSER=1"):
        chromium.find_or_install()
