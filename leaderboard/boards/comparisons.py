"""The comparisons that a board offers: agents of one name with several models against each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.http import urlencode

from leaderboard.boards.selectors import Board
from leaderboard.comparing.selectors import FEWEST_ENTRIES, MOST_ENTRIES

MOST_OFFERED: Final = 5


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """The address that compares an agent's entries with its first ``models`` models on the page."""

    agent: str
    models: int
    address: str


def model_comparisons(board: Board) -> list[ModelComparison]:
    """The agents of the page that have entries with several models, the best first. No query."""
    slugs: dict[str, list[str]] = defaultdict(list)
    for row in board.rows:
        slugs[row.entry.agent.name].append(row.entry.slug)
    compared = {agent: several[:MOST_ENTRIES] for agent, several in slugs.items()}
    return [
        ModelComparison(agent, len(some), f"{reverse('compare')}?{urlencode({'e': some}, doseq=True)}")
        for agent, some in compared.items()
        if len(some) >= FEWEST_ENTRIES
    ][:MOST_OFFERED]
