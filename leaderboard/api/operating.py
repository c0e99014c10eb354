"""Runs, as operators make, stop and publish them."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from ninja import Field, Schema, Status

from leaderboard import offers
from leaderboard.api.callers import ApiRequest, needs
from leaderboard.api.catalogue import form_problems
from leaderboard.api.entries import entry_data
from leaderboard.api.reading import find_entry
from leaderboard.api.routers import RUNS
from leaderboard.api.runs import RunDetail, find_run, run_detail
from leaderboard.api.schemas import EntryOut
from leaderboard.budgets import BUDGETS
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputErrors, Problem
from leaderboard.run_forms import SETTING, RunForm
from leaderboard.selectors.catalogue import get_task_set
from leaderboard.services.runs import cancel_units, create_run, publish_run, retry_units, set_run_public

ONE = "/runs/{int:pk}"
OPERATOR = needs(Scope.OPERATE)


class RunIn(Schema):
    """What is to be run."""

    task_set: str = Field(description="`benchmark/set`.")
    agent: str = Field(description="The agent's name in the runner.")
    tasks: list[str] | None = Field(None, description="Ids; all tasks of the set if left out.")
    attempts: int = Field(1, description="Tries at each task.")
    max_parallel: int = Field(2, description="Units that may run at the same time.")
    sandbox: str = Field("", description="`docker` or `local`; the first that may be used if left out.")
    scaffold: str = Field("", description="The agent's name on the board; its own if left out.")
    model: str = Field("", description="Its model's name on the board; its own if left out.")
    settings: dict[str, Any] = Field({}, description="Of the agent, where they differ from its defaults.")
    limits: dict[str, float] = Field({}, description="Budgets, where they differ from the defaults.")


class UnitsIn(Schema):
    """Which units of a run."""

    units: list[int] | None = Field(None, description="Their ids; all of them if left out.")


class RetryIn(UnitsIn):
    """Which units to try again."""

    only_failed: bool = Field(
        False, description="Those that failed of us, and not those that were cancelled."
    )


class RunPublishIn(Schema):
    """What a run is published as."""

    scaffold: str = Field("", description="The agent's name on the board; as it is if left out.")
    model: str = Field("", description="Its model's name on the board; as it is if left out.")
    without_unfinished: bool = Field(False, description="Leave out what failed of us or was cancelled.")


class RunChange(Schema):
    """What is to change about a run."""

    public: bool = Field(description="Whether readers may watch it.")


class CountOut(Schema):
    """How many units it concerned."""

    units: int


@RUNS.post("/runs", auth=OPERATOR, response={201: RunDetail})
def create(request: ApiRequest, body: RunIn, response: HttpResponse) -> Status[dict[str, Any]]:
    """Make a run.

    Its units are queued, and their results gather in a draft entry.
    """
    task_set = get_task_set(body.task_set)
    agent = offers.get_agent(body.agent)
    blank = RunForm(agent=agent, task_set=task_set, copied=None)
    asked = {**blank.initial, **_given(blank, body)}
    form = RunForm(asked, agent=agent, task_set=task_set, copied=None)
    if not form.is_valid():
        raise InputErrors(tuple(form_problems(form, file="body")))
    run = create_run(task_set=task_set, user=request.caller.user, **form.cleaned_data)
    detail = run_detail(find_run(request.caller, run.pk))
    response["Location"] = detail["url"]
    return Status(201, detail)


@RUNS.patch(ONE, auth=OPERATOR, response=RunDetail)
def change(request: ApiRequest, pk: int, body: RunChange) -> dict[str, Any]:
    """Let readers watch a run, or no longer."""
    set_run_public(find_run(request.caller, pk), body.public, user=request.caller.user)
    return run_detail(find_run(request.caller, pk))


@RUNS.post(f"{ONE}/cancel", auth=OPERATOR, response=CountOut)
def cancel(request: ApiRequest, pk: int, body: UnitsIn) -> dict[str, int]:
    """Cancel units that have not ended."""
    return {"units": cancel_units(find_run(request.caller, pk), body.units, user=request.caller.user)}


@RUNS.post(f"{ONE}/retry", auth=OPERATOR, response=CountOut)
def retry(request: ApiRequest, pk: int, body: RetryIn) -> dict[str, int]:
    """Queue units again that failed of us or were cancelled."""
    found = find_run(request.caller, pk)
    return {"units": retry_units(found, body.units, only_failed=body.only_failed, user=request.caller.user)}


@RUNS.post(f"{ONE}/publish", auth=OPERATOR, response=EntryOut, url_name="publish-run")
def publish_results(request: ApiRequest, pk: int, body: RunPublishIn) -> dict[str, Any]:
    """Publish a run's results as an entry."""
    entry = publish_run(find_run(request.caller, pk), user=request.caller.user, **body.dict())
    return entry_data(find_entry(request.caller, entry.slug))


def _given(form: RunForm, body: RunIn) -> dict[str, Any]:
    """What was said, as the form's fields take it.

    Raises:
        InputErrors: a setting or a limit that there is not.
    """
    unknown = [
        Problem("body", f"$.{kind}.{name}", "there is no such field")
        for kind, names in (
            ("settings", {name for name in body.settings if SETTING + name not in form.fields}),
            ("limits", set(body.limits) - set(BUDGETS)),
        )
        for name in sorted(names)
    ]
    if unknown:
        raise InputErrors(tuple(unknown))
    sandboxes = form.fields["sandbox"].choices  # type: ignore[attr-defined]  # a choice field
    named = body.dict(include={"attempts", "max_parallel", "tasks", "scaffold", "model", "sandbox"})
    first = {"sandbox": sandboxes[0][0]} if sandboxes else {}
    settings = {SETTING + name: value for name, value in body.settings.items()}
    return {**first, **{name: value for name, value in named.items() if value}, **settings, **body.limits}
