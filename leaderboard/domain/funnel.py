"""How far attempts at a task came, landmark by landmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.domain.scores import LandmarkStatus


@dataclass(frozen=True, slots=True)
class Stage:
    """One landmark over all attempts.

    Attributes:
        hit: attempts that hit it by themselves.
        searched: attempts that hit or missed it. Of the others it is not known, or it was given.
        given: attempts in which a pre-executed cell hit it.
        stopped: attempts that failed, and of whose landmarks this is the first that they missed.
    """

    number: int
    hit: int
    searched: int
    given: int
    stopped: int

    @property
    def share(self) -> float | None:
        """The share of the attempts that could hit it; None without one."""
        return self.hit / self.searched if self.searched else None

    @property
    def percent(self) -> str:
        """The share in percent, to one decimal; empty without one."""
        return "" if self.share is None else f"{100 * self.share:.1f}"


@dataclass(frozen=True, slots=True)
class Funnel:
    """The landmarks in order, over the ``attempts`` in which some were looked for."""

    attempts: int
    stages: tuple[Stage, ...]


def first_missed(statuses: Mapping[int, str]) -> int | None:
    """The number of the landmark that an attempt stops at, if it failed; None where it missed none."""
    missed = (number for number, status in statuses.items() if status == LandmarkStatus.MISSED)
    return min(missed, default=None)


def landmark_funnel(attempts: Sequence[tuple[Mapping[int, str], bool]], landmarks: int) -> Funnel:
    """The funnel of attempts, each with its status by landmark, from 1 to ``landmarks``, and if it is solved.

    An attempt in which no landmark was looked for counts nowhere, and a solved one stops nowhere.
    """
    looked = [(statuses, solved) for statuses, solved in attempts if statuses]
    stops = [first_missed(statuses) for statuses, solved in looked if not solved]
    stages = [
        _stage(n, [statuses.get(n, "") for statuses, _ in looked], stops) for n in range(1, landmarks + 1)
    ]
    return Funnel(len(looked), tuple(stages))


def _stage(number: int, found: Sequence[str], stops: Sequence[int | None]) -> Stage:
    hit = found.count(LandmarkStatus.HIT)
    return Stage(
        number=number,
        hit=hit,
        searched=hit + found.count(LandmarkStatus.MISSED),
        given=found.count(LandmarkStatus.GIVEN),
        stopped=stops.count(number),
    )
