"""Entries: who was tried on what, with which figures."""

from __future__ import annotations

from typing import Any

from django.db.models import prefetch_related_objects
from django.urls import reverse
from ninja import Field, Query

from leaderboard.api.attempts import attempt_data, with_scores
from leaderboard.api.callers import ApiRequest
from leaderboard.api.paging import Page, Paging, take_page
from leaderboard.api.reading import find_entry, reads, with_relations
from leaderboard.api.routers import ENTRIES
from leaderboard.api.schemas import AttemptOut, EntryDetail, EntryOut
from leaderboard.domain.entries import OPEN, EntryState
from leaderboard.domain.text import storable
from leaderboard.exports import figure_json
from leaderboard.models import Entry, Figure
from leaderboard.permissions import visible_entries
from leaderboard.selectors.entries import badges, entry_figures, shown_links, shown_notes


class EntriesIn(Paging):
    """Which entries are asked for."""

    task_set: str = Field("", description="`benchmark/set`; every one where it is empty.")
    state: EntryState = Field(
        EntryState.PUBLISHED, description="Others than published ones are listed to those who may see them."
    )
    agent: str = Field("", description="The agent's name, to the letter.")
    model: str = Field("", description="The model's name, to the letter.")


@reads(ENTRIES, "/entries", response=Page[EntryOut])
def entries(request: ApiRequest, query: Query[EntriesIn]) -> dict[str, Any]:
    """List entries.

    The newest first; drafts with `state=draft`, to their owners.
    """
    listed = with_relations(visible_entries(request.caller.visitor)).filter(state=query.state)
    if query.task_set:
        benchmark, _slash, slug = storable(query.task_set).partition("/")
        listed = listed.filter(task_set__benchmark__slug=benchmark, task_set__slug=slug)
    if query.agent:
        listed = listed.filter(agent__name=storable(query.agent))
    if query.model:
        listed = listed.filter(agent__model=storable(query.model))
    rows, following = take_page(request, query, listed, order=("-pk",))
    return {"items": [entry_data(row) for row in rows], "next": following}


@reads(ENTRIES, "/entries/{slug:slug}", response=EntryDetail)
def entry(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Read an entry.

    Its figures by scorer, metric and category. One that was withdrawn or hidden answers 410 and says why.
    """
    found = find_entry(request.caller, slug)
    # Read once, for the badges as well.
    prefetch_related_objects([found], "figures")
    figures = sorted(found.figures.all(), key=lambda each: (each.scorer, each.metric, each.category))
    return {
        **entry_data(found),
        "badges": badges(found, entry_figures(found, [])),
        "notes": shown_notes(found),
        "links": shown_links(found),
        "figures": [_figure_data(figure) for figure in figures],
        "attempts": reverse("api:entry-attempts", args=(slug,)),
    }


@reads(ENTRIES, "/entries/{slug:slug}/attempts", response=Page[AttemptOut], url_name="entry-attempts")
def entry_attempts(request: ApiRequest, slug: str, paging: Query[Paging]) -> dict[str, Any]:
    """List the attempts of an entry.

    By their tasks' ids.
    """
    attempts = with_scores(find_entry(request.caller, slug).attempts.all())
    rows, following = take_page(request, paging, attempts, order=("task__task_id", "number"))
    return {"items": [attempt_data(row) for row in rows], "next": following}


def entry_data(entry: Entry) -> dict[str, Any]:
    """An entry as lists have it; its relations are loaded."""
    following = getattr(entry, "next", None)
    verified = {"at": entry.verified, "how": entry.verified_how} if entry.verified else None
    return {
        "slug": entry.slug,
        "agent": entry.agent.name,
        "model": entry.agent.model,
        "task_set": f"{entry.task_set.benchmark.slug}/{entry.task_set.slug}",
        "state": entry.state,
        "version": entry.version,
        "previous": entry.previous.slug if entry.previous else None,
        "next": following.slug if following and following.state in OPEN else None,
        "team": entry.team.name if entry.team else None,
        "run_here": hasattr(entry, "run"),
        "source": entry.source,
        "source_url": entry.source_url,
        "attempted": entry.attempted,
        "cost": entry.cost,
        "created": entry.created,
        "published": entry.published,
        "verified": verified,
        "url": reverse("api:entry", args=(entry.slug,)),
        "page": entry.get_absolute_url(),
    }


def _figure_data(figure: Figure) -> dict[str, Any]:
    return {
        "scorer": figure.scorer,
        "metric": figure.metric,
        "category": figure.category,
        **figure_json(figure),
    }
