"""The corpus is large, and what runs is noticed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route

from tests.browser.xss.canary import Canary
from tests.browser.xss.corpus import TEXTS


def test_the_corpus_has_more_than_three_hundred_payloads() -> None:
    assert len(set(TEXTS)) == len(TEXTS) > 400


@pytest.mark.parametrize(
    ("body", "heard"),
    [
        ("<script>canary(1)</script>", "canary 1 sang"),
        ("<img src=x onerror=canary(2)>", "canary 2 sang"),
        ("<iframe srcdoc='<script>parent.canary(3)</script>'></iframe>", "canary 3 sang"),
        ("<script>setTimeout('canary(4)')</script>", "canary 4 sang"),
        ("<script>alert(5)</script>", "alert was called"),
        ("<img src=//evil.invalid/6>", "asked for http://evil.invalid/6"),
        ("<meta http-equiv=refresh content='0;url=//evil.invalid/7'>", "asked for http://evil.invalid/7"),
        ("<a href='javascript:canary(8)'>x</a>", "A href=javascript:canary(8)"),
        ("<b onmouseover=canary(9)>x</b>", "B onmouseover=canary(9)"),
        ("<div hx-get=//evil.invalid/10>x</div>", "DIV hx-get=//evil.invalid/10"),
        ("<meta http-equiv=Content-Security-Policy content='img-src none'><img src=/x>", "policy: img-src"),
    ],
)
def test_the_canary_notices(page: Page, canary: Canary, complaints: list[str], body: str, heard: str) -> None:
    def serve(route: Route) -> None:
        route.fulfill(body=f"<!doctype html><title>Vulnerable</title>{body}", content_type="text/html")

    page.route("**/vulnerable", serve)
    page.route("**/evil.invalid/**", lambda route: route.fulfill(body="elsewhere"))
    canary.visit("/vulnerable")
    page.wait_for_load_state("networkidle")

    assert any(heard in each for each in canary.heard), canary.heard
    canary.heard.clear()
    complaints.clear()
