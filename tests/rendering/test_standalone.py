"""The self-contained file."""

from __future__ import annotations

from leaderboard.domain.scores import LandmarkResult, LandmarkStatus
from leaderboard.rendering import standalone_html
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
    assert "<!--" not in html


def test_it_loads_nothing() -> None:
    found = Elements(page("x"))
    assert not {"script", "link", "img", "iframe"} & set(found.tags)
    assert any("default-src 'none'" in str(value) for name, value in found.attributes if name == "content")


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
    assert not {"script", "img"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_ids_are_unique() -> None:
    text = "loss\n" * 500
    ids = Elements(page(text, text, landmarks=(hit((0, 4), (500, 1_500)),))).ids
    assert len(ids) == len(set(ids))


def test_another_title_gives_the_page_that_it_would_have_been_made_with() -> None:
    hostile = "<h1>old</h1><title>old</title>"
    for title in ("Ours · better", "<b>&\u202e"):
        assert with_title(page(hostile, title="<i>old"), title) == page(hostile, title=title)
