"""A scorer's results for one attempt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LandmarkStatus(StrEnum):
    """The result of one landmark in one attempt.

    GIVEN: a pre-executed cell hit it, so the agent gets no credit. TIMED_OUT: the search took too long, so it
    is unknown whether it was missed. INVALID: the pattern does not compile.
    """

    HIT = "hit"
    GIVEN = "given"
    MISSED = "missed"
    TIMED_OUT = "timed-out"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class StepHits:
    """Where one landmark matched in one step's observation, as printed or as a terminal shows it.

    ``spans`` are (start, end) offsets in code points of the raw observation, end exclusive, in order, never
    overlapping, at most ``MAX_SPANS``; ``more`` counts the matches beyond. A match in what a terminal shows
    can have several spans.
    """

    step: int
    spans: tuple[tuple[int, int], ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class LandmarkResult:
    """One landmark of a task in one attempt; ``number`` counts from 1 in the task's order.

    ``printed`` is its status in the output as printed, control sequences included, if that is another one.
    """

    number: int
    pattern: str
    status: LandmarkStatus
    hits: tuple[StepHits, ...] = ()
    printed: LandmarkStatus | None = None

    @property
    def first_step(self) -> int | None:
        """The number of the first step with a hit."""
        return self.hits[0].step if self.hits else None


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value from one scorer, in the metric's range.

    Where ``value`` is None, ``reason`` says what went wrong; it is empty if the metric does not apply to the
    task (no gold, no landmarks, no script) or to an answer without a trajectory.
    """

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """The scores of one attempt by a scorer and its version; ``scores`` by the metric's key."""

    scorer: str
    version: str
    scores: dict[str, Score]


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of one attempt: a card for each scorer, and the landmarks, which are the same for all."""

    cards: tuple[ScoreCard, ...]
    landmarks: tuple[LandmarkResult, ...] = ()


REPORTED = "reported"
BOARD = "board"
"""The figures that a board shows by default: from the scores that count, see `counts_as_reported`."""
MIXED = "mixed"
"""The source of a figure from reported and computed scores."""
RECORDED = "recorded"
"""The source of a figure of what attempts used, as their trajectories have it."""


def counts_as_reported(*, computed: bool, computable: bool, has_trajectory: bool) -> bool:
    """Whether an attempt's reported score counts: only where the site can't compute one.

    ``computed`` says whether there is a computed score, or a reason why there is none; ``computable`` whether
    the task has what the metric is computed from.
    """
    return not computed and not (computable and has_trajectory)
