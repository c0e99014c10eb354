"""What a board says in words of how certain its ranks are."""

from __future__ import annotations

from leaderboard.boards.selectors import Board
from leaderboard.core.labels import ranks_text
from leaderboard.domain.text import plural
from leaderboard.models import Figure, Standing

FAR_MORE = 10
"""An estimate beyond so many times the tasks is not said as a number."""


def conclusion(board: Board) -> str:
    """What the tasks tell of who leads, in a sentence; empty where the first is not on the page or alone."""
    first = board.first
    if first is None or first.leading is None or first.tier is None:
        return ""
    on = plural(first.leading.tasks, "this {n} task", "these {n} tasks")
    if not ranks_text(first.tier):
        return f"Rank 1 is told apart from every other rank on {on}."
    others = _in_words(max(first.tier.first, 2), first.tier.last)
    return f"Rank 1 can't be told apart from {others} on {on}{_more(first.tier, first.leading, 'rank 2')}."


def tier_about(tier: Standing | None, leading: Figure | None) -> str:
    """A tier in a sentence, for who points at it."""
    if tier is None or leading is None:
        return ""
    if not ranks_text(tier):
        return "Told apart from every other rank"
    more = _more(tier, leading, "the next")
    return f"{_in_words(tier.first, tier.last).capitalize()} can't be told apart from it{more}"


def _in_words(first: int, last: int | None) -> str:
    if first == last:
        return f"rank {first}"
    return f"rank {first} and those below" if last is None else f"ranks {first} to {last}"


def _more(tier: Standing, leading: Figure, other: str) -> str:
    if tier.more_tasks is None:
        return ""
    if tier.more_tasks > FAR_MORE * leading.tasks:
        return f"; to tell it from {other} would take more than {FAR_MORE} times as many"
    tasks = plural(_rounded(tier.more_tasks), "{n} more task", "{n} more tasks")
    return f"; about {tasks} would tell it from {other}"


def _rounded(number: int) -> int:
    """Up to a multiple of 5 below 100, of 10 below 1,000: an estimate has no more digits than that."""
    step = 1 if number < 5 else 5 if number < 100 else 10 if number < 1_000 else 100
    return -(-number // step) * step
