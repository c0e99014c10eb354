"""Runs: readers watch the public ones, operators all of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404
from django.urls import reverse
from ninja import Field, Query, Schema

from leaderboard.api.callers import ApiRequest, Caller
from leaderboard.api.paging import Page, Paging, take_page
from leaderboard.api.reading import reads
from leaderboard.api.routers import RUNS
from leaderboard.models import Run, Unit
from leaderboard.permissions import visible_runs
from leaderboard.selectors.runs import RunSummary, summarise


class RunOut(Schema):
    """An agent that the runner executes on tasks of a set."""

    id: int
    task_set: str
    agent: str = Field(description="The agent's name on the board.")
    model: str
    entry: str = Field(description="The entry that its results gather in.")
    entry_state: str
    sandbox: str
    public: bool
    created: datetime
    units: dict[str, int] = Field(description="How many units are in each state.")
    ended: bool = Field(description="Nothing happens any more unless an operator asks for it.")
    url: str
    page: str


class UnitOut(Schema):
    """One attempt that a run makes."""

    id: int
    task_id: str
    number: int
    state: str
    phase: str
    reason: str
    started: datetime | None
    ended: datetime | None
    used: dict[str, Any] = Field(description="What it has used of each limit.")
    attempt: str | None
    page: str


class RunDetail(RunOut):
    """A run with how it was asked for."""

    runner_agent: str = Field(description="The agent's name in the runner.")
    settings: dict[str, Any]
    limits: dict[str, Any]
    max_parallel: int
    units_url: str


@reads(RUNS, "/runs", response=Page[RunOut])
def runs(request: ApiRequest, paging: Query[Paging]) -> dict[str, Any]:
    """List runs.

    The newest first: those that are public, and all of them to operators.
    """
    listed = visible_runs(request.caller.visitor).select_related("entry__agent", "task_set__benchmark")
    rows, following = take_page(request, paging, listed, order=("-pk",))
    return {"items": [_run_data(summary) for summary in summarise(rows)], "next": following}


@reads(RUNS, "/runs/{int:pk}", response=RunDetail)
def run(request: ApiRequest, pk: int) -> dict[str, Any]:
    """Read a run."""
    return run_detail(find_run(request.caller, pk))


@reads(RUNS, "/runs/{int:pk}/units", response=Page[UnitOut])
def units(request: ApiRequest, pk: int, paging: Query[Paging]) -> dict[str, Any]:
    """List the units of a run.

    By their tasks' ids.
    """
    listed = find_run(request.caller, pk).units.select_related("task").defer("live_output")
    rows, following = take_page(request, paging, listed, order=("task__task_id", "number"))
    return {"items": [_unit_data(row) for row in rows], "next": following}


def find_run(caller: Caller, pk: int) -> Run:
    """A run that the caller may watch."""
    readable = visible_runs(caller.visitor).select_related("entry__agent", "task_set__benchmark")
    found = readable.filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such run.")
    return found


def run_detail(run: Run) -> dict[str, Any]:
    """A run with how it was asked for. One query."""
    return {
        **_run_data(summarise([run])[0]),
        "runner_agent": run.agent,
        "settings": run.agent_settings,
        "limits": run.limits,
        "max_parallel": run.max_parallel,
        "units_url": reverse("api:units", args=(run.pk,)),
    }


def _run_data(summary: RunSummary) -> dict[str, Any]:
    run = summary.run
    return {
        "id": run.pk,
        "task_set": f"{run.task_set.benchmark.slug}/{run.task_set.slug}",
        "agent": run.entry.agent.name,
        "model": run.entry.agent.model,
        "entry": run.entry.slug,
        "entry_state": run.entry.state,
        "sandbox": run.sandbox,
        "public": run.public,
        "created": run.created,
        "units": summary.states,
        "ended": summary.ended,
        "url": reverse("api:run", args=(run.pk,)),
        "page": run.get_absolute_url(),
    }


def _unit_data(unit: Unit) -> dict[str, Any]:
    return {
        "id": unit.pk,
        "task_id": unit.task.task_id,
        "number": unit.number,
        "state": unit.state,
        "phase": unit.phase,
        "reason": unit.reason,
        "started": unit.started,
        "ended": unit.ended,
        "used": unit.used,
        "attempt": reverse("api:attempt", args=(unit.attempt_id,)) if unit.attempt_id else None,
        "page": unit.get_absolute_url(),
    }
