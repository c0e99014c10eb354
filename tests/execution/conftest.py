"""One attempt with fakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.domain.tasks import TaskSpec
from runner.agents.base import Agent
from runner.execution.attempt import execute_attempt
from runner.execution.limits import Limits
from runner.execution.records import Outcome
from tests.execution.fakes import TASK, FakeClock, FakeSandbox, Tape


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sandbox(clock: FakeClock) -> FakeSandbox:
    return FakeSandbox(clock)


@pytest.fixture
def tape() -> Tape:
    return Tape()


@pytest.fixture
def attempt(clock: FakeClock, sandbox: FakeSandbox, tape: Tape) -> Callable[..., Outcome]:
    def execute(agent: Agent, task: TaskSpec = TASK, limits: Limits | None = None, **further: Any) -> Outcome:
        chosen = limits or Limits.for_task(task)
        return execute_attempt(task, agent, sandbox, chosen, tape, clock, **further)

    return execute
