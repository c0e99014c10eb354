"""Each limit ends an attempt, names itself, and is read back as what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from leaderboard import formats
from leaderboard.domain.trajectory import Ending
from runner.agents.base import Reply
from runner.execution.history import history_json
from runner.execution.limits import Limits
from runner.execution.records import Outcome, OutcomeKind
from tests.execution.fakes import (
    MASKED,
    NO_LIMITS,
    SUBMITS,
    TASK,
    Cell,
    FakeClock,
    FakeSandbox,
    ListAgent,
    Tape,
    call,
    run,
)

Attempt = Callable[..., Outcome]


def test_the_limits_are_supers() -> None:
    expert, masked = Limits.for_task(TASK), Limits.for_task(MASKED)

    assert (expert.prompt_tokens, masked.prompt_tokens) == (600_000, 400_000)
    assert (expert.cell_seconds, expert.execution_seconds) == (300, 1800)
    assert Limits.for_task(MASKED, prompt_tokens=5, steps=None) == masked.model_copy(
        update={"prompt_tokens": 5, "steps": None}
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"steps": -1}, "steps: must be at least 0"),
        ({"cell_seconds": None}, "cell_seconds: must be a number"),
        ({"tokens": 1}, "tokens: there is no such setting"),
    ],
)
def test_a_limit_that_is_none_is_named(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Limits.for_task(TASK, **changes)


LIMITS: dict[str, tuple[dict[str, Any], Reply, int, str, str]] = {
    "tokens": (
        {"prompt_tokens": 250},
        run("1", call(prompt=100)),
        2,
        "Total context tokens exceeded.",
        "The limit of 250 prompt tokens was reached: 300 were used.",
    ),
    "cost": (
        {"cost": 0.25},
        run("1", call(cost=0.1)),
        2,
        "exit_cost",
        "The limit of 0.25 US dollars was reached: 0.3000 were spent.",
    ),
    "steps": ({"steps": 3}, run(), 3, "exit_steps", "The limit of 3 steps was reached: 3 were made."),
    "execution": (
        {"execution_seconds": 3.0},
        run(),
        3,
        "Total compute time exceeded.",
        "The limit of 3 seconds of execution was reached: 3 were used.",
    ),
    "wall": (
        {"wall_seconds": 3.0},
        run(),
        3,
        "Total compute time exceeded.",
        "The limit of 3 seconds from start to end was reached: 3 have passed.",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_ends_the_attempt_and_names_itself(name: str, attempt: Attempt) -> None:
    changes, reply, steps, content, reason = LIMITS[name]

    outcome = attempt(ListAgent(reply), limits=NO_LIMITS.model_copy(update=changes))

    last = outcome.steps[-1]
    assert (outcome.kind, outcome.reason) == (OutcomeKind.STOPPED, reason)
    assert [step.action_type for step in outcome.steps] == ["execute"] * steps + ["exception"]
    assert (last.content, last.observation) == (content, reason)


@pytest.mark.parametrize("name", [name for name in LIMITS if name != "steps"])
def test_readers_of_the_format_know_which_limit_it_was(name: str, attempt: Attempt) -> None:
    changes, reply, *_ = LIMITS[name]

    outcome = attempt(ListAgent(reply), limits=NO_LIMITS.model_copy(update=changes))

    assert formats.read(history_json(outcome), name="history.json").ending is outcome.ending
    assert outcome.ending in (Ending.CONTEXT, Ending.COST, Ending.TIME)


def test_what_a_limit_cut_off_is_still_counted_and_kept(attempt: Attempt) -> None:
    outcome = attempt(
        ListAgent(run("2", call(prompt=9, response=3))),
        limits=NO_LIMITS.model_copy(update={"prompt_tokens": 8}),
    )

    assert (outcome.used.prompt_tokens, outcome.used.response_tokens) == (9, 3)
    assert sum(made.prompt_tokens for step in outcome.steps for made in step.calls) == 9
    assert outcome.steps[-1].reply == "raw 2"


def test_what_is_exactly_within_tokens_and_cost_is_within(attempt: Attempt) -> None:
    reply = replace(SUBMITS, calls=(call(prompt=100, cost=0.5),))

    outcome = attempt(
        ListAgent(reply), limits=NO_LIMITS.model_copy(update={"prompt_tokens": 100, "cost": 0.5})
    )

    assert outcome.kind is OutcomeKind.SUBMITTED


def test_execution_that_is_used_up_in_the_middle_of_a_cell_ends_it(
    attempt: Attempt, sandbox: FakeSandbox
) -> None:
    sandbox.cells = {"long": Cell("begun", seconds=9999)}

    outcome = attempt(
        ListAgent(run(), run("long")), limits=NO_LIMITS.model_copy(update={"execution_seconds": 100.0})
    )

    assert outcome.used.execution_seconds == 100
    assert outcome.steps[1].observation.startswith("begun")
    assert outcome.steps[1].observation.endswith(
        "[The limit of 100 seconds of execution was reached: 100 were used.]"
    )
    assert (outcome.ending, sandbox.closed) == (Ending.TIME, True)


def test_a_wall_that_is_hit_in_the_middle_of_a_cell_ends_it(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"long": Cell(seconds=9999)}

    outcome = attempt(
        ListAgent(run("long")),
        limits=NO_LIMITS.model_copy(update={"wall_seconds": 50.0, "cell_seconds": 100.0}),
    )

    assert (outcome.used.wall_seconds, outcome.ending) == (50, Ending.TIME)


def test_a_wall_that_is_hit_while_the_agent_thinks_ends_the_attempt(
    attempt: Attempt, clock: FakeClock
) -> None:
    def think() -> Reply:
        clock.seconds += 100
        return SUBMITS

    outcome = attempt(ListAgent(think), limits=NO_LIMITS.model_copy(update={"wall_seconds": 50.0}))

    assert (outcome.kind, outcome.ending) == (OutcomeKind.STOPPED, Ending.TIME)


def test_the_budget_is_told_while_a_cell_runs(attempt: Attempt, sandbox: FakeSandbox, tape: Tape) -> None:
    sandbox.cells = {"long": Cell(seconds=5)}

    attempt(ListAgent(run("long"), SUBMITS))

    told = [used.execution_seconds for used in tape.budgets]
    assert told == sorted(told)
    assert max(late - early for early, late in pairwise(told)) <= 0.5


def test_one_estimate_makes_the_sum_an_estimate(attempt: Attempt) -> None:
    outcome = attempt(
        ListAgent(run("1", call(1)), run("1", call(1, estimated=True)), run("1", call(1)), SUBMITS)
    )

    assert outcome.used.estimated
