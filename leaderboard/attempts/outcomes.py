"""How an attempt came out, in one word: what its score says, else what ended it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from leaderboard.domain.trajectory import Ending
from leaderboard.scoring.contract import Metric


class Outcome(StrEnum):
    """UNKNOWN: no ending explains it, and its score is missing, withheld, or on a scale without ends."""

    RIGHT = "right"
    PARTLY = "partly"
    WRONG = "wrong"
    GAVE_UP = "gave-up"
    CONTEXT = "out-of-context"
    TIME = "out-of-time"
    STEPS = "out-of-steps"
    COST = "out-of-budget"
    EXCEPTION = "exception"
    UNKNOWN = "unknown"


OUTCOMES: Final[dict[str, str]] = {
    Outcome.RIGHT: "right",
    Outcome.PARTLY: "partly right",
    Outcome.WRONG: "wrong",
    Outcome.GAVE_UP: "gave up: submitted no result",
    Outcome.CONTEXT: "out of context",
    Outcome.TIME: "out of time",
    Outcome.STEPS: "out of steps",
    Outcome.COST: "out of budget",
    Outcome.EXCEPTION: "ended by an exception",
    Outcome.UNKNOWN: "not known",
}
"""Each outcome as pages name it, in the order of display."""

_BY_ENDING: Final = {
    Ending.EMPTY: Outcome.GAVE_UP,
    Ending.CONTEXT: Outcome.CONTEXT,
    Ending.TIME: Outcome.TIME,
    Ending.STEPS: Outcome.STEPS,
    Ending.COST: Outcome.COST,
    Ending.EXCEPTION: Outcome.EXCEPTION,
}


def outcome_of(ending: str, decisive: Metric, value: float | None) -> Outcome:
    """The outcome of an attempt with this ``value`` of the decisive metric, as somebody may see it.

    A value between the worst and the best is partly right, whatever ended it. At the worst one, an ending
    that explains it comes before "wrong". Of a metric that lacks an end, no other value tells.
    """
    if value is not None and value == decisive.best:
        return Outcome.RIGHT
    if decisive.best is None or decisive.worst is None:
        value = None
    if value is not None and value != decisive.worst:
        return Outcome.PARTLY
    by_ending = _BY_ENDING.get(Ending(ending))
    return by_ending or (Outcome.UNKNOWN if value is None else Outcome.WRONG)
