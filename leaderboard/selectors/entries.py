"""An entry: its figures by metric, scorer and category."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from leaderboard.domain.links import is_web_address
from leaderboard.domain.scores import Metric
from leaderboard.domain.secrets import find_secrets, mask
from leaderboard.models import Category, Entry, Figure
from leaderboard.services.figures import BOARD, REPORTED, SCORER_ORDER


@dataclass(frozen=True, slots=True)
class EntryFigures:
    """``by_scorer``: a line a metric, a figure a scorer. ``by_category``: a line a category, one a metric."""

    by_scorer: list[tuple[Metric, list[Figure | None]]]
    by_category: list[tuple[Category, list[Figure | None]]]


class Badge(StrEnum):
    """What a reader should know of where an entry's scores come from, and who stands for them."""

    REPORTED = "reported"
    COMPUTED = "computed"
    RUN_HERE = "run-here"
    VERIFIED = "verified"


def badges(entry: Entry, figures: EntryFigures) -> list[Badge]:
    """The badges of an entry; ``figures`` are its own. No query if its run was selected with it."""
    scorers = {cell.scorer for _, cells in figures.by_scorer for cell in cells if cell and cell.scored}
    earned = {
        Badge.REPORTED: REPORTED in scorers,
        Badge.COMPUTED: bool(scorers - {REPORTED}),
        Badge.RUN_HERE: hasattr(entry, "run"),
        Badge.VERIFIED: entry.verified is not None,
    }
    return [badge for badge, has_it in earned.items() if has_it]


def shown_links(entry: Entry) -> list[dict[str, str]]:
    """An entry's links that a page may link to, each with a label."""
    return [
        {"url": link["url"], "label": mask(link.get("label") or link["url"])}
        for link in entry.links
        if is_web_address(link["url"])
    ]


def shown_notes(entry: Entry) -> str:
    """What an entry's owners say of it, as pages show it: what looks like a secret is masked."""
    return mask(entry.notes)


def secrets_said(entry: Entry) -> int:
    """How many places in what its owners say of an entry look like secrets."""
    said = (entry.notes, *(link.get("label", "") for link in entry.links))
    return sum(len(find_secrets(text)) for text in said)


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
