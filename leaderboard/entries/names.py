"""What entries are called on boards: which names can be, which are free, and two that are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from leaderboard.attempts.files import retitle_page
from leaderboard.attempts.selectors import LARGE_FIELDS
from leaderboard.attempts.services import attempt_title
from leaderboard.core.audit import record_event
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.entries.selectors import NAME_LENGTH
from leaderboard.models import Agent, Attempt, Entry, TaskSet

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def ensure_entry(
    *, task_set: TaskSet, agent: str, model: str, source: str = "", source_url: str = ""
) -> Entry:
    """The entry of ``agent`` driving ``model`` on ``task_set``, made if there is none.

    A given source replaces the stored one; an empty one leaves it.
    """
    with transaction.atomic():
        who, _ = Agent.objects.get_or_create(name=agent, model=model)
        entry, added = Entry.objects.get_or_create(
            agent=who,
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


def free_slug(text: str, *, besides: Entry | None = None) -> str:
    """A slug no other entry than ``besides`` has; what slugifies alike (or to nothing) gets a number."""
    base = slugify(text)[:180] or "entry"
    others = Entry.objects.exclude(pk=besides.pk) if besides else Entry.objects.all()
    taken = set(others.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(
        slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken
    )


HOLDS_ITS_NAME = (EntryState.PUBLISHED, EntryState.HIDDEN)
"""A hidden entry keeps its name: whose it is must not bring it back by uploading it again."""


def check_names(scaffold: str, model: str) -> None:
    """Raise `InputError` unless a board can show both names."""
    for field, name in (("scaffold", scaffold), ("model", model)):
        # What is not seen, or turns the direction of text, makes one name pass for another.
        if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
            raise InputError(Problem("name", field, f"a name has 1 to {NAME_LENGTH:,} visible characters"))


def name_holder(
    task_set: TaskSet, scaffold: str, model: str, *, besides: Entry | None = None
) -> Entry | None:
    """The entry, other than ``besides``, that holds a name on a board."""
    holders = Entry.objects.filter(
        agent__name=scaffold, agent__model=model, task_set=task_set, state__in=HOLDS_ITS_NAME
    )
    if besides:
        holders = holders.exclude(pk=besides.pk)
    return holders.select_related("agent").first()


def check_name_is_free(task_set: TaskSet, scaffold: str, model: str, *, besides: Entry | None = None) -> None:
    """Raise `InputError` where another entry than ``besides`` holds the name on a board."""
    holder = name_holder(task_set, scaffold, model, besides=besides)
    if holder is None:
        return
    name = str(holder.agent)
    if holder.state == EntryState.HIDDEN:
        reason = f"{name} has an entry on this board that an operator has hidden"
        raise InputError(Problem("name", "", reason, "ask an operator to show it again"))
    reason = f"{name} has an entry on this board already"
    raise InputError(Problem("name", "", reason, "give it another name or model name"))


def rename_entry(entry: Entry, scaffold: str, model: str) -> None:
    """Give an entry another name, also over its downloads; an agent without any other goes.

    A draft gets the address of its new name: only its owners know the old one.
    """
    before = entry.agent
    if (before.name, before.model) == (scaffold, model):
        return
    entry.agent = Agent.objects.get_or_create(name=scaffold, model=model)[0]
    if entry.is_draft:
        entry.slug = entry_slug(entry.agent, entry.task_set, besides=entry)
    entry.save(update_fields=("agent", "slug"))
    _retitle(Attempt.objects.filter(entry=entry), entry.agent)
    forget_agent(before.pk)


def entry_slug(agent: Agent, task_set: TaskSet, *, besides: Entry | None = None) -> str:
    """The address of an entry of this name that no other entry than ``besides`` has."""
    return free_slug(f"{agent.name} {agent.model} {task_set.slug}", besides=besides)


def has_agent_alone(entry: Entry) -> bool:
    """Whether no other team has an entry of its agent, so that its own may change what is said of that."""
    others = Entry.objects.filter(agent=entry.agent_id).exclude(pk=entry.pk)
    if entry.team_id:
        others = others.exclude(team=entry.team_id)
    return not others.exists()


def forget_agent(agent: int) -> None:
    """Delete an agent that has no entry."""
    Agent.objects.filter(pk=agent, entries=None).delete()


@transaction.atomic
def merge_agents(*, keep: Agent, merge: Agent, user: User | None) -> int:
    """Give every entry of ``merge`` to ``keep``, and forget ``merge``; returns how many entries it had.

    Their downloads have the kept name then, too.

    Raises:
        InputError: they are the same, or both have an entry on one board; names the boards.
    """
    if keep.pk == merge.pk:
        raise InputError(Problem(str(keep), "", "it is the same agent", "choose two"))
    # Locked in the order of whoever publishes: entries, the newest first, then agents. Two must not wait for
    # each other.
    both = (keep.pk, merge.pk)
    list(Entry.objects.select_for_update().filter(agent__in=both).order_by("-pk").values_list("pk"))
    if len(Agent.objects.select_for_update().filter(pk__in=both).order_by("pk")) < 2:
        raise InputError(Problem(str(merge), "", "one of the two is gone", "load the page again"))
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
    holders = Entry.objects.filter(state__in=HOLDS_ITS_NAME)
    taken = holders.filter(agent=keep).values("task_set")
    clashes = holders.filter(agent=merge, task_set__in=taken).select_related("task_set__benchmark")
    task_sets = {entry.task_set for entry in clashes}
    if boards := ", ".join(sorted(f"{each.benchmark} {each}" for each in task_sets)):
        reason = f"{keep} and {merge} both have an entry on: {boards}"
        remedy = "leave them apart, or have the owners of one withdraw theirs"
        raise InputError(Problem(str(merge), "", reason, remedy))
