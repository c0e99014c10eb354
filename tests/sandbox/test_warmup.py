"""In a container too, the experts' solutions of Warm-up give gold and hit every landmark."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from leaderboard.domain.scores import LandmarkStatus
from runner.agents.scripted import Move, ScriptedAgent
from runner.execution.recording import OFFLINE, lay_out, machine_paths, record
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels
from tests.warmup.places import TASKS, WARMUP
from tests.warmup.test_tasks import FIGURES, figures, score, text_of

pytestmark = pytest.mark.docker


def solve(task_id: str) -> dict[str, Any]:
    moves = tuple(Move("", "execute", cell) for cell in TASKS[task_id]["solution"])
    agent = ScriptedAgent("scripted", "test", None, 120.0, {task_id: moves})
    with DockerSandbox(DockerConfig(environment=OFFLINE), Labels("tests", "warm-up", task_id)) as sandbox:
        lay_out(TASKS[task_id], WARMUP, sandbox)
        return record(TASKS[task_id], agent, sandbox)


def test_the_experts_solutions_give_gold_and_hit_every_landmark_in_containers(engine: Any) -> None:
    # All at once, and in one test: the scripts are paced, so together they take as long as the longest.
    with ThreadPoolExecutor(len(TASKS)) as pool:
        recordings = dict(zip(TASKS, pool.map(solve, TASKS), strict=True))

    for task_id, recording in recordings.items():
        assert figures(FIGURES[task_id], text_of(recording)) == json.loads(TASKS[task_id]["answer"])
        assert {mark.status for mark in score(task_id, recording).landmarks} == {LandmarkStatus.HIT}
        assert machine_paths(recording) == []
