"""A folder is checked: what was read, what was found in it, and the report of it all."""

from __future__ import annotations

import json
import signal
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard import formats
from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import Step, StepKind, Trajectory
from leaderboard.intake.check import check_folder, read_all
from leaderboard.intake.description import Description
from leaderboard.intake.examine import MAX_SECRETS, examine
from leaderboard.intake.findings import Severity, Verdict
from leaderboard.intake.layout import list_files
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import Report
from leaderboard.intake.survey import survey
from tests.intake.folders import KNOWN_TASKS, trajectory, write, write_file

KEY = "gh" + "p_9aK2mQ7xW4vN8rT1yB6cZ3dF5gH0jL9sP2eU"


def check(folder: Path, **options: object) -> Report:
    return check_folder(folder, name="results.zip", known_tasks=KNOWN_TASKS, **options)  # type: ignore[arg-type]


def told(report: Report) -> dict[str, list[tuple[str, str]]]:
    """By file: severity and sentence of each finding."""
    return {
        line.name: [(finding.severity.value, str(finding.problem)) for finding in line.findings]
        for line in report.files
    }


def step(number: int, *, action: str = "ls", thought: str = "", observation: str = "") -> Step:
    return Step(number, StepKind.EXECUTE, "execute", action, thought=thought, observation=observation)


def test_a_sound_folder_has_no_findings(tmp_path: Path) -> None:
    report = check(write(tmp_path, "cet/history.json", "amos/history.json"))

    assert [(line.verdict, line.format) for line in report.files] == [
        (Verdict.USED, "SUPER history.json")
    ] * 2
    assert told(report) == {"amos/history.json": [], "cet/history.json": []}


def test_what_can_not_be_read_is_refused_and_the_rest_used(tmp_path: Path) -> None:
    write_file(tmp_path, "cet/history.json", b'{"query": "", "history": [')
    write_file(tmp_path, "conv_graph/metrics.json", {"output_match": 7})

    report = check(write(tmp_path, "amos/history.json"))

    assert [line.task_id for line in report.attempts] == ["amos"]
    assert "cet/history.json, line 1, column 27" in told(report)["cet/history.json"][0][1]
    assert "conv_graph/metrics.json, $.output_match" in told(report)["conv_graph/metrics.json"][0][1]


def test_a_secret_is_found_with_step_and_part() -> None:
    found = examine(
        Trajectory(steps=(step(1), step(2, observation=f"token {KEY}", thought=KEY)), format="x", answer=1),
        name="cet.json",
    )

    assert [(finding.severity, str(finding.problem.place)) for finding in found] == [
        (Severity.WARNING, "step 2, thought"),
        (Severity.WARNING, "step 2, observation"),
    ]
    assert KEY not in str(found)


@pytest.mark.parametrize("part", ["query", "prompt"])
def test_secrets_outside_of_steps_are_found(part: str) -> None:
    found = examine(Trajectory(steps=(step(1),), format="x", answer={"k": [KEY]}, **{part: KEY}), name="x")  # type: ignore[arg-type]

    assert [str(finding.problem.place) for finding in found] == [part, "answer"]


def test_many_secrets_are_counted() -> None:
    steps = tuple(step(n, action=KEY) for n in range(1, MAX_SECRETS + 4))

    found = examine(Trajectory(steps=steps, format="x", answer=1), name="x")

    assert len(found) == MAX_SECRETS + 1
    assert str(found[-1].problem.reason) == "3 more secrets are not listed"


def test_secrets_beyond_the_listed_ones_take_no_memory() -> None:
    def peak(number: int) -> int:
        attempt = Trajectory(steps=(step(1, action=KEY),) * number, format="x", answer=1)
        tracemalloc.start()
        examine(attempt, name="x")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(20 * MAX_SECRETS) < 2 * peak(2 * MAX_SECRETS)


def test_a_missing_answer_is_noted_and_a_trajectory_without_steps_warned_of() -> None:
    without_answer = examine(Trajectory(steps=(step(1),), format="x"), name="x")
    without_steps = examine(Trajectory(steps=(), format="x"), name="x")
    answer_alone = examine(Trajectory(steps=(), format="answers", answer=None), name="x")

    assert [finding.severity for finding in without_answer] == [Severity.NOTE]
    assert [finding.severity for finding in without_steps] == [Severity.WARNING]
    assert answer_alone == ()


def test_what_a_format_found_odd_is_noted() -> None:
    odd = Problem("x", "$.history[0]", "odd")

    found = examine(Trajectory(steps=(step(1),), format="x", answer=1, warnings=(odd,)), name="x")

    assert [(finding.severity, finding.problem) for finding in found] == [(Severity.NOTE, odd)]


