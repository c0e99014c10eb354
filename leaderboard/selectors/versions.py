"""The versions of an entry: which line of them it is in, and which one it would continue."""

from __future__ import annotations

from leaderboard.domain.entries import EntryState
from leaderboard.models import Entry


def line_of(entry: Entry) -> list[Entry]:
    """Every version of an entry that was ever published, the oldest first. Two queries at any length.

    A draft is in no line yet; `line_before` tells which one it would continue.
    """
    links = dict(
        Entry.objects.filter(task_set=entry.task_set_id, previous__isnull=False)
        .order_by()
        .values_list("pk", "previous_id")
    )
    followers = {previous: pk for pk, previous in links.items()}
    keys = [entry.pk]
    while keys[0] in links:
        keys.insert(0, links[keys[0]])
    while keys[-1] in followers:
        keys.append(followers[keys[-1]])
    found = Entry.objects.select_related("agent", "task_set", "team", "verified_by").in_bulk(keys)
    versions = (found[key] for key in keys)
    return [version for version in versions if not version.is_draft]


def line_before(draft: Entry) -> list[Entry]:
    """The line that publishing a draft would continue, the oldest version first; empty where it starts one.

    That is the line of the entry that its upload names, or that its team has published under the same name.
    Five queries at most.
    """
    if draft.team_id is None:
        return []
    own = Entry.objects.filter(team=draft.team_id, task_set=draft.task_set_id).exclude(pk=draft.pk)
    named = own.exclude(state=EntryState.DRAFT).filter(successors__entry=draft)
    found = named.order_by("-successors__created").first()
    if found is None:
        found = own.filter(agent=draft.agent_id, state=EntryState.PUBLISHED).first()
    return line_of(found) if found else []


def on_board(line: list[Entry]) -> Entry | None:
    """The version of a line that a board shows, if any."""
    return next((version for version in reversed(line) if version.is_published), None)
