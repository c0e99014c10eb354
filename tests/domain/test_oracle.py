"""An attacker who plays a draft's figures as an oracle for gold answers, for a day's budget of checks.

Each gold answer is a number in [0, 1): as numbers match within 0.01, there are 50 guesses to try.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from leaderboard.domain.aggregates import Figure, TaskResult, aggregate
from leaderboard.domain.tasks import MAX_ATTEMPTS
from leaderboard.domain.withheld import FEWEST_TASKS, draft_figures, traceless_groups
from leaderboard.scoring.super.answers import compare_strictly

CHECKS = 20
"""SUPERBOARD_GOLD_CHECKS_PER_DAY."""
GUESSES = [n / 50 for n in range(50)]
WRONG = -1.0
ASKED = "t0"
KNOWN = {f"t{n}": 0.5 for n in range(1, FEWEST_TASKS + 1)}
"""Answers that the attacker knows already."""
CATEGORIES = {f"t{n}": (f"c{n % 4}", "alone") if n == 0 else (f"c{n % 4}",) for n in range(45)}
Figures = Callable[[Sequence[TaskResult]], Mapping[str, Figure]]


def check(gold: float, figures: Figures, guesses: Sequence[float], known: Mapping[str, float]) -> set[float]:
    """All numbers that a draft shows whose attempts at one task are ``guesses``, but for what others say."""

    def shown(values: Sequence[float]) -> dict[str, float | None]:
        results = [
            TaskResult(
                task,
                categories,
                tuple(values) if task == ASKED else (compare_strictly(0.5, known.get(task, WRONG)),),
            )
            for task, categories in CATEGORIES.items()
        ]
        return {name: figure.value for name, figure in figures(results).items()}

    now = shown([compare_strictly(gold, guess) for guess in guesses])
    none_right = shown([0.0] * len(guesses))
    return {1.0 if now[name] != none_right[name] else 0.0 for name in now if now[name] is not None}


def play(gold: float, figures: Figures, known: Mapping[str, float]) -> list[float]:
    """The answers still possible after a day of asking about one task, ten at a time, then by halves."""
    possible = list(GUESSES)
    for _check in range(CHECKS):
        if len(possible) == 1:
            break
        tried = possible[: min(MAX_ATTEMPTS, len(possible) // 2)]
        told = check(gold, figures, tried, known)
        if 1.0 in told:
            possible = tried
        elif told:
            # Ten guesses that count as one rule out no more than the first.
            ruled_out = tried if counts_all(figures) else tried[:1]
            possible = [guess for guess in possible if guess not in ruled_out]
    return possible


def counts_all(figures: Figures) -> bool:
    return (
        figures([TaskResult(f"t{n}", (), (0.0, 1.0)) for n in range(9)])[""].value
        != figures([TaskResult(f"t{n}", (), (0.0, 0.0)) for n in range(9)])[""].value
    )


@pytest.mark.parametrize("gold", GUESSES)
def test_a_day_of_asking_about_a_task_tells_nothing(gold: float) -> None:
    assert play(gold, draft_figures, known={}) == GUESSES


@pytest.mark.parametrize("gold", GUESSES)
def test_the_same_attacker_reads_out_figures_without_these_rules(gold: float) -> None:
    assert play(gold, aggregate, known={}) == [gold]


@pytest.mark.parametrize("gold", GUESSES[CHECKS:])
def test_who_knows_five_answers_tests_one_guess_with_each_check(gold: float) -> None:
    assert len(play(gold, draft_figures, KNOWN)) == len(GUESSES) - CHECKS


def test_a_draft_of_many_tasks_shows_its_accuracy_to_one_decimal() -> None:
    results = [
        TaskResult(f"t{n}", ("data",) if n < 9 else (), (1.0 if n < 5 else 0.0, 1.0)) for n in range(45)
    ]
    figures = draft_figures(results)

    assert figures[""] == Figure(0.111, None, 45, 45, 45)
    assert figures["data"] == Figure(0.556, None, 9, 9, 9)
    assert draft_figures(results[1:])[""].value is None


def test_no_two_figures_of_a_draft_differ_by_a_few_tasks() -> None:
    few = {f"t{n}": ("few",) for n in range(FEWEST_TASKS - 1)}
    rest = {f"u{n}": ("most", "nearly") for n in range(30)}
    odd = {"odd": ("nearly",)}

    assert traceless_groups({**few, **rest}) == {""}
    assert traceless_groups({**{f"v{n}": () for n in range(9)}, **rest, **odd}) == {"", "most"}
