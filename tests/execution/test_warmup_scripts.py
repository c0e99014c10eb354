"""The recorded agents of Warm-up see the same again when the one loop runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.domain.tasks import TaskSpec
from runner.agents.registry import make_agent
from runner.execution.attempt import execute_attempt
from runner.execution.limits import Limits
from runner.execution.recording import OFFLINE, lay_out
from runner.execution.records import OutcomeKind
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from tests.execution.fakes import Tape
from tests.warmup.places import ROOT, TASKS, WARMUP


@pytest.mark.parametrize(
    ("agent_name", "task_id"), [("scripted-hasty", "dialect-crumbs"), ("scripted-expert", "gloss-polarity")]
)
def test_a_recorded_attempt_is_reproduced(agent_name: str, task_id: str, tmp_path: Path) -> None:
    recorded = json.loads((WARMUP / "runs" / agent_name / task_id / "history.json").read_text())
    agent = make_agent("scripted", {"script": str(WARMUP / "agents" / f"{agent_name}.json")})
    task, tape = TaskSpec(task_id, TASKS[task_id]["query"]), Tape()
    base = prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    sandbox = LocalSandbox(tmp_path / "sandbox", base, OFFLINE)
    limits = Limits.for_task(task, **agent.limits())

    outcome = execute_attempt(
        task, agent, sandbox, limits, tape, prepare=lambda started: lay_out(TASKS[task_id], WARMUP, started)
    )

    assert outcome.kind is OutcomeKind.SUBMITTED
    assert [step.thought for step in outcome.steps] == [step["thought"] for step in recorded["history"]]
    for step, before in zip(outcome.steps, recorded["history"], strict=True):
        assert step.action_type == before["action"]["type"]
        seen = step.observation.replace(str(tmp_path / "sandbox"), f"/tmp/warmup/{task_id}")  # noqa: S108
        assert seen == before["observation"]
    assert outcome.answer == recorded["history"][-1]["action"]["content"]
    assert outcome.used.response_tokens == recorded["total_response_tokens_count"]
