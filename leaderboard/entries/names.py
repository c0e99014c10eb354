"""Names of entries on boards: which are valid and free; renames, and merges of agents."""

from __future__ import annotations

import secrets

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from leaderboard.attempts.files import retitle_page
from leaderboard.attempts.services import attempt_title
from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.core.audit import record_event
from leaderboard.domain.entries import EntryState, Provenance
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.name_keys import name_key
from leaderboard.domain.readable import MOST_MARKS, is_visible
from leaderboard.domain.text import storable
from leaderboard.entries.selectors import NAME_LENGTH, STATES_KEEPING_NAME
from leaderboard.intake.findings import Finding, note, warning
from leaderboard.models import Agent, Attempt, Entry, TaskSet, Team

ACCEPTED_BY_IMPORT = "An operator imported it."
"""Why an entry that an operator imports counts as accepted."""
ORIGIN_LENGTH = 200


def ensure_entry(
    *, task_set: TaskSet, agent: str, model: str, origin: str = "", origin_url: str = ""
) -> Entry:
    """Get or add the published entry of ``agent`` with ``model`` on ``task_set``, for an operator's import.

    ``origin`` says where the operator has the results from. An entry that is added counts as accepted.

    Raises:
        InputError: the name looks like that of another entry on the board.
    """
    with transaction.atomic():
        named, _ = Agent.objects.get_or_create(name=agent, model=model)
        holder = name_holder(task_set, agent, model)
        if holder and holder.agent_id != named.pk:
            raise _taken_error(holder, agent, model)
        entry, added = Entry.objects.get_or_create(
            agent=named,
            task_set=task_set,
            state=EntryState.PUBLISHED,
            defaults={
                "slug": free_slug(f"{agent} {model} {task_set.slug}"),
                "provenance": Provenance.IMPORTED,
                "origin": storable(origin)[:ORIGIN_LENGTH],
                "origin_url": origin_url,
                "published": timezone.now(),
                "accepted": timezone.now(),
                "accepted_why": ACCEPTED_BY_IMPORT,
            },
        )
        if added:
            record_event("add entry", entry, origin=entry.origin)
    return entry


def free_slug(text: str) -> str:
    """A slug that no entry has: a number is added to a slug that is taken."""
    base = slugify(text)[:180] or "entry"
    taken = set(Entry.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(
        slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken
    )


def draft_slug() -> str:
    """A slug for a draft: nobody can guess it, and it says nothing about other drafts."""
    return f"draft-{secrets.token_hex(10)}"


def published_slug(entry: Entry) -> str:
    """A free slug for an entry that is about to be published: drafts of others have no part in it."""
    suffix = " run" if hasattr(entry, "run") else ""
    return free_slug(f"{entry.agent.name} {entry.agent.model} {entry.task_set.slug}{suffix}")


def check_names(scaffold: str, model: str) -> None:
    """Raise `InputError` unless both names are valid on a board."""
    for field, name in (("scaffold", scaffold), ("model", model)):
        # Invisible characters, and those that change the text direction, can make a name look like another.
        if not 1 <= len(name) <= NAME_LENGTH or not is_visible(name):
            reason = f"a name has 1 to {NAME_LENGTH:,} visible characters"
            remedy = f"leave out invisible ones, line breaks, and accents beyond {MOST_MARKS} on one letter"
            raise InputError(Problem("name", field, reason, remedy))


def name_holder(
    task_set: TaskSet, scaffold: str, model: str, *, excluding: Entry | None = None
) -> Entry | None:
    """The entry, other than ``excluding``, that has this name on a board, or one that looks like it."""
    holders = Entry.objects.filter(
        agent__key=name_key(scaffold, model), task_set=task_set, state__in=STATES_KEEPING_NAME
    )
    if excluding:
        holders = holders.exclude(pk=excluding.pk)
    found = list(holders.select_related("agent", "team"))
    # Names of before keys were stored can look alike: of these, the same name.
    return max(found, key=lambda each: (each.agent.name, each.agent.model) == (scaffold, model), default=None)


def check_name_is_free(
    task_set: TaskSet, scaffold: str, model: str, *, excluding: Entry | None = None
) -> None:
    """Raise `InputError` if an entry other than ``excluding`` has the name, or one like it, on a board."""
    if holder := name_holder(task_set, scaffold, model, excluding=excluding):
        raise _taken_error(holder, scaffold, model)


def name_finding(team: Team, task_set: TaskSet, scaffold: str, model: str) -> Finding | None:
    """What would stop a draft with this name of a team from being published, or what it would replace."""
    try:
        check_names(scaffold, model)
    except InputError as invalid:
        return warning(invalid.problem)
    holder = name_holder(task_set, scaffold, model)
    if holder is None:
        return None
    if holder.team_id == team.pk and holder.is_published:
        reason = f"your team has published {holder.agent} on this board: {holder.get_absolute_url()}"
        remedy = "publishing this draft replaces it, and asks before; give it another name to keep both"
        return note(Problem("name", "", reason, remedy))
    return warning(_taken_error(holder, scaffold, model).problem)


def _taken_error(holder: Entry, scaffold: str, model: str) -> InputError:
    name = str(holder.agent)
    like = "" if name == f"{scaffold} · {model}" else f"“{scaffold} · {model}” looks like another name: "
    if holder.state == EntryState.HIDDEN:
        reason = f"{like}{name} has an entry on this board that an operator has hidden"
        return InputError(Problem("name", "", reason, "ask an operator to show it again"))
    owner = holder.team.name if holder.team else "no team of this site"
    reason = f"{like}{name} has an entry on this board already, by {owner}: {holder.get_absolute_url()}"
    return InputError(Problem("name", "", reason, "give it another name or model name"))


def rename_entry(entry: Entry, scaffold: str, model: str) -> None:
    """Rename an entry, also in its downloads; deletes the former agent if it has no other entry."""
    before = entry.agent
    if (before.name, before.model) == (scaffold, model):
        return
    entry.agent = Agent.objects.get_or_create(name=scaffold, model=model)[0]
    entry.save(update_fields=("agent",))
    _retitle(Attempt.objects.filter(entry=entry), entry.agent)
    forget_agent(before.pk)


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
