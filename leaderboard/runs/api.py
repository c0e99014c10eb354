"""Runs in the API: readers follow public ones; operators start, cancel and publish them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from ninja import Field, Query, Schema, Status

from leaderboard.attempts.totals import usage_totals
from leaderboard.catalogue.selectors import get_task_set
from leaderboard.core.endpoints.callers import ApiRequest, Caller, require_scope
from leaderboard.core.endpoints.paging import Page, Paging, read_cursor_page
from leaderboard.core.endpoints.problems import form_problems
from leaderboard.core.endpoints.routers import RUNS, reads
from leaderboard.core.endpoints.schemas import TotalOut
from leaderboard.core.permissions import visible_runs
from leaderboard.domain.access import Scope
from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.errors import InputError, Problem
from leaderboard.entries.api import EntryOut, find_entry
from leaderboard.models import Entry, Job, Run
from leaderboard.runs import offers
from leaderboard.runs.forms import SETTING, RunForm
from leaderboard.runs.selectors import RunSummary, summarise
from leaderboard.runs.services import cancel_jobs, create_run, publish_run, retry_jobs, set_run_public


class RunOut(Schema):
    """A run of one agent on tasks of a set."""

    id: int
    task_set: str
    agent: str = Field(description="The agent's name on the board.")
    model: str
    entry: str = Field(description="The entry that collects its results.")
    entry_state: str
    sandbox: str
    public: bool
    created: datetime
    jobs: dict[str, int] = Field(description="How many jobs are in each state.")
    ended: bool = Field(
        description="Whether all its jobs have ended. An operator can retry failed or cancelled ones."
    )
    url: str
    page: str


class JobOut(Schema):
    """One attempt of a run."""

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
    """A run with its parameters, and what its attempts have used."""

    runner_agent: str = Field(description="The agent's name in the runner.")
    settings: dict[str, Any]
    limits: dict[str, Any]
    max_parallel: int
    used: list[TotalOut] = Field(description="What its attempts have used so far.")
    jobs_url: str


@reads(RUNS, "/runs", response=Page[RunOut])
def runs(request: ApiRequest, paging: Query[Paging]) -> dict[str, Any]:
    """List runs.

    The newest first. Operators get all runs, other callers the public ones.
    """
    listed = visible_runs(request.caller.visitor).select_related("entry__agent", "task_set__benchmark")
    rows, following = read_cursor_page(request, paging, listed, order=("-pk",))
    return {"items": [_run_data(summary) for summary in summarise(rows)], "next": following}


@reads(RUNS, "/runs/{int:pk}", response=RunDetail)
def run(request: ApiRequest, pk: int) -> dict[str, Any]:
    """Read a run."""
    return run_detail(find_run(request.caller, pk))


@reads(RUNS, "/runs/{int:pk}/jobs", response=Page[JobOut])
def jobs(request: ApiRequest, pk: int, paging: Query[Paging]) -> dict[str, Any]:
    """List the jobs of a run.

    Ordered by task id.
    """
    listed = find_run(request.caller, pk).jobs.select_related("task").defer("live_output")
    rows, following = read_cursor_page(request, paging, listed, order=("task__task_id", "number"))
    return {"items": [_job_data(row) for row in rows], "next": following}


def find_run(caller: Caller, pk: int) -> Run:
    """A run that the caller may see; raises `Http404` otherwise."""
    readable = visible_runs(caller.visitor).select_related("entry__agent", "task_set__benchmark")
    found = readable.filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such run.")
    return found


def run_detail(run: Run) -> dict[str, Any]:
    """A run with its parameters and totals. Two queries."""
    return {
        **_run_data(summarise([run])[0]),
        "runner_agent": run.agent,
        "settings": run.agent_settings,
        "limits": run.limits,
        "max_parallel": run.max_parallel,
        "used": usage_totals(run.entry.attempts.all(), run.task_set.scoring),
        "jobs_url": reverse("api:jobs", args=(run.pk,)),
    }


def _run_data(summary: RunSummary) -> dict[str, Any]:
    run = summary.run
    return {
        "id": run.pk,
        "task_set": run.task_set.key,
        "agent": run.entry.agent.name,
        "model": run.entry.agent.model,
        "entry": run.entry.slug,
        "entry_state": run.entry.state,
        "sandbox": run.sandbox,
        "public": run.public,
        "created": run.created,
        "jobs": summary.states,
        "ended": summary.ended,
        "url": reverse("api:run", args=(run.pk,)),
        "page": run.get_absolute_url(),
    }


def _job_data(job: Job) -> dict[str, Any]:
    return {
        "id": job.pk,
        "task_id": job.task.task_id,
        "number": job.number,
        "state": job.state,
        "phase": job.phase,
        "reason": job.reason,
        "started": job.started,
        "ended": job.ended,
        "used": job.used,
        "attempt": reverse("api:attempt", args=(job.attempt_id,)) if job.attempt_id else None,
        "page": job.get_absolute_url(),
    }


RUN_PATH = "/runs/{int:pk}"
OPERATOR = require_scope(Scope.OPERATE)


class RunIn(Schema):
    """The parameters of a new run."""

    task_set: str = Field(description="`benchmark/set`.")
    agent: str = Field(description="The agent's name in the runner.")
    tasks: list[str] | None = Field(None, description="Task ids; all tasks of the set if left out.")
    attempts: int = Field(1, description="Attempts at each task.")
    max_parallel: int = Field(2, description="Jobs that may run at the same time.")
    sandbox: str = Field("", description="`docker` or `local`; the first allowed one if left out.")
    scaffold: str = Field("", description="The agent's name on the board; the agent's default if left out.")
    model: str = Field("", description="The model's name on the board; the agent's default if left out.")
    settings: dict[str, Any] = Field({}, description="The agent's settings that differ from its defaults.")
    limits: dict[str, float] = Field({}, description="Limits that differ from the defaults.")


class JobsIn(Schema):
    """Which jobs of a run."""

    jobs: list[int] | None = Field(None, description="Job ids; all jobs of the run if left out.")


class RetryIn(JobsIn):
    """Which jobs to try again."""

    only_failed: bool = Field(False, description="Retry infrastructure errors only, not cancelled jobs.")


class RunPublishIn(Schema):
    """How to publish a run."""

    scaffold: str = Field("", description="The agent's name on the board; unchanged if left out.")
    model: str = Field("", description="The model's name on the board; unchanged if left out.")
    without_unfinished: bool = Field(
        False, description="Leave out jobs with an infrastructure error and cancelled ones."
    )


class RunChange(Schema):
    """Changes to a run."""

    public: bool = Field(description="Whether readers may see it.")


class CountOut(Schema):
    """How many jobs were changed."""

    jobs: int


@RUNS.post("/runs", auth=OPERATOR, response={201: RunDetail})
def create(request: ApiRequest, body: RunIn, response: HttpResponse) -> Status[dict[str, Any]]:
    """Start a run.

    Its jobs are queued, and a draft entry collects their results.
    """
    task_set = get_task_set(body.task_set)
    agent = offers.get_agent(body.agent)
    blank = RunForm(agent=agent, task_set=task_set, copied=None)
    form = RunForm({**blank.initial, **_form_data(blank, body)}, agent=agent, task_set=task_set, copied=None)
    if not form.is_valid():
        raise InputError(*form_problems(form, file="body"))
    run = create_run(task_set=task_set, user=request.caller.user, **form.cleaned_data)
    detail = run_detail(find_run(request.caller, run.pk))
    response["Location"] = detail["url"]
    return Status(201, detail)


@RUNS.patch(RUN_PATH, auth=OPERATOR, response=RunDetail)
def change(request: ApiRequest, pk: int, body: RunChange) -> dict[str, Any]:
    """Show a run to readers, or hide it from them."""
    set_run_public(find_run(request.caller, pk), body.public, user=request.caller.user)
    return run_detail(find_run(request.caller, pk))


@RUNS.post(f"{RUN_PATH}/cancel", auth=OPERATOR, response=CountOut)
def cancel(request: ApiRequest, pk: int, body: JobsIn) -> dict[str, int]:
    """Cancel jobs that have not ended."""
    return {"jobs": cancel_jobs(find_run(request.caller, pk), body.jobs, user=request.caller.user)}


@RUNS.post(f"{RUN_PATH}/retry", auth=OPERATOR, response=CountOut)
def retry(request: ApiRequest, pk: int, body: RetryIn) -> dict[str, int]:
    """Retry jobs that had an infrastructure error or were cancelled."""
    found = find_run(request.caller, pk)
    return {"jobs": retry_jobs(found, body.jobs, only_failed=body.only_failed, user=request.caller.user)}


@RUNS.post(f"{RUN_PATH}/publish", auth=OPERATOR, response=EntryOut, url_name="publish-run")
def publish_results(request: ApiRequest, pk: int, body: RunPublishIn) -> Entry:
    """Publish a run's results as an entry."""
    entry = publish_run(find_run(request.caller, pk), user=request.caller.user, **body.dict())
    return find_entry(request.caller, entry.slug)


def _form_data(form: RunForm, body: RunIn) -> dict[str, Any]:
    """The parameters of ``body`` as data for the form.

    Raises:
        InputError: unknown settings or limits.
    """
    unknown = [
        Problem("body", f"$.{kind}.{name}", "unknown field")
        for kind, names in (
            ("settings", {name for name in body.settings if SETTING + name not in form.fields}),
            ("limits", set(body.limits) - set(BUDGETS)),
        )
        for name in sorted(names)
    ]
    if unknown:
        raise InputError(*unknown)
    sandboxes = form.fields["sandbox"].choices  # type: ignore[attr-defined]  # a choice field
    named = body.dict(include={"attempts", "max_parallel", "tasks", "scaffold", "model", "sandbox"})
    default = {"sandbox": sandboxes[0][0]} if sandboxes else {}
    settings = {SETTING + name: value for name, value in body.settings.items()}
    return {**default, **{name: value for name, value in named.items() if value}, **settings, **body.limits}
