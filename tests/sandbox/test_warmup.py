"""In a container too, the experts' solutions of Warm-up give gold and hit every landmark."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from leaderboard.domain.scores import LandmarkStatus
from runner.agents.scripted import Move, ScriptedAgent
from runner.recording import OFFLINE, lay_out, machine_paths, record
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels
from tests.warmup.places import TASKS, WARMUP
from tests.warmup.test_tasks import FIGURES, figures, score, text_of

# One of pytest's workers executes all six, at once: their scripts are paced, and mostly wait.
pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("warmup-in-docker")]


def solve(task_id: str) -> dict[str, Any]:
    moves = tuple(Move("", "execute", cell) for cell in TASKS[task_id]["solution"])
    agent = ScriptedAgent("scripted", "test", None, 120.0, {task_id: moves})
    with DockerSandbox(DockerConfig(environment=OFFLINE), Labels("tests", "warm-up", task_id)) as sandbox:
        lay_out(TASKS[task_id], WARMUP, sandbox)
        return record(TASKS[task_id], agent, sandbox)


@pytest.fixture(scope="module")
def recordings(engine: Any) -> dict[str, dict[str, Any]]:
    with ThreadPoolExecutor(len(TASKS)) as pool:
        return dict(zip(TASKS, pool.map(solve, TASKS), strict=True))


@pytest.mark.parametrize("task_id", TASKS)
def test_the_expert_solution_gives_gold_and_hits_every_landmark_in_a_container(
    task_id: str, recordings: dict[str, dict[str, Any]]
) -> None:
    recording = recordings[task_id]

    assert figures(FIGURES[task_id], text_of(recording)) == json.loads(TASKS[task_id]["answer"])
    assert {mark.status for mark in score(task_id, recording).landmarks} == {LandmarkStatus.HIT}
    assert machine_paths(recording) == []
