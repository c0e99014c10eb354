"""The loop asks, does and records, whatever the agent does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from leaderboard.domain.trajectory import MISSING, Ending
from runner.agents.base import WHILE_RUNNING, Action, AgentUnavailable, Assignment, Past, PromptTooLong, Reply
from runner.execution.attempt import execute_attempt
from runner.execution.limits import Limits
from runner.execution.records import Outcome, OutcomeKind
from runner.sandbox.base import Status
from tests.execution.fakes import (
    MASKED,
    SUBMITS,
    TASK,
    UNREADABLE,
    Cell,
    FakeClock,
    FakeSandbox,
    ListAgent,
    Tape,
    act,
    call,
    run,
)

Attempt = Callable[..., Outcome]
EDIT = "f.py\n<<<BEFORE_EDIT>>>\na\n<<<AFTER_EDIT>>>\nb"


def kinds(outcome: Outcome) -> list[str]:
    return [step.action_type for step in outcome.steps]


def test_cells_are_run_until_an_answer_is_submitted(attempt: Attempt, sandbox: FakeSandbox) -> None:
    outcome = attempt(ListAgent(run("2"), SUBMITS))

    assert sandbox.said == ["start", "execute 2"]
    assert [step.observation for step in outcome.steps] == ["2", "The answer was submitted."]
    assert (outcome.kind, outcome.ending, outcome.answer) == (
        OutcomeKind.SUBMITTED,
        Ending.SUBMITTED,
        {"a": 1},
    )
    assert outcome.sandbox == {"kind": "fake"}


def test_an_agent_sees_its_task_and_its_steps_and_no_gold(attempt: Attempt) -> None:
    agent = ListAgent(run("2"), SUBMITS)

    attempt(agent)

    assert agent.seen == [
        (Assignment("t", TASK.query), ()),
        (Assignment("t", TASK.query), (Past("I think", "execute", "2", "2"),)),
    ]


def test_what_the_task_needs_is_laid_out_before_the_first_cell(
    attempt: Attempt, sandbox: FakeSandbox
) -> None:
    attempt(ListAgent(SUBMITS), MASKED, prepare=lambda started: started.write_file("x", b""))

    assert sandbox.files == {"x": b""}
    assert sandbox.said == ["start", "execute setup", "execute more"]


def test_pre_executed_cells_are_marked_and_cost_the_agent_nothing(attempt: Attempt, tape: Tape) -> None:
    outcome = attempt(ListAgent(SUBMITS), MASKED)

    assert [step.pre_executed for step in outcome.steps] == [True, True, False]
    assert outcome.steps[0].thought == "[pre-executed by user]"
    assert [begun.pre_executed for begun in tape.begun] == [True, True, False]
    assert (outcome.used.steps, outcome.used.execution_seconds) == (1, 0)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (Cell(seconds=9999), "did not end within its limit of 1800 seconds"),
        (Cell(status=Status.DEAD), "died"),
    ],
)
def test_a_pre_executed_cell_that_fails_is_our_failure(
    cell: Cell, reason: str, attempt: Attempt, sandbox: FakeSandbox
) -> None:
    sandbox.cells = {"more": cell}

    outcome = attempt(ListAgent(SUBMITS), MASKED)

    assert (outcome.kind, outcome.retry) == (OutcomeKind.INFRASTRUCTURE, True)
    assert reason in outcome.reason


def test_a_pre_executed_edit_is_made_and_what_is_unknown_is_our_failure(
    attempt: Attempt, sandbox: FakeSandbox
) -> None:
    sandbox.files["f.py"] = b"a"

    outcome = attempt(ListAgent(SUBMITS), replace(MASKED, pre_execute_cells=(("edit", EDIT), ("dance", ""))))

    assert sandbox.files["f.py"] == b"b"
    assert (outcome.kind, outcome.retry) == (OutcomeKind.INFRASTRUCTURE, False)
    assert "cell 2 is of a type that can't be executed: dance" in outcome.reason


def test_an_edit_changes_a_file_and_says_so(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.files["f.py"] = b"x\r\na\r\n"

    outcome = attempt(ListAgent(act("edit", EDIT), SUBMITS))

    assert sandbox.files["f.py"] == b"x\r\nb\r\n"
    assert outcome.steps[0].observation == "The edit was made in f.py."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("nonsense", "The edit was not made. An edit is a file name"),
        (EDIT, "The edit was not made. There is no file f.py."),
        (EDIT.replace("f.py", "locked.py"), "The edit was not made. locked.py: Permission denied."),
        (f"/etc/{EDIT}", "The edit was not made: /etc/f.py is not in the working folder."),
    ],
)
def test_an_edit_that_can_not_be_made_is_the_agents_to_mend(
    content: str, reason: str, attempt: Attempt
) -> None:
    outcome = attempt(ListAgent(act("edit", content), SUBMITS))

    assert outcome.steps[0].observation.startswith(reason)
    assert outcome.kind is OutcomeKind.SUBMITTED


def test_an_edit_in_a_broken_sandbox_is_our_failure(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"": Cell(status=Status.DEAD)}

    assert attempt(ListAgent(act("edit", f"/etc/{EDIT}"))).kind is OutcomeKind.INFRASTRUCTURE


def test_a_cell_beyond_its_limit_is_asked_about(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"long": Cell("begun", seconds=700)}

    outcome = attempt(ListAgent(run("long"), act("continue_wait"), act("interrupt"), SUBMITS))

    first, second, third, _ = outcome.steps
    assert first.observation.startswith("begun\n")
    assert first.observation.endswith(
        "[300 seconds are over and the cell is still running. You can continue to wait or interrupt it.]"
    )
    assert [step.timed_out for step in outcome.steps] == [True, True, False, False]
    assert (first.seconds, second.seconds, third.observation) == (300, 300, "KeyboardInterrupt")


def test_nothing_else_is_done_while_a_cell_runs(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"long": Cell(seconds=400)}

    outcome = attempt(ListAgent(run("long"), run("2"), SUBMITS, act("continue_wait"), SUBMITS))

    assert kinds(outcome) == ["execute", "", "", "continue_wait", "submit"]
    assert "a cell is still running" in outcome.steps[1].observation
    assert "execute 2" not in sandbox.said


@pytest.mark.parametrize("kind", WHILE_RUNNING)
def test_there_is_nothing_to_wait_for_when_no_cell_runs(kind: str, attempt: Attempt) -> None:
    assert "no cell is running" in attempt(ListAgent(act(kind), SUBMITS)).steps[0].observation


def test_a_reply_that_can_not_be_read_is_kept_whole_and_answered(attempt: Attempt) -> None:
    outcome = attempt(ListAgent(UNREADABLE, SUBMITS))

    step = outcome.steps[0]
    assert (step.action_type, step.content) == ("", "what?")
    assert step.observation == "The reply could not be read: say it differently"


def test_an_answer_that_is_no_json_is_not_submitted(attempt: Attempt) -> None:
    outcome = attempt(ListAgent(act("submit", "about five"), SUBMITS))

    assert outcome.steps[0].observation.startswith(
        "The answer was not submitted: the content of submit must be"
    )
    assert kinds(outcome) == ["", "submit"]


def test_replies_in_a_row_that_can_not_be_used_end_the_attempt(attempt: Attempt) -> None:
    replies = [UNREADABLE, UNREADABLE, run(), UNREADABLE, act("interrupt"), UNREADABLE]

    outcome = attempt(ListAgent(*replies), limits=Limits(format_errors=3))

    assert kinds(outcome) == ["", "", "execute", "", "", "", "exception"]
    assert (outcome.kind, outcome.ending) == (OutcomeKind.FAILED, Ending.EXCEPTION)
    assert "The limit of 3 replies in a row" in outcome.steps[-1].observation


def test_a_kernel_that_the_agents_cell_kills_is_the_agents_failure(
    attempt: Attempt, sandbox: FakeSandbox
) -> None:
    sandbox.cells = {"boom": Cell("eats memory", status=Status.DEAD)}

    outcome = attempt(ListAgent(run("boom")))

    assert (outcome.kind, outcome.steps[-1].content) == (OutcomeKind.FAILED, "The kernel died.")
    assert outcome.steps[0].observation.startswith("eats memory\n[The kernel died")


def test_a_kernel_that_its_engine_took_along_is_no_failure_of_the_agents(
    attempt: Attempt, sandbox: FakeSandbox
) -> None:
    sandbox.cells = {"1": Cell("died while the engine was away", status=Status.DEAD, infrastructure=True)}

    outcome = attempt(ListAgent(run("1")))

    assert (outcome.kind, outcome.retry) == (OutcomeKind.INFRASTRUCTURE, True)
    assert "The sandbox was lost while a cell ran" in outcome.steps[0].observation


def test_an_agent_that_has_nothing_to_do_ends_the_attempt(attempt: Attempt) -> None:
    outcome = attempt(ListAgent(run(), Reply(done=True)))

    assert (outcome.kind, kinds(outcome), outcome.answer) == (OutcomeKind.FAILED, ["execute"], MISSING)


def test_an_agent_can_answer_itself(attempt: Attempt, sandbox: FakeSandbox) -> None:
    outcome = attempt(ListAgent(Reply("", Action("reflect", "do better", "A new trial.")), SUBMITS))

    assert (kinds(outcome), outcome.steps[0].observation) == (["reflect", "submit"], "A new trial.")
    assert sandbox.said == ["start"]


@pytest.mark.parametrize(
    ("error", "kind", "retry"),
    [
        (AgentUnavailable("gone", retry=True), OutcomeKind.INFRASTRUCTURE, True),
        (AgentUnavailable("no key", retry=False), OutcomeKind.INFRASTRUCTURE, False),
        (PromptTooLong("8192 at most"), OutcomeKind.STOPPED, False),
    ],
)
def test_a_model_that_does_not_answer_is_told_apart(
    error: Exception, kind: OutcomeKind, retry: bool, attempt: Attempt
) -> None:
    outcome = attempt(ListAgent(run(), error))

    assert (outcome.kind, outcome.retry) == (kind, retry)
    assert str(error) in outcome.steps[-1].observation
    assert kinds(outcome) == ["execute", "exception"]


def test_a_sandbox_that_fails_in_the_middle_keeps_what_was_done(
    attempt: Attempt, sandbox: FakeSandbox
) -> None:
    sandbox.cells = {"2": Cell(fails="the engine is gone")}

    outcome = attempt(ListAgent(run("1"), run("2")))

    assert (outcome.kind, outcome.retry) == (OutcomeKind.INFRASTRUCTURE, True)
    assert "the engine is gone" in outcome.reason
    assert kinds(outcome) == ["execute", "execute", "exception"]


def test_a_sandbox_that_does_not_start_is_our_failure(clock: FakeClock, tape: Tape) -> None:
    sandbox, agent = FakeSandbox(clock, starts=False), ListAgent(SUBMITS)

    outcome = execute_attempt(TASK, agent, sandbox, Limits(), tape, clock)

    assert (outcome.kind, outcome.reason) == (
        OutcomeKind.INFRASTRUCTURE,
        "The sandbox failed: no kernel came up",
    )
    assert (agent.seen, sandbox.closed) == ([], True)


def test_sandbox_and_agent_are_closed_whatever_happens(attempt: Attempt, sandbox: FakeSandbox) -> None:
    agent = ListAgent(ZeroDivisionError())

    with pytest.raises(ZeroDivisionError):
        attempt(agent)

    assert (sandbox.closed, agent.closed) == (True, True)


def test_a_recorder_is_told_everything_in_order(attempt: Attempt, tape: Tape) -> None:
    outcome = attempt(ListAgent(run("2", call(10, 2, 0.5)), SUBMITS), MASKED)

    assert tuple(tape.finished) == outcome.steps
    assert [step.number for step in tape.begun] == [step.number for step in tape.finished] == [1, 2, 3, 4]
    assert "".join(tape.outputs) == "setupmore2"
    assert tape.budgets[-1] == outcome.used
    assert (outcome.used.prompt_tokens, outcome.used.response_tokens, outcome.used.cost) == (10, 2, 0.5)
