"""Answers without trajectories."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import Ending, Trajectory
from leaderboard.formats import Sample, list_samples, open_file, read
from leaderboard.formats.answers import Answer, read_answers
from tests.formats.frameworks import output_line, run, v0_events
from tests.formats.samples import act, as_bytes, history

TWO = [{"task_id": "a", "answer": {"x": 1}}, {"task_id": "b", "answer": None, "attempt": 2}]


def lines(*items: Any) -> bytes:
    return b"\n".join(as_bytes(item) for item in items)


def problems(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        read_answers(data, name="answers.json")
    assert all(problem.file == "answers.json" and problem.remedy for problem in caught.value.problems)
    return [(problem.place, problem.reason) for problem in caught.value.problems]


def test_answers_are_read_from_a_list_from_lines_and_from_one_object() -> None:
    assert read_answers(as_bytes(TWO), name="f") == (
        Answer("a", None, {"x": 1}, "$[0]"),
        Answer("b", 2, None, "$[1]"),
    )
    assert [answer.place for answer in read_answers(lines(*TWO), name="f")] == ["line 1", "line 2"]
    assert read_answers(as_bytes(TWO[0]), name="f") == (Answer("a", None, {"x": 1}, "$"),)


def test_each_answer_is_a_sample_without_steps() -> None:
    assert list_samples(lines(*TWO), name="f") == (Sample("line 1", "a", None), Sample("line 2", "b", 2))
    assert list_samples(as_bytes(TWO), name="f")[1] == Sample("item 2", "b", 2)
    assert read(as_bytes(TWO), name="f", sample="item 1") == Trajectory(
        steps=(), format="answers", answer={"x": 1}, ending=Ending.SUBMITTED
    )
    assert read(lines(*TWO), name="f", sample="line 2").answer is None


@pytest.mark.parametrize(
    ("data", "holds"),
    [
        (as_bytes(TWO), True),
        (lines(*TWO), True),
        (as_bytes(TWO[0]), True),
        (as_bytes([{"task_id": "a"}]), True),
        (as_bytes(history(act("submit"))), False),
        (as_bytes({**history(act("submit")), "task_id": "a", "answer": 1}), False),
        (lines(output_line(v0_events(run("ls"))), output_line(v0_events(run("ls")))), False),
        (b"[]", False),
    ],
)
def test_a_file_of_answers_is_told_from_trajectories(data: bytes, holds: bool) -> None:
    assert open_file(data, name="f").holds_answers is holds


def test_an_answer_given_twice_names_both_places() -> None:
    again = {"task_id": "a", "answer": 2, "attempt": 1}
    assert problems(lines(*TWO, again)) == [("line 3", "a, attempt 1, already has an answer at line 1")]
    assert read_answers(lines(*TWO, {**again, "attempt": 2}), name="f")[2].attempt == 2


def test_every_wrong_answer_is_named() -> None:
    wrong = [
        {"task_id": "a", "answer": 1},
        3,
        {"task_id": "", "answer": 1},
        {"task_id": 7, "answer": 1},
        {"task_id": "b"},
        {"task_id": "c", "answer": 1, "attempt": 0},
        {"task_id": "c", "answer": 1, "attempt": True},
    ]
    assert problems(as_bytes(wrong)) == [
        ("$[1]", "the answer is a number, not an object"),
        ("$[2].task_id", "the task's id is empty, not a text"),
        ("$[3].task_id", "the task's id is a number, not a text"),
        ("$[4]", "there is no answer to b"),
        ("$[5].attempt", "the attempt is 0, not a whole number from 1 to 9,999"),
        ("$[6].attempt", "the attempt is true, not a whole number from 1 to 9,999"),
    ]
    assert problems(lines({"task_id": "a"}, wrong[2])) == [
        ("line 1, $", "there is no answer to a"),
        ("line 2, $.task_id", "the task's id is empty, not a text"),
    ]


def test_a_file_of_something_else_is_refused() -> None:
    for data in (as_bytes(history(act("submit"))), b"[]", b"3"):
        with pytest.raises(InputError, match="not a file of answers"):
            read_answers(data, name="f")


def test_an_answer_that_nests_too_deeply_ends_alone() -> None:
    file = open_file(
        b'{"task_id": "a", "answer": %s}\n{"task_id": "b", "answer": 1}' % (b"[" * 101 + b"]" * 101), name="f"
    )

    with pytest.raises(InputError, match=r"f, line 1, answer: lists or objects nest too deeply"):
        file.read("line 1")
    assert file.read("line 2").answer == 1


def test_numbers_that_match_nothing_are_noted() -> None:
    trajectory = read(b'{"task_id": "a", "answer": NaN}', name="f")
    assert trajectory.warnings[0].place == "$.answer"


def test_a_wrong_answer_read_alone_is_refused_at_its_place() -> None:
    with pytest.raises(InputError) as caught:
        read(as_bytes([*TWO, {"task_id": 3, "answer": 1}]), name="f", sample="item 3")
    assert caught.value.problem.place == "$[2], $.task_id"
