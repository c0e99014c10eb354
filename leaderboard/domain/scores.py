"""What a scorer says of one attempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Metric(StrEnum):
    """The figures of a SUPER board, in the order in which they are shown."""

    ACCURACY = "accuracy"
    LANDMARKS = "landmarks"
    SCRIPT = "script_executed"
    SUBMITTED = "submitted"


class LandmarkStatus(StrEnum):
    """What became of one landmark in one attempt.

    GIVEN: hit by a pre-executed cell already, so not the agent's. TIMED_OUT: the pattern ran away on
    some observation, so a miss can't be claimed. INVALID: the pattern does not compile.
    """

    HIT = "hit"
    GIVEN = "given"
    MISSED = "missed"
    TIMED_OUT = "timed-out"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class StepHits:
    """Where one landmark matched in one step's observation.

    ``spans`` are (start, end) offsets in code points of the raw observation, end exclusive, in order, never
    overlapping, at most ``MAX_SPANS``; ``more`` counts the matches beyond.
    """

    step: int
    spans: tuple[tuple[int, int], ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class LandmarkResult:
    """One landmark of a task in one attempt; ``number`` counts from 1 in the task's order."""

    number: int
    pattern: str
    status: LandmarkStatus
    hits: tuple[StepHits, ...] = ()

    @property
    def first_step(self) -> int | None:
        """The number of the first step with a hit."""
        return self.hits[0].step if self.hits else None


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value from one scorer.

    ``value`` is in [0, 1], or None: then ``reason`` is empty where the metric does not apply to the task
    (no gold, no landmarks, no script) or to an answer without a trajectory, and says what went wrong where it
    does.
    """

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """Every metric of one attempt from one scorer, with its version (a change of rules is a new one)."""

    scorer: str
    version: str
    scores: dict[Metric, Score]


@dataclass(frozen=True, slots=True)
class Scoring:
    """All that scoring says of one attempt: a card for each scorer, and the landmarks as the pages show them.

    ``landmarks`` carries the default scorer's statuses; the hits are the same for every scorer.
    """

    cards: tuple[ScoreCard, ...]
    landmarks: tuple[LandmarkResult, ...] = field(default=())


REPORTED = "reported"
BOARD = "board"
"""The figures a board shows unasked: computed where our scorer covers as many tasks as were reported."""
