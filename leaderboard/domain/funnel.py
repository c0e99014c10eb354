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
        stopped: attempts that hit this landmark and no later one.
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
    """The landmarks in order, over so many ``attempts``, of which ``none_hit`` hit none."""

    attempts: int
    none_hit: int
    stages: tuple[Stage, ...]


def last_hit(statuses: Mapping[int, str]) -> int:
    """The highest number of a landmark that an attempt hit by itself; 0 for none."""
    return max((number for number, status in statuses.items() if status == LandmarkStatus.HIT), default=0)


def landmark_funnel(attempts: Sequence[Mapping[int, str]], landmarks: int) -> Funnel:
    """The funnel of attempts, each with its status by landmark, from 1 to ``landmarks``.

    An attempt in which no landmark was looked for counts nowhere.
    """
    looked = [
        {number: status for number, status in statuses.items() if number <= landmarks}
        for statuses in attempts
    ]
    looked = [statuses for statuses in looked if statuses]
    last = [last_hit(statuses) for statuses in looked]
    return Funnel(len(looked), last.count(0), tuple(_stage(n, looked, last) for n in range(1, landmarks + 1)))


def _stage(number: int, attempts: Sequence[Mapping[int, str]], last: Sequence[int]) -> Stage:
    found = [statuses.get(number, "") for statuses in attempts]
    hit = found.count(LandmarkStatus.HIT)
    return Stage(
        number=number,
        hit=hit,
        searched=hit + found.count(LandmarkStatus.MISSED),
        given=found.count(LandmarkStatus.GIVEN),
        stopped=last.count(number),
    )