def test_answers_need_no_trajectories(tmp_path: Path) -> None:
    write_file(
        tmp_path,
        "answers.jsonl",
        '{"task_id": "cet", "answer": {"a": 1}}\n{"task_id": "Amos", "answer": null}\n',
    )

    report = check(tmp_path)

    assert [(line.task_id, line.sample, line.format, line.matched_by) for line in report.attempts] == [
        ("cet", "line 1", "answers", "id"),
        ("amos", "line 2", "answers", "id"),
    ]


def test_a_file_of_several_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.loads(trajectory(name, task_id=name)) for name in ("cet", "amos", "conv_graph")]
    write_file(tmp_path, "output.jsonl", "\n".join(map(json.dumps, lines)))
    opened: list[str] = []
    real = formats.open_file

    def counted(data: bytes, *, name: str, max_bytes: int) -> object:
        opened.append(name)
        return real(data, name=name, max_bytes=max_bytes)

    monkeypatch.setattr(formats, "open_file", counted)

    assert len(check(tmp_path).attempts) == 3
    assert opened.count("output.jsonl") == 2, "once to list it, once to read it"


def test_form_and_files_describe_it_together(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.yaml", "agent: A\nmodel: M\n")

    report = check(write(tmp_path, "cet/history.json"), form=Description(model="M2"))

    assert report.description == Description(benchmark="super", task_set="expert", agent="A", model="M2")
    assert report.description.missing == ()


def test_the_report_counts(tmp_path: Path) -> None:
    write_file(tmp_path, "notes.txt", "")
    write(tmp_path, "cet/1.json", "cet/2.json", "nosuchtask.traj")
    left_out = [Problem("../x", "", "left out")]

    report = check(tmp_path, left_out=left_out)

    assert report.totals == {
        "files": 5, "used": 2, "passed_over": 1, "refused": 2, "attempts": 2, "tasks_tried": 1, "tasks": 3,
        "errors": 2, "warnings": 0, "notes": 0,
    }  # fmt: skip


def test_the_report_is_json_by_names_that_stay(tmp_path: Path) -> None:
    data = json.loads(json.dumps(check(write(tmp_path, "cet/history.json", "x.traj")).as_data()))

    assert list(data) == [
        "version",
        "name",
        "task_set",
        "description",
        "missing",
        "totals",
        "findings",
        "files",
    ]
    assert data["files"][0] == {
        "name": "cet/history.json",
        "size": (tmp_path / "cet/history.json").stat().st_size,
        "verdict": "used",
        "sample": "",
        "format": "SUPER history.json",
        "task": "cet",
        "attempt": 1,
        "matched_by": "folder",
        "findings": [],
    }
    assert data["files"][1]["findings"][0]["severity"] == "error"


def test_workers_find_the_same(tmp_path: Path) -> None:
    names = [f"run_{n}/{task}/history.json" for n in range(1, 5) for task in ("cet", "amos", "conv_graph")]
    write_file(tmp_path, "x/cet/9/history.json", b"{")

    report = check(write(tmp_path, *names))

    assert len(report.attempts) == 12
    assert report.count(Severity.ERROR) == 1


def test_a_fault_of_ours_keeps_no_other_file_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: object, _sample: str) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(formats.File, "read", fail)

    report = check(write(tmp_path, "cet/history.json"))

    assert (
        "reading it failed unexpectedly (ZeroDivisionError) (this is a bug"
        in told(report)["cet/history.json"][0][1]
    )


class KillsItsReader(str):
    """A name that can't be sent to a process without it being killed."""

    def __reduce__(self) -> tuple[object, ...]:
        return (signal.raise_signal, (signal.SIGKILL.value,))


def test_a_file_whose_reader_is_killed_is_an_error_and_the_others_are_read(tmp_path: Path) -> None:
    names = [f"cet/attempt_{n}/history.json" for n in range(1, 10)]
    files = survey(list_files(write(tmp_path, *names)), name="results.zip", known_tasks=KNOWN_TASKS)
    attempts = [
        replace(attempt, name=KillsItsReader(attempt.name)) if attempt.number == 4 else attempt
        for attempt in files.attempts
    ]

    readings = {attempt.number: reading for attempt, reading in read_all(attempts, Reader(workers=2))}

    ((finding,),) = [reading.findings for number, reading in readings.items() if number == 4]
    assert "was killed" in finding.problem.reason
    assert [number for number, reading in sorted(readings.items()) if reading.format_name] == [
        1,
        2,
        3,
        5,
        6,
        7,
        8,
        9,
    ]
