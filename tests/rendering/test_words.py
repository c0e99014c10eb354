"""Words in stored fragments: markers, how they are filled, and that they can't be forged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from leaderboard.rendering.words import WORDS, english, fill, format_word, word

from leaderboard.domain.scores import LandmarkStatus
from leaderboard.domain.trajectory import StepKind
from leaderboard.rendering.exporter import TEMPLATES

SOURCES = [*TEMPLATES.rglob("*.j2"), *TEMPLATES.parent.glob("*.py")]


def test_a_marker_is_replaced_in_text_and_in_attributes() -> None:
    html = f'<a href="{word("page-url", 3, "output", 2)}">{word("step", 3)}</a>'
    assert (
        fill(html, lambda key, args: f"{key}:{','.join(args)}") == '<a href="page-url:3,output,2">step:3</a>'
    )


def test_english_counts_and_groups() -> None:
    assert english(word("hidden", 1, 20)) == "1 line hidden, 20 characters"
    assert english(word("hidden", 1234, 56789)) == "1,234 lines hidden, 56,789 characters"


def test_an_argument_can_not_end_its_marker() -> None:
    assert word("step", "1--><script>") == "<!--t step 1--script-->"
    assert english(word("step", "1--><script>")) == "Step 1--script"


def test_other_comments_stay() -> None:
    assert english("<!-- t step 1 --><!--step-->") == "<!-- t step 1 --><!--step-->"


@pytest.mark.parametrize("key", sorted(WORDS))
def test_every_word_can_be_formatted(key: str) -> None:
    assert "{" not in format_word(key, ("1", "2", "3"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_word_in_use_is_defined(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    used = set(re.findall(r'\bword\("([a-z-]+)"', text)) | set(re.findall(r'"([a-z-]+)" \| word', text))
    assert used <= set(WORDS)


def test_every_kind_mark_and_status_has_a_word() -> None:
    marks = ("error", "timeout", "format-error", "submit", "pre-executed")
    names = [*(f"kind-{kind}" for kind in StepKind), *(f"mark-{mark}" for mark in marks)]
    assert {*names, *(f"status-{status}" for status in LandmarkStatus)} <= set(WORDS)
