"""The recorded runs that ship with the project score as they are meant to, and tell nothing of a machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard import formats
from leaderboard.domain.trajectory import Ending, StepKind, Trajectory
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.scoring.super import SCORING
from runner.agents import scripted
from runner.agents.scripted import Move, ScriptedAgent
from runner.execution.limits import CONTEXT
from runner.execution.recording import FORMAT_ERROR, lay_out, machine_paths, record
from runner.sandbox.local import LocalSandbox
from tests.warmup.places import TASKS, WARMUP

SPECS = {spec.task_id: spec for _, spec in read_tasks(WARMUP / "tasks.jsonl", set_name="all").tasks}
RECORDINGS = sorted((WARMUP / "runs").glob("*/*/history.json"))
FULL = (1.0, 1.0, 1.0, 1.0)
# Accuracy, landmarks, script executed, submitted. Both scorers agree on all of them.
EXPECTED = {
    "scripted-expert": dict.fromkeys(TASKS, FULL),
    "scripted-hasty": {
        "dialect-crumbs": (0.0, 0.0, 0.0, 0.0),
        "stance-on-thread": (0.5, 0.8, 1.0, 1.0),
        "keygrain": (0.0, 0.25, 0.0, 0.0),
        "pairwise-nli": (0.5, 0.75, 1.0, 1.0),
        "gloss-polarity": FULL,
        "marginette": (0.0, 0.25, 1.0, 1.0),
    },
    "scripted-patient": dict.fromkeys(TASKS, FULL) | {"gloss-polarity": (0.0, 0.75, 1.0, 1.0)},
}


def trajectory(agent: str, task_id: str) -> Trajectory:
    path = WARMUP / "runs" / agent / task_id / "history.json"
    return formats.read(path.read_bytes(), name=path.name)


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize("agent", EXPECTED)
def test_a_recording_scores_as_listed(agent: str, task_id: str) -> None:
    scoring = SCORING.score(SPECS[task_id], trajectory(agent, task_id))

    for card in scoring.cards:
        assert (
            tuple(card.scores[metric].value for metric in SCORING.layout.overall) == EXPECTED[agent][task_id]
        ), card.scorer


def test_the_hasty_agent_fails_in_telling_ways() -> None:
    hasty = {task_id: trajectory("scripted-hasty", task_id) for task_id in TASKS}

    assert hasty["dialect-crumbs"].answer is None
    assert StepKind.FORMAT_ERROR in {step.kind for step in hasty["dialect-crumbs"].steps}
    assert hasty["keygrain"].ending is Ending.CONTEXT
    assert StepKind.INTERRUPT in {step.kind for step in hasty["marginette"].steps}
    assert "Did you mean these lines?" in (hasty["pairwise-nli"].steps[1].observation or "")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_recording_is_of_its_script_and_names_no_machine(path: Path) -> None:
    recording, about = json.loads(path.read_text()), json.loads(path.with_name("metadata.json").read_text())
    agent = scripted.load(WARMUP / "agents" / f"{path.parts[-3]}.json")
    made = [step["thought"] for step in recording["history"] if step["action"]["type"] != "exception"]

    assert made == [move.thought for move in agent.moves[path.parts[-2]]][: len(made)]
    assert (about["args"]["agent"], about["args"]["model"]) == (agent.scaffold, agent.model)
    assert about["task"]["task_id"] == path.parts[-2]
    assert not {"answer", "solution", "landmarks"} & set(about["task"])
    assert machine_paths(recording) == []


@pytest.mark.parametrize("before", ["", "see ", "\n", "\x1b[32m", "'"])
def test_a_machines_path_is_found_wherever_it_stands(before: str) -> None:
    seen = {"history": [{"observation": f"/tmp/warmup/x/workspace/y {before}/opt/a.py:3 ends"}]}  # noqa: S108

    assert machine_paths(seen) == ["/opt/a.py"]


def test_every_agent_is_recorded_on_every_task() -> None:
    recorded = {(path.parts[-3], path.parts[-2]) for path in RECORDINGS}

    assert {agent for agent, _ in recorded} == {path.stem for path in (WARMUP / "agents").glob("*.json")}
    assert recorded == {(agent, task_id) for agent in EXPECTED for task_id in TASKS}


def record_moves(
    sandbox: LocalSandbox, *moves: Move, context_tokens: int | None = None
) -> list[dict[str, Any]]:
    agent = ScriptedAgent("scripted", "test", context_tokens, 1.0, {"t": moves})
    history: list[dict[str, Any]] = record({"task_id": "t", "query": "q" * 400}, agent, sandbox)["history"]
    return history


def test_the_recorder_ends_an_attempt_beyond_its_context(sandbox: LocalSandbox) -> None:
    # A prompt holds the query at least: 100 tokens.
    history = record_moves(sandbox, *[Move("", "execute", "1")] * 9, context_tokens=350)

    assert [step["action"]["type"] for step in history] == ["execute"] * 3 + ["exception"]
    assert history[-1]["action"]["content"] == CONTEXT.content


def test_the_recorder_answers_what_is_no_action(sandbox: LocalSandbox) -> None:
    history = record_moves(sandbox, Move("I wonder", "", "ls"), Move("", "submit", '{"a": [1]}'))

    assert history[0]["observation"] == FORMAT_ERROR
    assert history[1]["action"]["content"] == {"a": [1]}


def test_the_recorder_asks_whether_to_wait(sandbox: LocalSandbox) -> None:
    history = record_moves(sandbox, Move("", "execute", "!sleep 600"), Move("", "interrupt", ""))

    assert "1 seconds are over and the cell is still running" in history[0]["observation"]
    assert len(history) == 2


def test_the_recorder_edits_files(sandbox: LocalSandbox) -> None:
    sandbox.write_file("pkg/a.py", b"x = 1\ny = 2\n")
    edit = "{}\n<<<BEFORE_EDIT>>>\nx = 1\n<<<AFTER_EDIT>>>\nx = 3"

    history = record_moves(sandbox, *(Move("", "edit", edit.format(name)) for name in ("pkg/a.py", "b.py")))

    assert sandbox.read_file("pkg/a.py") == b"x = 3\ny = 2\n"
    assert history[1]["observation"] == "The edit was not made. There is no file b.py."


def test_the_gold_is_not_laid_out(sandbox: LocalSandbox) -> None:
    lay_out(TASKS["keygrain"], WARMUP, sandbox)

    assert {path.name for path in sandbox.working_folder.iterdir()} == {"keygrain", "wheelhouse"}
    assert sandbox.read_file("keygrain/rank.py") == (WARMUP / "repositories/keygrain/rank.py").read_bytes()


def test_recording_leaves_a_folder_that_exists_alone(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="exists; remove it or name another folder"):
        call_command("record_agents", "warmup", scratch=tmp_path)

    assert tmp_path.exists()
