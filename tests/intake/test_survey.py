"""Attempts are found in every layout that people use, and matched to their tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.intake.findings import Severity, Verdict
from leaderboard.intake.known_tasks import KnownTasks
from tests.formats.chats import chat, hal, hal_task
from tests.intake.archives import Zip
from tests.intake.folders import found_in, reasons, told, trajectory, write, write_file

LAYOUTS = {
    "a folder a task": {"cet/history.json": ("cet", 1, "folder"), "amos/history.json": ("amos", 1, "folder")},
    "a file a task": {"cet.json": ("cet", 1, "name"), "amos.traj": ("amos", 1, "name")},
    "one wrapping folder": {"run 7/cet/history.json": ("cet", 1, "folder")},
    "deep ones": {f"{'a-long-name-of-a-run/' * 20}cet/history.json": ("cet", 1, "folder")},
    "several": {"results/gpt-4/2024/cet/history.json": ("cet", 1, "folder")},
    "retyped ids": {"Conv-Graph/history.json": ("conv_graph", 1, "folder"), "CET.json": ("cet", 1, "name")},
    "numbered files": {"cet/1.json": ("cet", 1, "folder"), "cet/2.json": ("cet", 2, "folder")},
    "counted from zero": {"cet/0.json": ("cet", 1, "folder"), "cet/1.json": ("cet", 2, "folder")},
    "attempts as folders": {
        "cet/attempt_1/history.json": ("cet", 1, "folder"),
        "cet/attempt-2/trajectory.json": ("cet", 2, "folder"),
        "cet/3/history.json": ("cet", 3, "folder"),
    },
    "runs as folders": {
        "all/run_1/cet/history.json": ("cet", 1, "folder"),
        "all/run_2/cet/history.json": ("cet", 2, "folder"),
        "all/run_2/amos/history.json": ("amos", 2, "folder"),
    },
    "attempts by folders' names": {
        "cet_1/history.json": ("cet", 1, "folder"),
        "cet_2/history.json": ("cet", 2, "folder"),
    },
    "attempts by files' names": {
        "cet__1.json": ("cet", 1, "name"),
        "cet__2.json": ("cet", 2, "name"),
        "amos.attempt-2.traj": ("amos", 2, "name"),
        "conv_graph_run3.traj.json": ("conv_graph", 3, "name"),
    },
    "named in both": {"cet/cet_2.traj": ("cet", 2, "folder"), "cet/cet_3.traj": ("cet", 3, "folder")},
    "trials by letters": {
        "job/cet__aB3xY7q/agent/trajectory.json": ("cet", 1, "folder"),
        "job/cet__k3Fz9aQ/agent/trajectory.json": ("cet", 2, "folder"),
        "job/amos__Zz81kQp/agent/trajectory.json": ("amos", 1, "folder"),
    },
    "a version is no attempt": {"cet/claude-3.json": ("cet", 1, "folder")},
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout_is_understood(layout: dict[str, tuple[str, int, str]], tmp_path: Path) -> None:
    found = found_in(write(tmp_path, *layout))

    assert told(found) == layout
    assert found.task_set == "super/expert"
    assert reasons(found) == []


def test_an_authors_folder_has_its_scores_and_arguments_beside_the_trajectory(tmp_path: Path) -> None:
    write(tmp_path, "cet/history.json", "cet/history.ipynb")
    write_file(tmp_path, "cet/metrics.json", {"output_match": 1})
    write_file(tmp_path, "cet/metadata.json", {"task": "cet"})
    write_file(tmp_path, "cet/stdout.txt", "…")

    found = found_in(tmp_path)

    attempt = found.attempts[0]
    assert [path and path.name for path in (attempt.trajectory, attempt.metrics, attempt.metadata)] == [
        "history.json",
        "metrics.json",
        "metadata.json",
    ]
    assert [(other.name, other.verdict) for other in found.others] == [
        ("cet/history.ipynb", Verdict.PASSED_OVER),
        ("cet/stdout.txt", Verdict.PASSED_OVER),
    ]


def test_scores_alone_are_an_attempt(tmp_path: Path) -> None:
    found = found_in(write_file(tmp_path, "cet/metrics.json", {"output_match": 1}))

    assert told(found) == {"cet/metrics.json": ("cet", 1, "folder")}
    assert found.attempts[0].trajectory is None


def test_metadata_tells_the_task_where_no_name_does(tmp_path: Path) -> None:
    write(tmp_path, "run-a/history.json")
    write_file(tmp_path, "run-a/metadata.json", {"task": {"task_id": "amos"}})

    assert told(found_in(tmp_path)) == {"run-a/history.json": ("amos", 1, "metadata")}


def test_a_file_that_names_its_task_needs_no_name(tmp_path: Path) -> None:
    write_file(tmp_path, "7f3a.json", trajectory(task_id="amos"))

    assert told(found_in(tmp_path)) == {"7f3a.json": ("amos", 1, "id")}


def test_a_file_of_several_is_taken_apart(tmp_path: Path) -> None:
    lines = [json.loads(trajectory(name, task_id=name)) for name in ("cet", "amos")]
    lines.append(json.loads(trajectory("again", task_id="cet", attempt=2)))
    write_file(tmp_path, "output.jsonl", "\n".join(json.dumps(line) for line in lines))

    assert told(found_in(tmp_path)) == {
        "output.jsonl line 1": ("cet", 1, "id"),
        "output.jsonl line 2": ("amos", 1, "id"),
        "output.jsonl line 3": ("cet", 2, "id"),
    }


def test_a_hal_upload_is_taken_apart_in_a_folder_named_after_a_task_too(tmp_path: Path) -> None:
    run = hal({"cet": hal_task(chat()), "amos": hal_task(chat())})
    write_file(tmp_path, "cet/super_agent_1777629600_UPLOAD.json", json.dumps(run))

    assert sorted(told(found_in(tmp_path)).values()) == [("amos", 1, "id"), ("cet", 1, "id")]


def test_a_chat_without_an_agent_is_refused_for_that_and_not_for_its_task(tmp_path: Path) -> None:
    write_file(tmp_path, "cet/history.json", trajectory())
    write_file(tmp_path, "prompts.json", json.dumps({"messages": chat()[:2]}))

    (reason,) = reasons(found_in(tmp_path))
    assert reason.startswith("prompts.json, $.messages: there is no step of an agent")


def test_an_unknown_task_gets_the_nearest_ids(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, "cet/history.json", "ammos/history.json"))

    assert reasons(found) == [
        "ammos/history.json: “ammos” is not a task of super/expert (the nearest ids are amos)"
    ]


def test_a_task_of_another_set_is_said_to_be_one(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, "cet/history.json", "amos_goal/history.json"), task_set="expert")

    assert "it is a task of super/masked" in reasons(found)[0]


def test_an_id_that_can_mean_two_tasks_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "A-B/history.json")
    known_tasks = KnownTasks({"mine/all": ("a_b", "a-b")})

    found = found_in(tmp_path, known_tasks=known_tasks)

    assert "may be any of a_b, a-b" in reasons(found)[0]


def test_the_same_attempt_twice_is_used_neither_time(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, "a/cet/history.json", "b/cet/history.json", "amos/history.json"))

    assert told(found) == {"amos/history.json": ("amos", 1, "folder")}
    assert "a/cet/history.json: this and b/cet/history.json are both attempt 1 at cet" in reasons(found)[0]


def test_whole_runs_that_are_rivals_are_named_once_more(tmp_path: Path) -> None:
    names = [f"{run}/{task}/history.json" for run in ("react", "swe") for task in ("cet", "amos")]

    found = found_in(write(tmp_path, *names))

    assert "these folders contain attempts at the same tasks: react, swe" in found.findings[0].problem.reason


def test_the_same_bytes_twice_count_once(tmp_path: Path) -> None:
    for name in ("cet/1.json", "cet/2.json"):
        write_file(tmp_path, name, trajectory())

    found = found_in(tmp_path)

    assert told(found) == {"cet/1.json": ("cet", 1, "folder")}
    assert "the same bytes as cet/1.json" in reasons(found)[0]


@pytest.mark.parametrize(
    ("names", "task_set"),
    [(["cet/h.json"], "super/expert"), (["cet_data.json", "amos_goal.json", "cet.json"], "super/masked")],
)
def test_the_set_that_most_names_mean_is_taken(names: list[str], task_set: str, tmp_path: Path) -> None:
    assert found_in(write(tmp_path, *names)).task_set == task_set


def test_a_tie_between_sets_is_a_problem(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, "cet_data.json", "amos.json"))

    assert found.attempts == ()
    assert "may belong to super/expert, super/masked" in reasons(found)[0]


def test_what_entry_yaml_says_goes_before_guessing(tmp_path: Path) -> None:
    write_file(tmp_path, "run/entry.yaml", "benchmark: super\nset: masked\nagent: A\nmodel: M\n")

    found = found_in(write(tmp_path, "run/cet_data.json", "run/amos.json"))

    assert (found.task_set, found.description.agent) == ("super/masked", "A")
    assert told(found) == {"run/cet_data.json": ("cet_data", 1, "name")}


def test_a_set_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, "cet.json"), task_set="easy")

    assert "the task sets are super/expert, super/masked" in reasons(found)[0]


def test_the_outermost_description_counts(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.yaml", "agent: A")
    write_file(tmp_path, "cet/entry.json", {"agent": "B"})

    found = found_in(write(tmp_path, "cet/history.json"))

    assert found.description.agent == "A"
    assert [other.name for other in found.others if other.findings] == ["cet/entry.json"]


def test_a_bad_description_is_refused_with_its_lines(tmp_path: Path) -> None:
    write_file(tmp_path, "entry.yaml", "agent: A\ncosts: 3\n")

    found = found_in(write(tmp_path, "cet/history.json"))

    assert reasons(found) == ["entry.yaml, line 2, $.costs: there is no such key (did you mean cost?)"]
    assert len(found.attempts) == 1


def test_what_tools_put_beside_is_passed_over(tmp_path: Path) -> None:
    write_file(tmp_path, "preds.json", {})
    write_file(tmp_path, "notes/settings.json", {"temperature": 0})
    write_file(tmp_path, "old.zip", Zip().add("cet.json").end())

    found = found_in(write(tmp_path, "cet/cet.traj"))

    assert {other.name: other.verdict for other in found.others} == dict.fromkeys(
        ("preds.json", "notes/settings.json", "old.zip"), Verdict.PASSED_OVER
    )
    assert any("old.zip: an archive inside the upload" in reason for reason in reasons(found))


def test_a_broken_file_without_a_task_is_an_error_not_passed_over(tmp_path: Path) -> None:
    write_file(tmp_path, "mine.json", b'{"query": ')

    found = found_in(write(tmp_path, "cet/history.json"))

    assert [other.findings[0].severity for other in found.others] == [Severity.ERROR]
    assert "the file ends in the middle of the document" in reasons(found)[0]


def test_a_link_in_a_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "results/cet/history.json", "elsewhere.json")
    (tmp_path / "results/amos.json").symlink_to(tmp_path / "elsewhere.json")

    found = found_in(tmp_path / "results")

    assert "it is a link" in reasons(found)[0]
    assert len(found.attempts) == 1


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    assert "there is no file in it" in reasons(found_in(tmp_path))[0]


WRONG_NUMBERS = {"99999": 99_999, "true": True, "1.0": 1.0, '"2"': "2", "0": 0, "-1": -1, "a list": [1]}


@pytest.mark.parametrize(("shown", "number"), WRONG_NUMBERS.items())
@pytest.mark.parametrize(
    ("name", "place"), [("answers.json", "$[0].attempt"), ("answers.jsonl", "line 1, $.attempt")]
)
def test_a_number_of_an_attempt_that_is_none_is_refused_with_its_place(
    shown: str, number: object, name: str, place: str, tmp_path: Path
) -> None:
    lines = [{"task_id": "cet", "answer": 1, "attempt": number}, {"task_id": "amos", "answer": 1}]
    write_file(tmp_path, name, lines if name == "answers.json" else "\n".join(map(json.dumps, lines)))

    found = found_in(tmp_path)

    assert [attempt.task_id for attempt in found.attempts] == ["amos"]
    (problem,) = [finding.problem for other in found.others for finding in other.findings]
    assert (problem.file, problem.place) == (name, place)
    assert problem.reason == f"the attempt is {shown}, not a whole number from 1 to 9,999"


def test_a_number_in_a_file_that_is_named_after_its_task_counts(tmp_path: Path) -> None:
    write_file(tmp_path, "cet/first.json", {"task_id": "cet", "answer": 1, "attempt": 1})
    write_file(tmp_path, "cet/second.json", {"task_id": "cet", "answer": 2, "attempt": 2})
    write_file(tmp_path, "amos.json", trajectory(attempt=3))
    write_file(tmp_path, "conv_graph.json", trajectory(attempt="3"))

    found = found_in(tmp_path)

    assert [(attempt.task_id, attempt.number) for attempt in found.attempts] == [
        ("amos", 3),
        ("cet", 1),
        ("cet", 2),
    ]
    (why,) = reasons(found)
    assert 'the attempt is "3", not a whole number from 1 to 9,999' in why
