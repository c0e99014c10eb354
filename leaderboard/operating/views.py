"""The operators' pages: their queue and the audit."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.form_errors import add_refusal
from leaderboard.core.numbers import page_number, row_number
from leaderboard.core.permissions import SignedInRequest, check_can_operate
from leaderboard.domain.errors import InputError
from leaderboard.domain.text import plural
from leaderboard.entries.names import merge_agents
from leaderboard.models import Agent, Attempt, Entry, TaskDraft, TaskSet, Team
from leaderboard.operating.admissions import admit_team
from leaderboard.operating.benchmarks import (
    Done,
    import_uploaded_tasks,
    list_benchmarks,
    save_description,
)
from leaderboard.operating.drafts import SAVE, review_draft
from leaderboard.operating.forms import BenchmarkForm, DraftForm, TasksForm
from leaderboard.operating.rescoring import request_preview, request_rescore
from leaderboard.operating.selectors import read_drafts, read_events, read_operator_queue, read_suspected
from leaderboard.operating.suspicions import judge_suspicions


@require_safe
@login_required
def queue(request: SignedInRequest) -> HttpResponse:
    """Teams to admit, self-reported entries, stale scores, hidden entries, similar agent names."""
    check_can_operate(request.user)
    context = {"task_sets": all_task_sets(), "queue": read_operator_queue()}
    return render(request, "operating/operate.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def benchmarks(request: SignedInRequest) -> HttpResponse:
    """Every benchmark; ``action`` shows what a benchmark's text would change, saves it, or imports tasks."""
    check_can_operate(request.user)
    action = request.POST.get("action", "")
    form = BenchmarkForm(request.POST if action in ("preview", "save") else None)
    tasks_form = TasksForm(*((request.POST, request.FILES) if action == "tasks" else ()))
    done: Done | None = None
    try:
        if form.is_valid():
            text = form.cleaned_data["text"]
            name = "benchmark.json" if text.lstrip().startswith("{") else "benchmark.yaml"
            done = save_description(text, name=name, user=request.user, preview=action == "preview")
        elif tasks_form.is_valid():
            said = tasks_form.cleaned_data
            done = import_uploaded_tasks(said["file"], task_set=said["task_set"], user=request.user)
    except InputError as error:
        add_refusal(form if form.is_bound else tasks_form, error, {})
    if done and action != "preview":
        for sentence in done.changes or ("Nothing changed.",):
            messages.info(request, sentence)
        for sentence in done.warnings:
            messages.warning(request, sentence)
        return redirect("operate-benchmarks")
    context = {
        "task_sets": all_task_sets(),
        "benchmarks": list_benchmarks(),
        "form": form,
        "tasks_form": tasks_form,
        "preview": done,
    }
    return render(request, "operating/benchmarks.html", context)


@require_safe
@login_required
def audit(request: SignedInRequest) -> HttpResponse:
    """Who did what, the latest first; ``?entry=`` shows one entry's events."""
    check_can_operate(request.user)
    slug = request.GET.get("entry", "")
    entry = get_object_or_404(Entry.objects.select_related("agent", "task_set"), slug=slug) if slug else None
    context = {
        "task_sets": all_task_sets(),
        "entry": entry,
        "events": read_events(page_number(request.GET), entry=entry),
    }
    return render(request, "operating/audit.html", context)


@require_safe
@login_required
def suspected(request: SignedInRequest) -> HttpResponse:
    """Suspected attempts without a verdict; ``?decided=1`` those with one, ``?entry=`` those of an entry."""
    check_can_operate(request.user)
    slug = request.GET.get("entry", "")
    entry = get_object_or_404(Entry.objects.select_related("agent", "task_set"), slug=slug) if slug else None
    decided = "decided" in request.GET
    context = {
        "task_sets": all_task_sets(),
        "entry": entry,
        "decided": decided,
        "suspected": read_suspected(page_number(request.GET), entry=entry, decided=decided),
    }
    return render(request, "operating/suspected.html", context)


@require_POST
@login_required
def judge(request: SignedInRequest, pk: int) -> HttpResponse:
    """Confirm or dismiss the suspicions about an attempt, as ``action`` says, or reopen them."""
    check_can_operate(request.user)
    attempt = get_object_or_404(Attempt.objects.defer(*LARGE_FIELDS), pk=pk)
    action, why = request.POST.get("action", ""), request.POST.get("reason", "")
    shown = row_number(request.POST, "suspicions")
    try:
        judge_suspicions(attempt, action, shown=shown, why=why, user=request.user)
    except InputError as error:
        messages.error(request, str(error))
        return redirect("suspected")
    return redirect(attempt)


@require_safe
@login_required
def drafts(request: SignedInRequest) -> HttpResponse:
    """Drafted tasks that wait for a decision; ``?decided=1`` those that have one."""
    check_can_operate(request.user)
    decided = "decided" in request.GET
    context = {
        "task_sets": all_task_sets(),
        "decided": decided,
        "drafts": read_drafts(page_number(request.GET), decided=decided),
    }
    return render(request, "operating/drafts.html", context)


@login_required
def draft(request: SignedInRequest, pk: int) -> HttpResponse:
    """A drafted task; ``action`` saves its query, approves or rejects it."""
    check_can_operate(request.user)
    shown = get_object_or_404(TaskDraft.objects.select_related("decided_by"), pk=pk)
    form = DraftForm(request.POST if request.method == "POST" else None, draft=shown)
    if request.method == "POST" and form.is_valid():
        action, said = request.POST.get("action", ""), form.cleaned_data
        try:
            review_draft(
                shown,
                action,
                query=said["query"],
                why=said["reason"],
                seen=said["version"],
                user=request.user,
            )
        except InputError as error:
            add_refusal(form, error, {})
        else:
            return redirect(shown if action == SAVE else "task-drafts")
    context = {"task_sets": all_task_sets(), "draft": shown, "form": form}
    return render(request, "operating/draft.html", context)


@require_POST
@login_required
def rescore(request: SignedInRequest) -> HttpResponse:
    """Preview the re-scoring of a task set's stale scores (``action=preview``), or start it."""
    check_can_operate(request.user)
    task_set = get_object_or_404(TaskSet, pk=row_number(request.POST, "task_set"))
    if request.POST.get("action") == "preview":
        request_preview(task_set, user=request.user)
        text = "A worker computes which ranks would change; load this page again to see them."
    else:
        n = request_rescore(task_set, user=request.user)
        text = plural(n, "{n} attempt will be re-scored.", "{n} attempts will be re-scored.")
    messages.info(request, text)
    return redirect("operate")


@require_POST
@login_required
def admit(request: SignedInRequest) -> HttpResponse:
    """Let the uploads of the team ``team`` be checked."""
    check_can_operate(request.user)
    team = get_object_or_404(Team, pk=row_number(request.POST, "team"))
    n = admit_team(team, user=request.user)
    queued = plural(n, "{n} upload is queued.", "{n} uploads are queued.")
    messages.info(request, f"{team} is admitted: {queued}")
    return redirect("operate")


@require_POST
@login_required
def merge(request: SignedInRequest) -> HttpResponse:
    check_can_operate(request.user)
    keep, merged = (get_object_or_404(Agent, pk=row_number(request.POST, name)) for name in ("keep", "merge"))
    try:
        n = merge_agents(keep=keep, merge=merged, user=request.user)
        messages.info(request, plural(n, "{n} entry was moved.", "{n} entries were moved."))
    except InputError as error:
        messages.error(request, str(error))
    return redirect("operate")
