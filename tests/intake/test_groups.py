"""Files that together are one attempt are found, and take the road of one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leaderboard.formats import open_file
from leaderboard.formats.bundles import pack
from leaderboard.intake.check import check_folder
from leaderboard.intake.description import Description
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import Report
from tests.formats.frameworks import atif, atif_step, stored, v1_events
from tests.formats.harbor_jobs import LS, job, result, trial
from tests.formats.samples import as_bytes
from tests.intake.folders import KNOWN_TASKS, found_in, reasons, told, write, write_file

FINISH = ("finish", {"kind": "FinishAction", "message": "0.5"}, None)
JOBS_OWN = ("answers.json", "config.json", "job.log", "result.json")
SET = Description(benchmark="super", task_set="expert", agent="a", model="m")


def conversation(*commands: str, folder: str = "") -> dict[str, bytes]:
    turns = [("terminal", {"kind": "TerminalAction", "command": each}, "ok") for each in commands]
    state = {"agent": {}, "execution_status": "finished"}
    return stored(v1_events(*turns, FINISH), folder=folder, state=state)


def write_all(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        write_file(folder, name, content)
    return folder


def checked(folder: Path, name: str = "results.zip", **reader: Any) -> Report:
    return check_folder(folder, name=name, known_tasks=KNOWN_TASKS, form=SET, reader=Reader(**reader))


def test_a_group_of_files_is_one_attempt_and_its_files_are_not_reported_on(tmp_path: Path) -> None:
    write_all(tmp_path, conversation("ls", folder="run/cet/"))
    write(tmp_path, "run/amos/history.json")
    report = checked(tmp_path)
    assert [(line.name, line.task_id, line.number, line.format) for line in report.files] == [
        ("run/amos/history.json", "amos", 1, "SUPER history.json"),
        ("run/cet", "cet", 1, "OpenHands V1"),
    ]
    assert report.own_findings == ()


def test_attempts_that_are_groups_are_numbered_as_others_are(tmp_path: Path) -> None:
    for number in (1, 2):
        write_all(tmp_path, conversation(f"run {number}", folder=f"cet/attempt_{number}/"))
    assert told(found_in(tmp_path)) == {
        "cet/attempt_1": ("cet", 1, "folder"),
        "cet/attempt_2": ("cet", 2, "folder"),
    }


def test_a_group_without_a_folder_has_the_name_of_the_upload(tmp_path: Path) -> None:
    write_all(tmp_path, conversation("ls"))
    (line,) = checked(tmp_path, name="cet.tar.gz").files
    assert (line.name, line.task_id) == ("cet", "cet")


def test_the_original_of_a_group_can_be_sent_again(tmp_path: Path) -> None:
    files = conversation("ls")
    write_file(tmp_path, "cet/1/cet.zip", pack(files))
    write_file(tmp_path, "amos/other.zip", pack({"a.txt": b"x"}))
    report = checked(tmp_path)
    assert [(line.name, line.verdict.value, line.task_id) for line in report.files] == [
        ("amos/other.zip", "passed over", ""),
        ("cet/1/cet.zip", "used", "cet"),
    ]
    (trajectory,) = found_in(tmp_path).attempts
    data = trajectory.trajectory
    assert data is not None
    assert open_file(data.read_bytes(), name="cet.zip").is_bundle


def test_a_group_keeps_the_scores_and_the_answer_beside_it(tmp_path: Path) -> None:
    write_all(tmp_path, conversation("ls", folder="cet/"))
    write_file(tmp_path, "cet/metrics.json", {"output_match": 0.5})
    write_file(tmp_path, "cet/answers.json", [{"task_id": "cet", "answer": 0.5}])
    (attempt,) = found_in(tmp_path).attempts
    assert attempt.metrics is not None
    assert attempt.metrics.name == "metrics.json"
    assert attempt.answer is not None


def test_the_same_conversation_twice_is_refused(tmp_path: Path) -> None:
    for task in ("cet", "amos"):
        write_all(tmp_path, conversation("ls", folder=f"{task}/"))
    assert reasons(found_in(tmp_path)) == [
        "cet: it has the same bytes as amos (leave it out, or replace it with the right file)"
    ]


def test_a_group_beyond_the_limit_of_a_file_is_refused_with_the_settings_name(tmp_path: Path) -> None:
    write_all(tmp_path, conversation("x" * 2**20, folder="cet/"))
    (line,) = checked(tmp_path, max_bytes=2**20).files
    (finding,) = line.findings
    assert "more than the limit of 1 MB" in finding.problem.reason
    assert "SUPERBOARD_MAX_TRAJECTORY_MB" in finding.problem.remedy


def test_a_group_that_can_not_be_read_harms_no_other(tmp_path: Path) -> None:
    write_all(tmp_path, dict.fromkeys(conversation("ls", folder="cet/"), b"{"))
    write_all(tmp_path, conversation("ls", folder="amos/"))
    report = checked(tmp_path)
    assert [line.verdict.value for line in report.files] == ["used", "refused"]
    assert "the agent took no step" in report.files[1].findings[0].problem.reason


@pytest.mark.parametrize("isolated", [False, True])
def test_groups_are_read_in_other_processes_as_files_are(tmp_path: Path, isolated: bool) -> None:
    write_all(tmp_path, conversation("ls", folder="cet/"))
    (line,) = checked(tmp_path, isolated=isolated, workers=1).files
    assert (line.verdict.value, line.format) == ("used", "OpenHands V1")


def test_a_job_of_harbors_is_one_attempt_a_trial_and_nothing_else(tmp_path: Path) -> None:
    write_all(tmp_path, job())
    write_file(tmp_path, "job/answers.json", [{"task_id": "cet", "attempt": 2, "answer": 0.5}])
    report = checked(tmp_path)
    used = [line for line in report.files if line.format]
    assert [(line.name, line.task_id, line.number, line.matched_by) for line in used] == [
        ("job/amos__ccccccc", "amos", 1, "id"),
        ("job/cet__aaaaaaa", "cet", 1, "id"),
        ("job/cet__bbbbbbb", "cet", 2, "id"),
        ("job/con__ddddddd", "conv_graph", 1, "id"),
    ]
    others = [line for line in report.files if not line.format]
    assert [line.name for line in others] == [f"job/{name}" for name in JOBS_OWN]
    assert not [line for line in others if line.findings and line.name != "job/answers.json"]


def test_a_trials_folder_names_no_task(tmp_path: Path) -> None:
    files = trial({"agent/trajectory.json": as_bytes(atif(atif_step(LS)))}, result("org/stranger", "x"))
    write_all(tmp_path / "cet__aaaaaaa", files)
    (line,) = checked(tmp_path).files
    assert line.findings[0].problem.reason == "“stranger” is not a task of super/expert"
