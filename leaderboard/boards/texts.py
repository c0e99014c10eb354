"""What a board says in words of how certain its ranks are."""

from __future__ import annotations

from leaderboard.boards.selectors import Board
from leaderboard.domain.text import plural
from leaderboard.models import Figure, Standing

FAR_MORE = 10
"""An estimate beyond so many times the tasks is not said as a number."""


def ranks_text(tier: Standing | None) -> str:
    """A tier's ranks, such as ``1\N{EN DASH}3``, or ``4+`` if it may go on below; empty for one rank."""
    if tier is None or tier.first == tier.last:
        return ""
    return f"{tier.first}+" if tier.last is None else f"{tier.first}\N{EN DASH}{tier.last}"


def conclusion(board: Board) -> str:
    """What the tasks tell of who leads, in a sentence; empty where the first is not on the page or alone."""
    first = board.first
    if first is None or first.leading is None or first.tier is None:
        return ""
    on = plural(first.leading.tasks, "this {n} task", "these {n} tasks")
    if not ranks_text(first.tier):
        return f"The first is better than every other ranked entry on {on}, as far as they can tell."
    said = f"Ranks {_in_words(first.tier)} can't be told apart from the first on {on}"
    return f"{said}{_more(first.tier, first.leading, 'the first two')}."


def tier_about(tier: Standing | None, leading: Figure | None) -> str:
    """A tier in a sentence, for who points at it."""
    if tier is None or leading is None:
        return ""
    if not ranks_text(tier):
        return "Told apart from every other rank"
    return f"Can't be told apart from ranks {_in_words(tier)}{_more(tier, leading, 'it from the next')}"


def _in_words(tier: Standing) -> str:
    return f"{tier.first} and below" if tier.last is None else f"{tier.first} to {tier.last}"


def _more(tier: Standing, leading: Figure, whom: str) -> str:
    if tier.more_tasks is None:
        return ""
    if tier.more_tasks > FAR_MORE * leading.tasks:
        return f"; it would take more than {FAR_MORE} times as many tasks to tell {whom}"
    return f"; about {plural(_rounded(tier.more_tasks), '{n} more task', '{n} more tasks')} would tell {whom}"


def _rounded(number: int) -> int:
    """Up to a multiple of 5 below 100, of 10 below 1,000: an estimate has no more digits than that."""
    step = 1 if number < 5 else 5 if number < 100 else 10 if number < 1_000 else 100
    return -(-number // step) * step
