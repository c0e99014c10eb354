"""An entry: its figures by metric, scorer and category."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.domain.scores import Metric
from leaderboard.models import Category, Entry, Figure
from leaderboard.services.figures import BOARD, SCORER_ORDER


@dataclass(frozen=True, slots=True)
class EntryFigures:
    """``by_scorer``: a line a metric, a figure a scorer. ``by_category``: a line a category, one a metric."""

    by_scorer: list[tuple[Metric, list[Figure | None]]]
    by_category: list[tuple[Category, list[Figure | None]]]


def entry_figures(entry: Entry, categories: list[Category]) -> EntryFigures:
    """Every figure of an entry. One query."""
    figures = {(f.scorer, f.metric, f.category): f for f in entry.figures.all()}
    return EntryFigures(
        by_scorer=[
            (metric, [figures.get((scorer, metric, "")) for scorer in SCORER_ORDER]) for metric in Metric
        ],
        by_category=[
            (category, [figures.get((BOARD, metric, category.slug)) for metric in Metric])
            for category in categories
        ],
    )
