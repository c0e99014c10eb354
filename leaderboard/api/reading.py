"""What every operation that only reads shares: its methods, and how things are found or said to be gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.http import Http404
from ninja import Router

from leaderboard.api.callers import Caller
from leaderboard.api.problems import Refusal
from leaderboard.domain.entries import GONE, EntryState
from leaderboard.domain.text import storable
from leaderboard.models import Attempt, Entry, Task, TaskSet
from leaderboard.permissions import visible_attempts, visible_entries
from leaderboard.selectors.catalogue import all_task_sets

Operation = TypeVar("Operation", bound=Callable[..., Any])


def reads(router: Router, path: str, **options: Any) -> Callable[[Operation], Operation]:
    """Register an operation that only reads, for GET and HEAD alike."""
    return router.api_operation(["GET", "HEAD"], path, **options)


def find_task_set(benchmark: str, slug: str) -> TaskSet:
    """A task set with its benchmark and ``task_count``. One query."""
    for task_set in all_task_sets():
        if (task_set.benchmark.slug, task_set.slug) == (benchmark, slug):
            return task_set
    raise Http404("There is no such task set.")


def find_task(benchmark: str, slug: str, task_id: str) -> Task:
    """A task with its categories. Three queries."""
    task_set = find_task_set(benchmark, slug)
    found = task_set.tasks.prefetch_related("categories").filter(task_id=storable(task_id)).first()
    if found is None:
        raise Http404("This task set has no task of that name.")
    found.task_set = task_set
    return found


def find_entry(caller: Caller, slug: str) -> Entry:
    """An entry that the caller may see.

    Raises:
        Refusal: it was withdrawn or hidden: what was said about it in public.
        Http404: there is none, or none that they may see.
    """
    found = with_relations(visible_entries(caller.visitor)).filter(slug=slug).first()
    if found is None:
        _say_if_gone(Entry.objects.filter(slug=slug))
        raise Http404("There is no such entry.")
    return found


def find_attempt(caller: Caller, pk: int, *fields: str) -> Attempt:
    """An attempt of an entry that the caller may see, with ``fields`` alone where some are named.

    Raises:
        Refusal: its entry was withdrawn or hidden.
        Http404: there is none, or none that they may see.
    """
    readable = visible_attempts(caller.visitor).filter(pk=pk)
    if fields:
        readable = readable.only(*fields)
    found = readable.select_related("entry__agent", "entry__task_set__benchmark", "task").first()
    if found is None:
        _say_if_gone(Entry.objects.filter(attempts__pk=pk))
        raise Http404("There is no such attempt.")
    return found


def with_relations(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Entries with all that an answer says of them, in one query."""
    return entries.select_related("agent", "task_set__benchmark", "team", "previous", "next", "run")


def _say_if_gone(entries: QuerySet[Entry]) -> None:
    gone = entries.filter(state__in=GONE).values_list("state", "state_reason").first()
    if gone is None:
        return
    state, reason = gone
    said = {
        EntryState.WITHDRAWN: "This entry was withdrawn by its owners",
        EntryState.HIDDEN: "This entry was hidden by an operator",
    }[EntryState(state)]
    raise Refusal("gone", f"{said}: {reason}", state=state, reason=reason)
