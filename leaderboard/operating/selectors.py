"""The operators' queue (self-reported entries, stale scores, and more), suspicions, drafts, and the audit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.core.pages import Beginning, Page, read_beginning, read_page
from leaderboard.domain.entries import OPEN, EntryState, Evidence
from leaderboard.domain.uploads import UploadState
from leaderboard.models import (
    Agent,
    AttemptSuspicions,
    AuditEvent,
    Entry,
    TaskDraft,
    TaskSet,
    Team,
    Upload,
)
from leaderboard.operating.rescoring import PREVIEWED, stale_attempts

LISTED = 50
"""Rows that each part of the queue lists; the rest are counted."""
EVENTS_A_PAGE = 100
SUSPECTED_A_PAGE = 50
DRAFTS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class StaleSet:
    """A task set with stale scores, and which ranks re-scoring would change.

    ``preview`` is None until a worker has computed it for as many attempts as are stale now.
    """

    task_set: TaskSet
    attempts: int
    preview: dict[str, Any] | None
    previewed: datetime | None


@dataclass(frozen=True, slots=True)
class OperatorQueue:
    """All that operators should look at."""

    teams: Beginning[Team]
    unranked: Beginning[Entry]
    hidden: Beginning[Entry]
    stale: list[StaleSet]
    similar: list[list[Agent]]
    suspected: int
    drafts: int


def read_operator_queue() -> OperatorQueue:
    """The operators' queue. Twelve queries, and one for each task set with stale scores."""
    shown = Entry.objects.select_related("agent", "task_set__benchmark", "team")
    unranked = shown.filter(state=EntryState.PUBLISHED, evidence=Evidence.SELF_REPORTED)
    hidden = shown.filter(state=EntryState.HIDDEN)
    return OperatorQueue(
        teams=read_beginning(waiting_teams(), LISTED),
        unranked=read_beginning(unranked.order_by("-published", "pk"), LISTED),
        hidden=read_beginning(hidden.order_by("-state_since", "pk"), LISTED),
        stale=_stale_sets(),
        similar=similar_agents(),
        suspected=AttemptSuspicions.objects.filter(verdict=AttemptSuspicions.Verdict.OPEN).count(),
        drafts=TaskDraft.objects.filter(state=TaskDraft.State.HELD).count(),
    )


def waiting_teams() -> QuerySet[Team]:
    """Teams with an upload that waits until they are admitted, the longest wait first."""
    waiting = Upload.objects.filter(state=UploadState.WAITING, resume=None)
    return Team.objects.filter(admitted=None, pk__in=waiting.values("team")).order_by("admission_asked", "pk")


def similar_agents() -> list[list[Agent]]:
    """Groups of agents whose names differ only in case, spaces and punctuation; the first ``LISTED`` groups.

    Linear in the number of agents that readers can see. One query.
    """
    readable = Entry.objects.filter(state__in=OPEN).values("agent")
    seen = Agent.objects.filter(pk__in=readable).annotate(n=Count("entries"))
    groups: dict[str, list[Agent]] = defaultdict(list)
    for agent in seen.order_by("-n", "pk"):
        groups[f"{_normalised(agent.name)}·{_normalised(agent.model)}"].append(agent)
    return [group for group in groups.values() if len(group) > 1][:LISTED]


def read_events(page: int, *, entry: Entry | None = None) -> Page[AuditEvent]:
    """A page of the audit, or of one entry's events. One query."""
    events = AuditEvent.objects.select_related("actor", "entry").order_by("-at", "-pk")
    if entry is not None:
        events = events.filter(entry=entry)
    return read_page(events, page, size=EVENTS_A_PAGE, show=lambda event: event)


def read_suspected(page: int, *, entry: Entry | None, decided: bool) -> Page[AttemptSuspicions]:
    """A page of suspected attempts, with a verdict or without one; of one entry if given. One query."""
    verdict = AttemptSuspicions.Verdict.OPEN
    rows = AttemptSuspicions.objects.all()
    rows = rows.exclude(verdict=verdict) if decided else rows.filter(verdict=verdict)
    if entry is not None:
        rows = rows.filter(attempt__entry=entry)
    large = [f"attempt__{name}" for name in LARGE_FIELDS]
    related = ("attempt__entry__agent", "attempt__entry__task_set__benchmark", "attempt__task", "decided_by")
    shown = rows.select_related(*related).defer(*large)
    return read_page(shown, page, size=SUSPECTED_A_PAGE, show=lambda row: row)


def read_drafts(page: int, *, decided: bool) -> Page[TaskDraft]:
    """A page of drafted tasks, held for review or decided. One query."""
    held = TaskDraft.State.HELD
    rows = TaskDraft.objects.exclude(state=held) if decided else TaskDraft.objects.filter(state=held)
    shown = rows.select_related("decided_by").defer("query", "command", "landmarks")
    return read_page(shown, page, size=DRAFTS_A_PAGE, show=lambda row: row)


def approved_records() -> list[dict[str, Any]]:
    """The approved drafts in the fields of the public dataset, the oldest first. One query."""
    return [
        {
            "task_id": draft.task_id,
            "title": draft.title,
            "query": draft.query,
            "github_repo": draft.repository,
            "git_commit": draft.commit,
            "entrypoint": draft.entrypoint,
            "landmarks": draft.landmarks,
        }
        for draft in TaskDraft.objects.filter(state=TaskDraft.State.APPROVED).order_by("pk")
    ]


def _stale_sets() -> list[StaleSet]:
    counts = dict(
        stale_attempts()
        .order_by()
        .values("task__task_set")
        .annotate(n=Count("pk", distinct=True))
        .values_list("task__task_set", "n")
    )
    task_sets: Iterable[TaskSet] = TaskSet.objects.filter(pk__in=counts).select_related("benchmark")
    return [_stale_set(task_set, counts[task_set.pk]) for task_set in task_sets]


def _stale_set(task_set: TaskSet, attempts: int) -> StaleSet:
    previews = AuditEvent.objects.filter(action=PREVIEWED, detail__task_set=task_set.pk)
    event = previews.order_by("-at", "-pk").first()
    if event is None or event.detail["attempts"] != attempts:
        return StaleSet(task_set, attempts, None, None)
    return StaleSet(task_set, attempts, event.detail, event.at)


def _normalised(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
