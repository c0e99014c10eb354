"""Pages of runs: operators start, cancel and publish them; readers follow public ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.attempts.totals import shown_totals
from leaderboard.catalogue.selectors import all_task_sets, get_task_set
from leaderboard.core.numbers import row_number
from leaderboard.core.permissions import can_operate, check_can_operate, visible_runs
from leaderboard.core.workers import WORKER_COMMAND
from leaderboard.domain.errors import InputError
from leaderboard.domain.jobs import TERMINAL, JobState
from leaderboard.domain.text import plural
from leaderboard.models import Job, Run, TaskSet
from leaderboard.runs import offers
from leaderboard.runs.forms import RunForm
from leaderboard.runs.fragments import job_step_html
from leaderboard.runs.selectors import (
    budgets,
    hit_landmarks,
    read_job_queue,
    run_grid,
    steps_after,
    summarise,
    timed_out_landmarks,
)
from leaderboard.runs.services import cancel_jobs, create_run, publish_run, retry_jobs, set_run_public

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@require_safe
@vary_on_headers("HX-Request")
@login_required
def runs(request: HttpRequest) -> HttpResponse:
    """Every run, the queue, and the live workers."""
    check_can_operate(request.user)
    listed = Run.objects.select_related("entry__agent", "task_set__benchmark")
    summaries = summarise(listed)
    context = {
        "task_sets": all_task_sets(),
        "runs": summaries,
        "queue": read_job_queue(),
        "worker_command": WORKER_COMMAND,
        "busy": any(not summary.ended for summary in summaries),
    }
    template = "runs/runs.html" + ("#live" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@login_required
def new_run(request: HttpRequest) -> HttpResponse:
    """Choose an agent and a task set, then the other parameters; ``?from=`` copies another run's."""
    check_can_operate(request.user)
    copied = get_object_or_404(Run, pk=row_number(request.GET, "from")) if "from" in request.GET else None
    task_sets = all_task_sets()
    context: dict[str, Any] = {"task_sets": task_sets, "agents": offers.agents(), "copied": copied}
    chosen = _agent_and_task_set(request, copied)
    if chosen is None:
        return render(request, "runs/new_run.html", context)
    agent, task_set = chosen
    form = RunForm(request.POST or None, agent=agent, task_set=task_set, copied=copied)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(create_run(task_set=task_set, user=_operator(request), **form.cleaned_data))
        except InputError as error:
            form.add_error(None, str(error))
    context |= {"form": form, "agent": agent, "task_set": task_set}
    return render(request, "runs/new_run.html", context)


@require_safe
@vary_on_headers("HX-Request")
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """A run's jobs in a table of tasks by attempts, which polls until all have ended."""
    shown = _run(request, pk)
    context = {
        "task_sets": all_task_sets(),
        "task_set": shown.task_set,
        "summary": summarise([shown])[0],
        "grid": run_grid(shown),
        "totals": shown_totals(shown.entry.attempts.all(), shown.task_set.scoring),
        "operator": can_operate(request.user),
    }
    template = "runs/run.html" + ("#live" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@vary_on_headers("HX-Request")
def job(request: HttpRequest, pk: int, job: int) -> HttpResponse:
    """A job with its steps, live. ``?claim=&after=`` name the last step that a polling page has."""
    shown_run = _run(request, pk)
    shown = get_object_or_404(Job.objects.select_related("task"), run=shown_run, pk=job)
    claim_number, after = (row_number(request.GET, name) for name in ("claim", "after"))
    steps = [
        {"row": step, "html": job_step_html(shown, step)} for step in steps_after(shown, claim_number, after)
    ]
    context = {
        "task_sets": all_task_sets(),
        "task_set": shown_run.task_set,
        "run": shown_run,
        "job": shown,
        "steps": steps,
        "last": steps[-1]["row"] if steps else None,
        "seen": {"claim_number": claim_number, "after": after},
        "live": JobState(shown.state) not in TERMINAL,
        "budgets": budgets(shown),
        "hit_landmarks": hit_landmarks(shown),
        "timed_out_landmarks": timed_out_landmarks(shown),
        "operator": can_operate(request.user),
    }
    template = "runs/job.html" + ("#live" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_POST
@login_required
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel, retry, publish, open or close a run, as ``action`` says; ``job`` limits it to one job."""
    check_can_operate(request.user)
    user = _operator(request)
    shown = _run(request, pk)
    # An invalid ``job`` must match no job, not all of them.
    jobs = [row_number(request.POST, "job")] if "job" in request.POST else None
    try:
        match request.POST.get("action"):
            case "cancel":
                count = cancel_jobs(shown, jobs, user=user)
                text = plural(count, "{n} job is being cancelled.", "{n} jobs are being cancelled.")
                messages.info(request, text)
            case "retry" | "retry-failed" as action:
                count = retry_jobs(shown, jobs, only_failed=action == "retry-failed", user=user)
                text = plural(count, "{n} job is queued again.", "{n} jobs are queued again.")
                messages.info(request, text)
            case "publish" | "publish-without" as action:
                names = {name: request.POST.get(name, "").strip() for name in ("scaffold", "model")}
                without = action == "publish-without"
                return redirect(publish_run(shown, **names, without_unfinished=without, user=user))
            case "open" | "close" as action:
                set_run_public(shown, action == "open", user=user)
            case _:
                messages.error(request, "A run has no such action.")
    except InputError as error:
        messages.error(request, str(error))
    back = request.POST.get("next", "")
    return redirect(back if back.startswith("/runs/") else shown.get_absolute_url())


def _run(request: HttpRequest, pk: int) -> Run:
    readable = visible_runs(request.user).select_related("entry__agent", "task_set__benchmark")
    return get_object_or_404(readable, pk=pk)


def _operator(request: HttpRequest) -> User:
    """The signed-in operator, after `check_can_operate`."""
    return cast("User", request.user)


def _agent_and_task_set(request: HttpRequest, copied: Run | None) -> tuple[offers.AgentOffer, TaskSet] | None:
    """The agent and task set in the query string, or those of the copied run; None without both."""
    try:
        if copied and "agent" not in request.GET:
            return offers.get_agent(copied.agent), copied.task_set
        if "agent" not in request.GET or "set" not in request.GET:
            return None
        return offers.get_agent(request.GET["agent"]), get_task_set(request.GET["set"])
    except InputError as error:
        raise Http404(str(error)) from error
