"""Names of entries on boards: which are valid and free; renames, and merges of agents."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from leaderboard.attempts.files import retitle_page
from leaderboard.attempts.services import attempt_title
from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.core.audit import record_event
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.entries.selectors import NAME_LENGTH
from leaderboard.models import Agent, Attempt, Entry, TaskSet


def ensure_entry(
    *, task_set: TaskSet, agent: str, model: str, source: str = "", source_url: str = ""
) -> Entry:
    """Get or add the published entry of ``agent`` with ``model`` on ``task_set``.

    A given source replaces the stored one; an empty source leaves it.
    """
    with transaction.atomic():
        named, _ = Agent.objects.get_or_create(name=agent, model=model)
        entry, added = Entry.objects.get_or_create(
            agent=named,
            task_set=task_set,
            state=EntryState.PUBLISHED,
            defaults={
                "slug": free_slug(f"{agent} {model} {task_set.slug}"),
                "source": source,
                "source_url": source_url,
                "published": timezone.now(),
            },
        )
        if added:
            record_event("add entry", entry)
        elif source and (entry.source, entry.source_url) != (source, source_url):
            entry.source, entry.source_url = source, source_url
            entry.save(update_fields=("source", "source_url"))
            record_event("change entry", entry, source=source)
    return entry


def free_slug(text: str, *, excluding: Entry | None = None) -> str:
    """A slug that no entry but ``excluding`` has: a number is added to a slug that is taken."""
    base = slugify(text)[:180] or "entry"
    others = Entry.objects.exclude(pk=excluding.pk) if excluding else Entry.objects.all()
    taken = set(others.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(
        slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken
    )


STATES_KEEPING_NAME = (EntryState.PUBLISHED, EntryState.HIDDEN)
"""A hidden entry keeps its name: otherwise its owners could upload and publish it again."""


def check_names(scaffold: str, model: str) -> None:
    """Raise `InputError` unless both names are valid on a board."""
    for field, name in (("scaffold", scaffold), ("model", model)):
        # Invisible characters, and those that change the text direction, can make a name look like another.
        if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
            raise InputError(Problem("name", field, f"a name has 1 to {NAME_LENGTH:,} visible characters"))


def name_holder(
    task_set: TaskSet, scaffold: str, model: str, *, excluding: Entry | None = None
) -> Entry | None:
    """The entry, other than ``excluding``, that has this name on a board."""
    holders = Entry.objects.filter(
        agent__name=scaffold, agent__model=model, task_set=task_set, state__in=STATES_KEEPING_NAME
    )
    if excluding:
        holders = holders.exclude(pk=excluding.pk)
    return holders.select_related("agent").first()


def check_name_is_free(
    task_set: TaskSet, scaffold: str, model: str, *, excluding: Entry | None = None
) -> None:
    """Raise `InputError` if an entry other than ``excluding`` has the name on a board."""
    holder = name_holder(task_set, scaffold, model, excluding=excluding)
    if holder is None:
        return
    name = str(holder.agent)
    if holder.state == EntryState.HIDDEN:
        reason = f"{name} has an entry on this board that an operator has hidden"
        raise InputError(Problem("name", "", reason, "ask an operator to show it again"))
    reason = f"{name} has an entry on this board already"
    raise InputError(Problem("name", "", reason, "give it another name or model name"))


def rename_entry(entry: Entry, scaffold: str, model: str) -> None:
    """Rename an entry, also in its downloads; deletes the former agent if it has no other entry.

    A draft gets a new address too: only its owners know the old one.
    """
    before = entry.agent
    if (before.name, before.model) == (scaffold, model):
        return
    entry.agent = Agent.objects.get_or_create(name=scaffold, model=model)[0]
    if entry.is_draft:
        entry.slug = entry_slug(entry.agent, entry.task_set, excluding=entry)
    entry.save(update_fields=("agent", "slug"))
    _retitle(Attempt.objects.filter(entry=entry), entry.agent)
    forget_agent(before.pk)


def entry_slug(agent: Agent, task_set: TaskSet, *, excluding: Entry | None = None) -> str:
    """A free slug for an entry of ``agent``; that of ``excluding`` counts as free."""
    return free_slug(f"{agent.name} {agent.model} {task_set.slug}", excluding=excluding)


def is_only_team_with_agent(entry: Entry) -> bool:
    """Whether no other team has an entry of its agent, so that its own team may edit the agent."""
    others = Entry.objects.filter(agent=entry.agent_id).exclude(pk=entry.pk)
    if entry.team_id:
        others = others.exclude(team=entry.team_id)
    return not others.exists()


def forget_agent(agent: int) -> None:
    """Delete an agent if it has no entry."""
    Agent.objects.filter(pk=agent, entries=None).delete()


@transaction.atomic
def merge_agents(*, keep: Agent, merge: Agent, user: User | None) -> int:
    """Move every entry of ``merge`` to ``keep``, and delete ``merge``; returns how many entries it had.

    Their downloads get the kept name too.

    Raises:
        InputError: the two are the same, or both have an entry on the same board; names the boards.
    """
    if keep.pk == merge.pk:
        raise InputError(Problem(str(keep), "", "it is the same agent", "choose two"))
    # Locked in the same order as publishing does, against deadlocks: entries, the newest first, then agents.
    both = (keep.pk, merge.pk)
    list(Entry.objects.select_for_update().filter(agent__in=both).order_by("-pk").values_list("pk"))
    if len(Agent.objects.select_for_update().filter(pk__in=both).order_by("pk")) < 2:
        raise InputError(
            Problem(str(merge), "", "one of the two was deleted meanwhile", "load the page again")
        )
    _check_boards_differ(keep, merge)
    attempts = list(Attempt.objects.filter(entry__agent=merge).values_list("pk", flat=True))
    moved = Entry.objects.filter(agent=merge).update(agent=keep)
    _retitle(Attempt.objects.filter(pk__in=attempts), keep)
    record_event("merge agents", str(keep), actor=user, merged=str(merge), entries=moved)
    Agent.objects.filter(pk=merge.pk).delete()
    return moved


def _retitle(attempts: QuerySet[Attempt], agent: Agent) -> None:
    for attempt in attempts.select_related("task").defer(*LARGE_FIELDS):
        retitle_page(attempt, attempt_title(attempt.task.task_id, agent))


def _check_boards_differ(keep: Agent, merge: Agent) -> None:
    holders = Entry.objects.filter(state__in=STATES_KEEPING_NAME)
    taken = holders.filter(agent=keep).values("task_set")
    conflicts = holders.filter(agent=merge, task_set__in=taken).select_related("task_set__benchmark")
    task_sets = {entry.task_set for entry in conflicts}
    if boards := ", ".join(sorted(f"{each.benchmark} {each}" for each in task_sets)):
        reason = f"{keep} and {merge} both have an entry on: {boards}"
        remedy = "keep both agents, or ask the owners of one to withdraw their entries there"
        raise InputError(Problem(str(merge), "", reason, remedy))
