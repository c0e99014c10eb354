"""Where an agent repeats itself."""

from __future__ import annotations

import pytest

from leaderboard.domain.repetitions import find_repetitions, repeated_steps
from leaderboard.domain.trajectory import Step, StepKind

SECONDS = "took {} seconds: ModuleNotFoundError: No module named 'torch'"
LONG = " ".join(f"word{n}" for n in range(40))


def steps(*rows: tuple[StepKind, str, str]) -> list[Step]:
    return [Step(n, kind, kind, action, observation=seen) for n, (kind, action, seen) in enumerate(rows, 1)]


def found(*rows: tuple[StepKind, str, str]) -> list[tuple[int, int]]:
    return [(each.first, each.last) for each in find_repetitions(steps(*rows))]


EDIT = (StepKind.EDIT, "edit 1:2\nx = 1", "Your proposed edit was refused")
OTHER = (StepKind.EXECUTE, "!ls", "README.md")


def test_the_same_action_with_the_same_result_is_one_repetition() -> None:
    assert found(OTHER, *[EDIT] * 35, OTHER) == [(2, 36)]
    assert repeated_steps(steps(OTHER, *[EDIT] * 4, OTHER)) == {3, 4, 5}


def test_to_try_once_more_is_no_repetition() -> None:
    assert found(EDIT, EDIT, OTHER, EDIT, EDIT) == []


@pytest.mark.parametrize(
    ("kind", "actions", "results", "is_one"),
    [
        (StepKind.EXECUTE, ["!python x.py"] * 3, [SECONDS.format(n) for n in (1, 22, 3.5)], True),
        (StepKind.EDIT, [f"{LONG} {n}" for n in "abc"], ["refused"] * 3, True),
        (
            StepKind.FORMAT_ERROR,
            ["", "anything", "something else"],
            ["Your output was not formatted"] * 3,
            True,
        ),
        (
            StepKind.EXECUTE,
            [f"{LONG} --lr {n}" for n in (1, 2, 3)],
            [f"loss 0.{n}" for n in (1, 2, 3)],
            False,
        ),
        (StepKind.EXECUTE, [f"{LONG} {n}" for n in "abc"], [""] * 3, False),
        (StepKind.VIEW, ["scroll_down"] * 3, [f"{n * 3}\n{LONG[n * 9 :]}" for n in (1, 9, 20)], False),
        (StepKind.EXECUTE, ["!ls", "!pwd", "!cat a"], [""] * 3, False),
    ],
    ids=[
        "times differ",
        "a word differs",
        "format errors",
        "parameters are tried",
        "nothing is said",
        "scrolling",
        "other commands",
    ],
)
def test_nearly_the_same_counts_where_nothing_new_came_of_it(
    kind: StepKind, actions: list[str], results: list[str], is_one: bool
) -> None:
    rows = [(kind, action, result) for action, result in zip(actions, results, strict=True)]

    assert found(*rows) == ([(1, 3)] if is_one else [])


def test_cells_that_ran_before_the_agent_never_count() -> None:
    given = [Step(n, StepKind.EXECUTE, "", "!ls", observation="", pre_executed=True) for n in (1, 2, 3)]

    assert find_repetitions(given) == []
