"""The self-contained file."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

from leaderboard.domain.scores import LandmarkResult, LandmarkStatus
from leaderboard.rendering import standalone_html
from leaderboard.rendering.facts import MARKER, MARKER_WITHIN
from leaderboard.rendering.notebook import to_notebook
from leaderboard.rendering.title import with_title
from tests.rendering.helpers import XSS, Elements, hit, step, trajectory


def page(*observations: str, title: str = "An attempt", landmarks: tuple[LandmarkResult, ...] = ()) -> str:
    steps = [step(text, number=n) for n, text in enumerate(observations, start=1)]
    return standalone_html(to_notebook(trajectory(*steps), landmarks), landmarks, title)


def test_it_is_complete() -> None:
    html = page("all well")
    assert html.startswith("<!doctype html>")
    assert "<h1>An attempt</h1>" in html
    assert "Find it." in html
    assert "all well" in html
    assert html.count("<!--") == html.count(MARKER) == 1
    assert html.index(MARKER) < MARKER_WITHIN / 2


def test_it_loads_nothing_and_runs_our_script_alone() -> None:
    html = page(XSS)
    found = Elements(html)
    assert not {"link", "img", "iframe"} & set(found.tags)
    assert found.tags.count("script") == 1
    (policy,) = [str(value) for name, value in found.attributes if name == "content" and "src" in str(value)]
    script = html.partition("<script>")[2].partition("</script>")[0]
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.split("; ")[:3] == [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'",
    ]


def test_its_outline_leads_to_every_step() -> None:
    outline = page("a", "Traceback (most recent call last)\nValueError: no").partition("<ol>")[2]
    outline = outline.partition("</ol>")[0]
    assert re.findall(r'href="#step-(\d+)"', outline) == ["1", "2"]
    assert "<b>execute</b> !ls" in outline
    assert "<em>error</em>" in outline


def test_it_hides_nothing_on_pages() -> None:
    html = page("\n".join(f"line {n}" for n in range(5_000)))
    assert all(f"line {n}\n" in html for n in range(5_000))
    assert "<details" in html


def test_it_lists_the_landmarks_without_their_patterns() -> None:
    missed = LandmarkResult(2, "secret-pattern", LandmarkStatus.MISSED)
    html = page("x1", landmarks=(hit((0, 1)), missed))
    assert '<li value="1">hit, <a href="#step-1">Step 1</a></li>' in html
    assert '<li value="2">missed</li>' in html
    assert "secret-pattern" not in html


def test_hostile_text_stays_text() -> None:
    found = Elements(page(f"{XSS}\n" * 300, title=XSS))
    assert "img" not in found.tags
    assert found.tags.count("script") == 1
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_ids_are_unique() -> None:
    text = "loss\n" * 500
    ids = Elements(page(text, text, landmarks=(hit((0, 4), (500, 1_500)),))).ids
    assert len(ids) == len(set(ids))


def test_another_title_gives_the_page_that_it_would_have_been_made_with() -> None:
    hostile = "<h1>old</h1><title>old</title>"
    for title in ("Ours · better", "<b>&\u202e"):
        assert with_title(page(hostile, title="<i>old"), title) == page(hostile, title=title)
