"""The time strip: a bar for each step, as wide as it took, and the same in words."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from leaderboard.domain.trajectory import StepKind
from leaderboard.rendering.model import OutlineItem
from leaderboard.rendering.names import GROUPS, KIND_GROUPS
from leaderboard.rendering.palette import Colour, contrast
from leaderboard.rendering.standalone import STYLESHEET
from leaderboard.rendering.strip import MOST_BARS, WIDTH, time_strip

HEAD = (STYLESHEET.parent / "head.css").read_text(encoding="utf-8")
PAPER = re.search(r"--paper: light-dark\((#\w+), (#\w+)\)", (STYLESHEET.parent / "site.css").read_text())


def item(
    number: int,
    duration: float | None = None,
    kind: StepKind = StepKind.EXECUTE,
    marks: tuple[str, ...] = (),
    landmarks: tuple[int, ...] = (),
) -> OutlineItem:
    return OutlineItem(number, kind, f"!run {number}", duration, marks, landmarks)


def colour(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def test_a_step_that_took_longer_has_a_wider_bar_and_no_step_is_lost() -> None:
    strip = time_strip([item(1, 60.0), item(2, 0.0), item(3, None), item(4, 20.0)])

    long, instant, unknown, short = strip.bars
    assert long.width > short.width > instant.width == unknown.width > 0
    assert [bar.timed for bar in strip.bars] == [True, True, False, True]
    assert strip.bars[0].x == 0
    assert all(one.x + one.width == next_.x for one, next_ in pairwise(strip.bars))
    assert short.x + short.width == WIDTH


@pytest.mark.parametrize("duration", [None, 0.0, float("inf"), float("nan")])
def test_without_durations_all_bars_are_equal(duration: float | None) -> None:
    strip = time_strip([item(number, duration) for number in range(1, 5)])

    assert [bar.width for bar in strip.bars] == [WIDTH // 4] * 4


def test_a_bar_says_in_words_what_it_shows() -> None:
    (bar, *_rest) = time_strip([item(1, 63.0, marks=("error",), landmarks=(2, 3)), item(2)]).bars

    assert bar.label == "Step 1, execute !run 1, 1 min 3 s, error, landmarks 2 and 3"
    assert (bar.failed, bar.landmarks) == (True, (2, 3))


def test_an_attempt_of_many_steps_has_a_limited_number_of_bars() -> None:
    steps = [item(n, 1.0, StepKind.EDIT if n % 3 else StepKind.EXECUTE) for n in range(1, 1_001)]
    steps[499] = item(500, 90.0, marks=("timeout",), landmarks=(1,))

    strip = time_strip(steps)

    assert len(strip.bars) <= MOST_BARS
    bar = next(bar for bar in strip.bars if bar.landmarks)
    assert bar.label == "Steps 496 to 504, mostly execute, 1 min 38 s, timeout, landmark 1"
    assert (bar.first, bar.group, bar.failed) == (496, "execute", True)


def test_the_longest_steps_and_the_failures_are_named() -> None:
    strip = time_strip(
        [item(1, 5.0), item(2, 70.0, marks=("error", "timeout")), item(3, 0.0), item(4, kind=StepKind.SUBMIT)]
    )

    assert strip.longest == ((2, 70.0), (1, 5.0))
    assert (strip.failures, strip.seconds, strip.groups) == (1, 75.0, ("execute", "submit"))


def test_no_steps_give_no_strip() -> None:
    assert time_strip([]).bars == ()


def test_each_kind_has_a_colour_that_is_seen_in_both_themes() -> None:
    assert set(KIND_GROUPS) == set(StepKind)
    assert set(KIND_GROUPS.values()) == set(GROUPS)
    colours = dict(re.findall(r"--kind-(\w+): light-dark\(([^)]+)\)", HEAD))
    assert set(colours) == set(GROUPS)
    assert PAPER is not None
    for pair in colours.values():
        for ink, paper in zip(pair.split(", "), PAPER.groups(), strict=True):
            assert contrast(colour(ink), colour(paper)) >= 3


@pytest.mark.parametrize("claimed", [1e308, float("inf"), float("nan"), -1.0])
def test_a_duration_that_cannot_be_true_counts_as_unknown(claimed: float) -> None:
    strip = time_strip([item(n, claimed if n % 2 else 2.0) for n in range(2 * MOST_BARS)])

    assert strip.seconds == 2.0 * MOST_BARS
    assert sum(bar.width for bar in strip.bars) == WIDTH
