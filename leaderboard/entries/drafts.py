"""Draft entries, as the check of an upload writes them."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.attempts.files import delete_unreferenced_blobs
from leaderboard.core.audit import record_event
from leaderboard.domain.entries import EntryState, Provenance
from leaderboard.entries.names import draft_slug, forget_agent
from leaderboard.intake.description import Description, Link
from leaderboard.models import Agent, Attempt, AttemptFile, Entry, TaskSet, Team


@transaction.atomic
def write_draft(entry: Entry | None, *, team: Team, task_set: TaskSet, description: Description) -> Entry:
    """Add a team's draft, or update ``entry`` to ``description``, which has at least agent and model.

    A draft of another task set loses its attempts.
    """
    agent, _ = Agent.objects.get_or_create(name=description.agent, model=description.model)
    if entry is None:
        entry = Entry(team=team, state=EntryState.DRAFT, slug=draft_slug(), provenance=Provenance.SUBMITTED)
    elif entry.task_set_id != task_set.pk:
        remove_attempts(Attempt.objects.filter(entry=entry))
    former = entry.agent_id or 0
    entry.agent, entry.task_set = agent, task_set
    set_texts(entry, description)
    action = "change draft" if entry.pk else "add draft"
    entry.save()
    record_event(action, entry, team=team.pk)
    forget_agent(former)
    return entry


def description_of(entry: Entry) -> Description:
    """What is said of an entry, as a description."""
    return Description(
        benchmark=entry.task_set.benchmark.slug,
        task_set=entry.task_set.slug,
        agent=entry.agent.name,
        agent_url=entry.agent_url,
        model=entry.agent.model,
        model_openness=entry.model_openness,
        scaffold_openness=entry.scaffold_openness,
        code=entry.code,
        links=tuple(Link(link["url"], link.get("label", "")) for link in entry.links),
        cost=entry.cost,
        evaluated=entry.evaluated,
        released=entry.released,
        notes=entry.notes,
    )


def set_texts(entry: Entry, description: Description) -> None:
    """Set what is said of an entry, but for its names; does not save it."""
    entry.agent_url, entry.code = description.agent_url, description.code
    entry.model_openness = description.model_openness
    entry.scaffold_openness = description.scaffold_openness
    entry.links = [{"label": link.label, "url": link.url} for link in description.links]
    entry.cost = description.cost
    entry.notes = description.notes
    entry.evaluated, entry.released = description.evaluated, description.released


def keep_attempts(entry: Entry, kept: Collection[tuple[str, int]]) -> int:
    """Remove a draft's attempts that are not in ``kept`` (task id and number); returns how many."""
    recorded = Attempt.objects.filter(entry=entry).values_list("task__task_id", "number", "pk")
    removed = [key for task_id, number, key in recorded if (task_id, number) not in kept]
    return remove_attempts(Attempt.objects.filter(pk__in=removed))


@transaction.atomic
def remove_attempts(attempts: QuerySet[Attempt]) -> int:
    """Remove attempts, and their files that no other attempt refers to; returns how many attempts."""
    keys = list(attempts.values_list("pk", flat=True))
    digests = list(AttemptFile.objects.filter(attempt__in=keys).values_list("blob", flat=True))
    Attempt.objects.filter(pk__in=keys).delete()
    transaction.on_commit(partial(delete_unreferenced_blobs, digests))
    return len(keys)
