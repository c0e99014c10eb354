"""The time strip: a bar for each step of an attempt, as wide as the step took, in one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import Protocol

from leaderboard.domain.durations import duration_text
from leaderboard.domain.text import plural
from leaderboard.rendering.names import KIND_GROUPS, KINDS, MARKS, shown_marks

WIDTH = 10_000
"""Units from the first bar's start to the last one's end."""
EQUAL_SHARE = 0.35
"""So much of the width is divided equally, so that a step of no time can be seen and clicked."""
MOST_BARS = 120
"""Longer attempts have several steps in a bar: the page has a limited number of elements."""
MOST_SECONDS = 1e12
"""A longer step counts as one of unknown duration: sums stay numbers."""
LONGEST = 3
"""How many of the longest steps the text names."""
FAILURES = ("error", "timeout", "format-error")


class TimedStep(Protocol):
    """What the strip reads of a step: a row of the outline, stored or not."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def duration(self) -> float | None: ...
    @property
    def marks(self) -> Sequence[str]: ...
    @property
    def landmarks(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, from ``x`` on; ``group`` of kinds gives its colour, ``label`` says all that it shows.

    ``timed``: the duration of at least one of its steps is known.
    """

    first: int
    x: int
    width: int
    group: str
    timed: bool
    failed: bool
    landmarks: tuple[int, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Strip:
    """The bars, and the same in words.

    ``longest`` has the longest steps with their durations, ``groups`` the groups of kinds that occur,
    ``failures`` the number of steps with an error or a timeout. ``seconds`` is None where no duration is
    known.
    """

    bars: tuple[Bar, ...]
    longest: tuple[tuple[int, float], ...]
    groups: tuple[str, ...]
    failures: int
    seconds: float | None

    @property
    def has_landmarks(self) -> bool:
        return any(bar.landmarks for bar in self.bars)


def time_strip(steps: Sequence[TimedStep]) -> Strip:
    """The strip of an attempt's steps, which are in order. Linear in their number."""
    times = {step.number: _seconds(step) for step in steps if _known(step.duration)}
    seconds = sum(times.values()) if times else None
    longest = sorted(times.items(), key=lambda each: (-each[1], each[0]))[:LONGEST]
    failed = [step for step in steps if any(mark in FAILURES for mark in step.marks)]
    return Strip(
        bars=_bars(steps),
        longest=tuple(each for each in longest if each[1] > 0),
        groups=tuple(name for name in dict.fromkeys(KIND_GROUPS.values()) if name in _groups_of(steps)),
        failures=len(failed),
        seconds=seconds,
    )


def _bars(steps: Sequence[TimedStep]) -> tuple[Bar, ...]:
    if not steps:
        return ()
    size = ceil(len(steps) / MOST_BARS)
    grouped = [steps[start : start + size] for start in range(0, len(steps), size)]
    times = [sum(map(_seconds, group)) for group in grouped]
    whole = sum(times)
    equal = EQUAL_SHARE if whole else 1.0
    shares = [equal / len(grouped) + (1 - equal) * (time / whole if whole else 0) for time in times]
    # Rounded edges, not widths: the last bar then ends where the strip does.
    edges = [0, *(round(WIDTH * edge) for edge in accumulate(shares))]
    return tuple(
        _bar(group, edges[index], edges[index + 1] - edges[index], times[index])
        for index, group in enumerate(grouped)
    )


def _bar(steps: Sequence[TimedStep], x: int, width: int, seconds: float) -> Bar:
    kind = _main_kind(steps)
    timed = any(_known(step.duration) for step in steps)
    marks = [name for name in MARKS if any(name in step.marks for step in steps)]
    landmarks = tuple(sorted({number for step in steps for number in step.landmarks}))
    first, last = steps[0], steps[-1]
    alone = first is last
    said = [
        f"Step {first.number}" if alone else f"Steps {first.number} to {last.number}",
        f"{KINDS[kind]} {first.title[:40]}".strip() if alone else f"mostly {KINDS[kind]}",
        duration_text(seconds) if timed else "duration unknown",
        *(MARKS[name] for name in shown_marks(kind, marks)),
    ]
    if landmarks:
        said.append(plural(len(landmarks), "landmark ", "landmarks ") + " and ".join(map(str, landmarks)))
    return Bar(
        first=first.number,
        x=x,
        width=width,
        group=KIND_GROUPS[kind],
        timed=timed,
        failed=any(name in FAILURES for name in marks),
        landmarks=landmarks,
        label=", ".join(said),
    )


def _main_kind(steps: Sequence[TimedStep]) -> str:
    """The kind that took the most time; of kinds that took the same, the one of most steps."""
    weights: dict[str, tuple[float, int]] = {}
    for step in steps:
        seconds, count = weights.get(step.kind, (0.0, 0))
        weights[step.kind] = seconds + _seconds(step), count + 1
    return max(weights, key=weights.__getitem__)


def _groups_of(steps: Sequence[TimedStep]) -> set[str]:
    return {KIND_GROUPS[step.kind] for step in steps}


def _seconds(step: TimedStep) -> float:
    return step.duration if step.duration is not None and _known(step.duration) else 0.0


def _known(duration: float | None) -> bool:
    return duration is not None and 0 <= duration <= MOST_SECONDS
