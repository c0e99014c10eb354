"""The published runs, where they lie beside the repository: the first view's budget, and every hit in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from leaderboard import formats
from leaderboard.domain.landmarks import find_landmarks
from leaderboard.rendering import render_attempt
from tests.rendering.helpers import Elements

PUBLISHED = Path(__file__).parents[3] / "shared" / "published"
LARGEST = sorted(PUBLISHED.glob("*/*/history.ipynb"), key=lambda path: path.stat().st_size)[-5:]
LANDMARKS = (r"Successfully installed", r"\d+%\|", r"[Aa]ccuracy", r"(?:\S+ ){50}")


@pytest.mark.skipif(not LARGEST, reason="the published runs are not beside the repository")
def test_the_largest_attempts_stay_within_the_budget_and_show_every_hit() -> None:
    for path in LARGEST:
        trajectory = formats.read(path.read_bytes(), name=path.name)
        found = find_landmarks(LANDMARKS, trajectory, seconds=60)
        html = render_attempt(trajectory, found).html
        elements = Elements(html)
        marks = [name for name in elements.ids if str(name).startswith("hit-")]
        assert len(marks) == sum(len(hits.spans) for landmark in found for hits in landmark.hits)
        assert len(elements.ids) == len(set(elements.ids))
        assert len(elements.tags) <= 8_000
        assert len(gzip.compress(html.encode())) <= 150_000
