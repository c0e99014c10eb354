"""A key stays in the environment of who runs an attempt."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from leaderboard.domain.tasks import TaskSpec
from runner.agents.registry import make_agent
from runner.execution.attempt import execute_attempt
from runner.execution.history import history_json
from runner.execution.limits import Limits
from runner.execution.records import OutcomeKind
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from tests.agents.server import Answer, ModelServer, error
from tests.execution.fakes import FakeClock, FakeSandbox, Tape
from tests.warmup.places import ROOT

KEY = "sk-this-key-must-stay-where-it-is"
LOOK = "Thought: x\nAction: execute\n<content>\nimport os\nprint(dict(os.environ))\n</content>"
SUBMIT = "Thought: x\nAction: submit\n<content>\n1\n</content>"


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.usefixtures("_key")
def test_a_key_reaches_neither_the_sandbox_nor_the_record_nor_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    base, tape = prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt"), Tape()
    with ModelServer([LOOK, f"Your key is {KEY}", SUBMIT]) as server:
        agent = make_agent("react", {"model": "tiny", "base_url": server.url})
        sandbox = LocalSandbox(tmp_path / "sandbox", base)
        outcome = execute_attempt(TaskSpec("t", "Look."), agent, sandbox, Limits(), tape)

    assert (outcome.kind, len(outcome.steps)) == (OutcomeKind.SUBMITTED, 3)
    assert "VIRTUAL_ENV" in outcome.steps[0].observation
    assert server.keys[0] == f"Bearer {KEY}"
    assert KEY not in f"{history_json(outcome)!r} {outcome} {tape} {caplog.text} {server.requests}"


@pytest.mark.usefixtures("_key")
def test_a_refused_key_ends_the_attempt_and_names_its_variable(tape: Tape, clock: FakeClock) -> None:
    with ModelServer([error(401, f"bad key {KEY}")]) as server:
        agent = make_agent("react", {"model": "tiny", "base_url": server.url})
        outcome = execute_attempt(TaskSpec("t", "q"), agent, FakeSandbox(clock), Limits(), tape)

    assert (outcome.kind, outcome.retry) == (OutcomeKind.INFRASTRUCTURE, False)
    assert "OPENAI_API_KEY" in outcome.reason
    assert KEY not in f"{history_json(outcome)!r} {outcome} {tape}"


@pytest.mark.usefixtures("_key")
def test_an_endpoint_that_hangs_does_not_hold_up_a_cancellation(tape: Tape, clock: FakeClock) -> None:
    with ModelServer([Answer(hang=True)]) as server:
        agent = make_agent("react", {"model": "tiny", "base_url": server.url})
        outcome = execute_attempt(
            TaskSpec("t", "q"), agent, FakeSandbox(clock), Limits(), tape, cancelled=server.asked.is_set
        )

    assert outcome.kind is OutcomeKind.CANCELLED
