"""Answers that lie beside trajectories belong to them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from leaderboard.domain.trajectory import MISSING, Ending, Trajectory
from leaderboard.formats.answers import GivenAnswer
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.check import check_folder
from leaderboard.intake.findings import FileReport
from leaderboard.intake.report import Report
from tests.formats.frameworks import atif, atif_step
from tests.formats.samples import act, as_bytes, history
from tests.intake.folders import KNOWN_TASKS, trajectory, write_file

UNANSWERED = as_bytes(atif(atif_step(("bash", {"command": "ls"}, "x"))))


def check(folder: Path, **files: Any) -> Report:
    for name, content in files.items():
        write_file(folder, name, content)
    return check_folder(folder, name="results.zip", known_tasks=KNOWN_TASKS)


def line_of(report: Report, name: str, sample: str = "") -> FileReport:
    return next(line for line in report.files if (line.name, line.sample) == (name, sample))


def said(line: FileReport) -> list[tuple[str, str]]:
    return [(found.severity.value, str(found.problem.reason)) for found in line.findings]


def test_an_answer_joins_the_trajectory_that_has_none(tmp_path: Path) -> None:
    report = check(
        tmp_path,
        **{
            "cet/trajectory.json": UNANSWERED,
            "amos.json": trajectory(2),
            "answers.jsonl": b'{"task_id": "cet", "answer": 1}\n{"task_id": "conv_graph", "answer": 3}\n',
        },
    )

    assert said(line_of(report, "cet/trajectory.json")) == [
        ("note", "the answer is from answers.jsonl, line 1")
    ]
    line = line_of(report, "answers.jsonl", "line 1")
    assert (line.verdict, line.task_id) == ("used", "")
    assert said(line) == [("note", "the answer to cet, attempt 1, for cet/trajectory.json")]
    assert line_of(report, "answers.jsonl", "line 2").task_id == "conv_graph"
    assert report.totals["attempts"] == 3
    assert report.totals["errors"] == 0


@pytest.mark.parametrize("name", ["answers.json", "cet/answers.json", "run/answers.jsonl"])
def test_a_file_of_answers_can_lie_anywhere(tmp_path: Path, name: str) -> None:
    files = {"cet/trajectory.json": UNANSWERED, name: b'{"task_id": "cet", "answer": 1}'}
    report = check(tmp_path, **files, **{"cet/metrics.json": b'{"output_match": 1}'})
    assert [line.name for line in report.attempts] == ["cet/trajectory.json"]
    assert line_of(report, name).verdict == "used"


def test_answers_keep_apart_the_attempts_that_they_number(tmp_path: Path) -> None:
    # Folders count from 0 here, and answers from 1 as they always do.
    report = check(
        tmp_path,
        **{
            "cet/attempt_0/trajectory.json": UNANSWERED,
            "cet/attempt_1/trajectory.json": as_bytes(atif(atif_step(("bash", {"command": "pwd"}, "x")))),
            "answers.json": [
                {"task_id": "cet", "attempt": 2, "answer": "b"},
                {"task_id": "cet", "answer": "a"},
            ],
        },
    )
    assert [(line.name, line.number, str(line.findings[0].problem.reason)) for line in report.attempts] == [
        ("cet/attempt_0/trajectory.json", 1, "the answer is from answers.json, item 2"),
        ("cet/attempt_1/trajectory.json", 2, "the answer is from answers.json, item 1"),
    ]


def test_an_answer_of_its_own_counts_and_another_one_is_warned_of(tmp_path: Path) -> None:
    report = check(
        tmp_path,
        **{
            "cet/history.json": trajectory(1),
            "amos/history.json": trajectory(2),
            "answers.json": [
                {"task_id": "cet", "answer": {"a": 1.0}},
                {"task_id": "amos", "answer": {"a": 3}},
            ],
        },
    )
    assert said(line_of(report, "cet/history.json")) == [
        ("note", "the same answer is also at answers.json, item 1")
    ]
    (finding,) = line_of(report, "amos/history.json").findings
    assert str(finding.problem) == (
        "amos/history.json, answer: its answer differs from the one at answers.json, item 2; "
        "the trajectory's own counts (remove the wrong answer)"
    )
    assert finding.severity == "warning"


def test_two_answers_to_one_trajectory_are_rivals_still(tmp_path: Path) -> None:
    answer = b'{"task_id": "cet", "answer": 1}'
    files = {"cet/trajectory.json": UNANSWERED, "answers.json": answer, "run/answers.jsonl": answer}
    assert {line.verdict.value for line in check(tmp_path, **files).files} == {"refused"}


def test_an_answer_that_can_not_be_read_leaves_the_trajectory_as_it_is(tmp_path: Path) -> None:
    files = {
        "cet/trajectory.json": UNANSWERED,
        "answers.json": b'{"task_id": "cet", "answer": 1, "attempt": 0}',
    }
    report = check(tmp_path, **files)
    assert [line.name for line in report.attempts] == ["cet/trajectory.json"]
    assert said(line_of(report, "answers.json")) == [
        ("error", "the attempt is 0, not a whole number from 1 to 9,999")
    ]


def test_the_answer_ends_the_trajectory_as_submitted() -> None:
    stopped = Trajectory((), "atif", ending=Ending.COST)
    joined, findings = with_answer(stopped, GivenAnswer("cet", '{"a": 1}', "answers.json"), name="t.json")
    assert (joined.answer, joined.ending, findings) == ({"a": 1}, Ending.SUBMITTED, ())
    assert [str(warning) for warning in joined.warnings] == ["t.json: the answer is from answers.json"]


def test_null_beside_a_trajectory_says_that_there_is_no_answer() -> None:
    stopped = Trajectory((), "atif", ending=Ending.COST)
    assert with_answer(stopped, GivenAnswer("cet", "null", "answers.json"), name="t.json") == (stopped, ())
    assert stopped.answer is MISSING


def test_nan_is_the_same_answer_as_nan_and_matches_no_gold() -> None:
    given = GivenAnswer("cet", '{"a": NaN}', "answers.json", "item 1")
    _own, (finding,) = with_answer(Trajectory((), "x", answer={"a": math.nan}), given, name="t.json")
    assert finding.severity == "note"
    joined, _findings = with_answer(Trajectory((), "x"), given, name="t.json")
    assert "matches nothing" in joined.warnings[-1].reason


def test_a_given_answer_is_kept_as_a_file_of_one_answer() -> None:
    given = GivenAnswer("cet", '{"a": "\\ud800"}', "run 1/answers.jsonl", "line 3")
    assert GivenAnswer.from_bytes(given.as_bytes()) == given


def test_the_note_on_a_missing_answer_says_where_to_give_it(tmp_path: Path) -> None:
    report = check(tmp_path, **{"cet.json": as_bytes(history(act("execute")))})
    (finding,) = line_of(report, "cet.json").findings
    assert finding.problem.remedy == "if there is one, give it in answers.json"
