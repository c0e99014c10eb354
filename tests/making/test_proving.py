"""A cut task is proved by its execution alone; what fails is named with its cell and its output's end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING
from runner.making import proving
from runner.making.cutting import CutTask
from runner.making.proving import PROBE, Proof, prove, read_answer
from runner.making.solutions import Cell
from runner.sandbox.fake import FakeSandbox, Reply

GOLD = {"loss": 0.512345, "rows": 7}
PATTERNS = {"loss": r"loss ([\d.]+)", "rows": r"(\d+) rows"}
RIGHT: Mapping[str, Reply] = {
    "setup": Reply(("ready\n",)),
    "!python train.py": Reply(("loss 0.9\n", "loss 0.5123\r\n", "\x1b[1m7 rows\x1b[0m\n")),
    PROBE: Reply(("0\n",)),
}
EDIT = "a.py\n<<<BEFORE_EDIT>>>\nx\n<<<AFTER_EDIT>>>\ny"


def proof(
    *,
    prefix: tuple[Cell, ...] = (Cell(1, "execute", "setup"),),
    may_fail: tuple[int, ...] = (),
    landmarks: tuple[str, ...] = (),
    **replies: Reply,
) -> Proof:
    """Prove a task, with other replies of the fake kernel where they are given."""
    named = {"train": "!python train.py", "setup": "setup", "probe": PROBE}
    script = {**RIGHT, **{named[name]: reply for name, reply in replies.items()}}
    spec = TaskSpec(task_id="pet_data", gold=GOLD, landmarks=landmarks)
    solution = (Cell(2, "execute", "!python train.py"),)
    task = CutTask({}, spec, prefix, solution, PATTERNS, frozenset(may_fail))
    sandbox = FakeSandbox(script)
    return prove(task, sandbox, prepare=lambda started: started.write_file("a.py", b"x\n"), seconds=0.3)


def test_a_task_is_proved_where_the_prefix_runs_and_the_solution_prints_gold() -> None:
    assert proof().problem == ""


@pytest.mark.parametrize(
    ("replies", "problem"),
    [
        (
            {"setup": Reply(("no disk\n",), error=True)},
            "cell 1 (pre-executed): it raised an exception\n    no disk",
        ),
        ({"setup": Reply(dies="It was killed.")}, "cell 1 (pre-executed): the kernel died"),
        ({"setup": Reply(seconds=1e9)}, "cell 1 (pre-executed): it did not end in time (--seconds)"),
        (
            {"setup": Reply(("Traceback (most recent call last):\nKeyError: 1\n",))},
            "cell 1 (pre-executed): there is a traceback in its output\n    Traceback",
        ),
        (
            {"probe": Reply(("2\n",))},
            "cell 2 (of the solution): its last shell command ended with the status 2",
        ),
        ({"setup": Reply(("loss 0.512\n7 rows",))}, "the pre-executed cells print the gold answer already"),
        (
            {"train": Reply(("loss 0.9\n",))},
            "the solution does not give the gold answer: loss is printed as '0.9'; "
            "rows is not printed, or not where answer_from looks",
        ),
    ],
)
def test_a_task_is_not_proved_otherwise_and_it_is_said_why(replies: Any, problem: str) -> None:
    found = proof(**replies).problem

    assert found.startswith(problem)
    assert "0.512345" not in found


def test_edits_are_made_and_one_that_can_t_be_is_a_failure() -> None:
    assert proof(prefix=(Cell(1, "edit", EDIT),)).problem == ""

    failed = proof(prefix=(Cell(1, "edit", EDIT.replace("\nx\n", "\nz\n")),)).problem
    assert failed.startswith("cell 1 (pre-executed): the edit was not made\n")


def test_a_cell_can_be_said_to_fail_on_purpose_but_not_to_kill_the_kernel() -> None:
    assert proof(may_fail=(1,), setup=Reply(("No CUDA\n",), error=True)).problem == ""
    assert "the kernel died" in proof(may_fail=(1,), setup=Reply(dies="It was killed.")).problem


def test_a_landmark_that_the_solution_does_not_print_is_noted() -> None:
    assert proof(landmarks=("ready", "loss", "epoch 5")).notes == [
        "landmark 3 is missed: the solution does not print it"
    ]


def test_an_output_can_t_write_into_the_operator_s_terminal() -> None:
    shown = proof(setup=Reply(("\x1b]0;owned\x07" + "a" * 1_000 + "\u202e\n",), error=True)).problem

    assert all(character.isprintable() or character == "\n" for character in shown)
    assert len(shown) < 500


@pytest.mark.parametrize(
    ("patterns", "text", "answer"),
    [
        (r"loss ([\d.]+)", "loss 0.9\nloss 0.5", 0.5),
        (r"result: (.*)", "result: {'a': [1, 2.5]}", {"a": [1, 2.5]}),
        (r"best is (\w+)", "best is bert", "bert"),
        (r"\d+ rows", "7 rows", "7 rows"),
        ([r"a (\d)", r"b (\d)"], "a 1 b 2", [1, 2]),
        (r"loss", "nothing", MISSING),
    ],
)
def test_an_answer_is_read_where_the_description_says(patterns: Any, text: str, answer: Any) -> None:
    assert read_answer(patterns, [text]) == answer


def test_an_expression_without_end_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "SEARCH_SECONDS", 0.05)

    assert read_answer(r"(x+x+)+y", ["x" * 5_000]) is MISSING
