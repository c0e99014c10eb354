"""An attempt that somebody ends, ends at once: in the middle of a cell, of a thought, or between steps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.agents.base import Reply
from runner.execution.attempt import execute_attempt
from runner.execution.limits import Limits
from runner.execution.records import Cancelled, Fenced, Outcome, OutcomeKind, StepRecord
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from tests.execution.fakes import SUBMITS, TASK, Cell, FakeClock, FakeSandbox, ListAgent, Tape, run
from tests.warmup.places import ROOT

Attempt = Callable[..., Outcome]
PLACES = ["step_started", "output", "step_finished", "budget"]


@pytest.fixture
def long(sandbox: FakeSandbox) -> FakeSandbox:
    sandbox.cells = {"long": Cell("begun", seconds=200)}
    return sandbox


@pytest.mark.parametrize("place", PLACES)
def test_a_recorder_can_cancel_wherever_it_is_called(
    place: str, attempt: Attempt, long: FakeSandbox, tape: Tape
) -> None:
    tape.at, tape.error = place, Cancelled()

    outcome = attempt(ListAgent(run("long"), SUBMITS))

    assert (outcome.kind, long.closed) == (OutcomeKind.CANCELLED, True)
    assert [step.action_type for step in tape.finished] == ["execute", "exception"]
    assert tuple(tape.finished) == outcome.steps


def test_a_cell_is_ended_before_its_end_is_written_down(long: FakeSandbox, clock: FakeClock) -> None:
    closed: list[bool] = []

    class Watcher(Tape):
        def step_finished(self, step: StepRecord) -> None:
            closed.append(long.closed)

    agent = ListAgent(run("long"))
    execute_attempt(TASK, agent, long, Limits(), Watcher(), clock, cancelled=lambda: clock.seconds >= 50)

    assert closed == [True, True]


@pytest.mark.parametrize("place", ["step_started", "output", "budget"])
def test_nothing_is_recorded_once_it_is_fenced(
    place: str, attempt: Attempt, long: FakeSandbox, tape: Tape
) -> None:
    tape.at, tape.error = place, Fenced()

    outcome = attempt(ListAgent(run("long"), SUBMITS))

    assert (outcome.kind, long.closed) == (OutcomeKind.FENCED, True)
    assert (len(tape.begun), tape.finished) == (1, [])


def test_an_attempt_fenced_while_its_end_is_written_down_is_fenced(attempt: Attempt, tape: Tape) -> None:
    tape.at, tape.error = "step_finished", Fenced()

    outcome = attempt(ListAgent(run()), limits=Limits(steps=0))

    assert outcome.kind is OutcomeKind.FENCED


@pytest.mark.parametrize("place", PLACES)
def test_what_else_a_recorder_raises_comes_out_and_leaves_nothing_running(
    place: str, attempt: Attempt, long: FakeSandbox, tape: Tape
) -> None:
    tape.at, tape.error = place, OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        attempt(ListAgent(run("long"), SUBMITS))

    assert long.closed


def test_a_cell_is_ended_within_a_second_of_a_cancellation(
    attempt: Attempt, long: FakeSandbox, clock: FakeClock
) -> None:
    outcome = attempt(ListAgent(run("long")), cancelled=lambda: clock.seconds >= 50)

    assert outcome.kind is OutcomeKind.CANCELLED
    assert 50 <= clock.seconds <= 51
    assert outcome.steps[0].observation.startswith("begun")
    assert outcome.steps[0].observation.endswith("[It was cancelled.]")
    assert long.closed


def test_a_thought_is_given_up_when_the_attempt_is_cancelled(clock: FakeClock, tape: Tape) -> None:
    asked, never = threading.Event(), threading.Event()

    def think() -> Reply:
        asked.set()
        never.wait()
        return SUBMITS

    agent = ListAgent(think)
    outcome = execute_attempt(TASK, agent, FakeSandbox(clock), Limits(), tape, clock, cancelled=asked.is_set)
    never.set()

    assert (outcome.kind, agent.closed) == (OutcomeKind.CANCELLED, True)
    assert [step.content for step in outcome.steps] == ["The attempt was cancelled."]


def test_a_real_cell_that_says_nothing_is_cancelled_in_its_middle(tape: Tape, tmp_path: Path) -> None:
    base = prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    sandbox = LocalSandbox(tmp_path / "sandbox", base)
    cell = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(600)"
    pid = sandbox.working_folder / "pid"

    def begun() -> bool:
        return pid.exists() and pid.read_text() != ""

    outcome = execute_attempt(TASK, ListAgent(run(cell)), sandbox, Limits(), tape, cancelled=begun)

    assert outcome.kind is OutcomeKind.CANCELLED
    assert not Path("/proc", pid.read_text()).exists()
