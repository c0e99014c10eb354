"""Entries in the API: lists, details, rank previews, withdrawal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import Http404, HttpResponseBase, QueryDict
from ninja import Field, Query, Schema

from leaderboard.attempts.api import AttemptOut, refuse_withdrawn_or_hidden, with_scores
from leaderboard.attempts.outcomes import OUTCOMES
from leaderboard.attempts.totals import Total, usage_totals
from leaderboard.attempts.withheld import shown_figures
from leaderboard.catalogue.selectors import set_categories
from leaderboard.core.endpoints.callers import ApiRequest, Caller, require_scope
from leaderboard.core.endpoints.paging import Page, Paging, link_after, read_cursor, read_cursor_page
from leaderboard.core.endpoints.problems import Refusal, form_problems
from leaderboard.core.endpoints.routers import ENTRIES, reads
from leaderboard.core.endpoints.schemas import EMPTY_AS_NULL, FigureOut, TierOut, TotalOut, attribute, link_to
from leaderboard.core.figures import figure_json, tier_json
from leaderboard.core.permissions import (
    check_can_act_on_entry,
    check_can_edit_entry,
    sees_as_draft,
    visible_entries,
)
from leaderboard.domain.access import Scope
from leaderboard.domain.entries import OPEN, EntryState, Evidence, Provenance
from leaderboard.domain.errors import InputError
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness
from leaderboard.domain.text import storable
from leaderboard.entries import selectors
from leaderboard.entries.archives import ArchiveTooLargeError, archive_response
from leaderboard.entries.attempts_list import AttemptsQuery, fitting_attempts
from leaderboard.entries.declared import DECLARED, Declared
from leaderboard.entries.editing import accept_entry, unaccept_entry
from leaderboard.entries.forms import AttemptsForm
from leaderboard.entries.services import withdraw_entry
from leaderboard.models import Entry, Figure

ZIP = {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}


class LinkOut(Schema):
    """A link that an entry's owners added."""

    label: str
    url: str


class AcceptedOut(Schema):
    """Who accepted an entry, when and why; `by` is null for an import."""

    at: datetime = Field(validation_alias="accepted")
    by: Annotated[str | None, attribute("username")] = Field(validation_alias="accepted_by")
    why: str = Field(validation_alias="accepted_why")


class EntryOut(Schema):
    """One agent's results on one task set."""

    slug: str
    agent: str = Field(validation_alias="agent.name")
    model: str = Field(validation_alias="agent.model")
    task_set: str = Field(validation_alias="task_set.key")
    state: str
    version: int
    previous: Annotated[str | None, attribute("slug")] = Field(description="The previous version.")
    next: str | None = Field(description="The next version.")
    team: Annotated[str | None, attribute("name")]
    provenance: Provenance
    source: str = Field(description="Where it comes from, in words: what the site knows.")
    origin: str = Field(description="Where an operator imported it from; empty for other entries.")
    origin_url: str
    evidence: Evidence = Field(description="What supports its scores; `self-reported` has no rank.")
    attempted: int = Field(description="Tasks with at least one attempt.")
    cost: float | None = Field(description="US dollars for the whole entry, as reported.")
    model_openness: Annotated[ModelOpenness | None, EMPTY_AS_NULL] = Field(
        description="As its team says; null if it does not."
    )
    scaffold_openness: Annotated[ScaffoldOpenness | None, EMPTY_AS_NULL] = Field(
        description="As its team says; null if it does not."
    )
    code: str = Field(description="The address of the agent's code, as its team says; empty without one.")
    created: datetime
    evaluated: date | None = Field(description="When the attempts were made, as its team says.")
    released: date | None = Field(description="When the agent was released, as its team says.")
    published: datetime | None = Field(
        validation_alias="published_on", description="When it first came onto its board; null for an import."
    )
    imported: datetime | None = Field(
        validation_alias="imported_on", description="When an operator imported it."
    )
    accepted: AcceptedOut | None
    url: Annotated[str, link_to("entry")] = Field(validation_alias="slug")
    page: str = Field(validation_alias="get_absolute_url")

    resolve_code = staticmethod(selectors.shown_code)

    @staticmethod
    def resolve_next(entry: Entry) -> str | None:
        following = getattr(entry, "next", None)
        return following.slug if following and following.state in OPEN else None

    @staticmethod
    def resolve_accepted(entry: Entry) -> Entry | None:
        return entry if entry.accepted else None


class EntryFigure(FigureOut):
    """A figure with its scorer, metric and category; `category` is empty for the overall figure."""

    scorer: str
    metric: str
    category: str
    tier: TierOut | None = Field(description="Of the overall figure that gives its rank, if that is tested.")


class EntryDetail(EntryOut):
    """An entry with its figures by scorer, metric and category.

    In a draft, what tells of gold answers has one decimal of a percentage, and no value where that would tell
    about a task.
    """

    badges: list[str] = Field(
        description="What supports its scores, and where they come from: see the page `/about/`."
    )
    notes: str
    links: list[LinkOut]
    figures: list[EntryFigure]
    used: list[TotalOut] = Field(description="What its attempts used, as their trajectories say.")
    attempts: Annotated[str, link_to("entry-attempts")] = Field(validation_alias="slug")

    resolve_notes = staticmethod(selectors.shown_notes)
    resolve_links = staticmethod(selectors.shown_links)

    @staticmethod
    def resolve_badges(entry: Entry) -> list[selectors.Badge]:
        return selectors.badges(entry, selectors.entry_figures(entry, [], draft=False))

    @staticmethod
    def resolve_used(entry: Entry) -> list[Total]:
        return _used(entry)

    @staticmethod
    def resolve_figures(entry: Entry, context: dict[str, Any]) -> list[dict[str, Any]]:
        draft = sees_as_draft(context["request"].caller.visitor, entry)
        by_key = entry.task_set.scoring.by_key
        figures = sorted(
            shown_figures(entry, draft=draft), key=lambda each: (each.scorer, each.metric, each.category)
        )
        return [
            {
                "scorer": each.scorer,
                "metric": each.metric,
                "category": each.category,
                "tier": tier_json(each.tier),
                **figure_json(each, entry, by_key[each.metric]),
            }
            for each in figures
        ]


def _used(entry: Entry) -> list[Total]:
    return usage_totals(entry.attempts.all(), entry.task_set.scoring)


def find_entry(caller: Caller, slug: str) -> Entry:
    """An entry that the caller may see, also by the slug that it had as a draft.

    Raises:
        Refusal: it was withdrawn or hidden; gives the public reason.
        Http404: there is none, or none that the caller may see.
    """
    visible = with_relations(visible_entries(caller.visitor))
    found = visible.filter(slug=slug).first() or visible.filter(draft_slug=slug).first()
    if found is None:
        refuse_withdrawn_or_hidden(Entry.objects.filter(slug=slug))
        raise Http404("There is no such entry.")
    return found


def with_relations(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Entries with all that `EntryOut` reads, in one query."""
    return entries.select_related(
        "agent", "task_set__benchmark", "team", "previous", "next", "run", "accepted_by"
    )


class EntriesIn(Paging):
    """Which entries to list."""

    task_set: str = Field("", description="`benchmark/set`; empty for all.")
    state: EntryState = Field(
        EntryState.PUBLISHED, description="Only callers who may see them get entries in another state."
    )
    agent: str = Field("", description="The agent's exact name.")
    model: str = Field("", description="The model's exact name.")
    model_openness: ModelOpenness | None = Field(
        None, description="Only entries that declare this; `open-weights` has those with open data, too."
    )
    scaffold_openness: ScaffoldOpenness | None = Field(None, description="Only entries that declare this.")
    code: Literal["", "linked"] = Field("", description="`linked`: only entries with a link to their code.")
    released_since: date | None = Field(
        None, description="A day: only entries whose agent was released on it or later."
    )


@reads(ENTRIES, "/entries", response=Page[EntryOut])
def entries(request: ApiRequest, query: Query[EntriesIn]) -> dict[str, Any]:
    """List entries.

    The newest first. Owners get their drafts with `state=draft`.
    """
    listed = with_relations(visible_entries(request.caller.visitor)).filter(state=query.state)
    if query.task_set:
        benchmark, _slash, slug = storable(query.task_set).partition("/")
        listed = listed.filter(task_set__benchmark__slug=benchmark, task_set__slug=slug)
    if query.agent:
        listed = listed.filter(agent__name=storable(query.agent))
    if query.model:
        listed = listed.filter(agent__model=storable(query.model))
    given = {name: value for name in DECLARED if (value := getattr(query, name))}
    listed = listed.filter(Declared(**given).condition)
    rows, following = read_cursor_page(request, query, listed, order=("-pk",))
    return {"items": rows, "next": following}


@reads(ENTRIES, "/entries/{slug:slug}", response=EntryDetail)
def entry(request: ApiRequest, slug: str) -> Entry:
    """Read an entry.

    With its figures by scorer, metric and category. A withdrawn or hidden entry answers 410 with the reason.
    """
    found = find_entry(request.caller, slug)
    # Prefetched: the badges read them too.
    prefetch_related_objects([found], Prefetch("figures", Figure.objects.select_related("standing")))
    return found


class AttemptsIn(Paging):
    """The same query as of an entry's page."""

    category: str = Field("", description="The slug of a category of the tasks.")
    outcome: str = Field("", description=f"{', '.join(f'`{each}`' for each in OUTCOMES)}.")
    finding: str = Field(
        "", description="The class of the first finding of the attempts that are not solved."
    )
    landmarks: str = Field("", description="How many it hit: `all`, `some` or `none`.")
    sort: str = Field(
        "",
        description="`task` (the default), `ending`, `finding` or a metric's key, with `-` in front for "
        "descending order; what has no value comes last.",
    )


ATTEMPTS_FIELDS = ("category", "outcome", "finding", "landmarks", "sort")


@reads(ENTRIES, "/entries/{slug:slug}/attempts", response=Page[AttemptOut], url_name="entry-attempts")
def entry_attempts(request: ApiRequest, slug: str, query: Query[AttemptsIn]) -> dict[str, Any]:
    """List the attempts of an entry.

    Filtered and sorted as on its page, with the same query; ordered by task id without one.
    """
    found = find_entry(request.caller, slug)
    attempts = with_scores(found.attempts.all())
    wanted = _attempts_query(found, query)
    if wanted.is_plain and not wanted.sort:
        rows, following = read_cursor_page(request, query, attempts, order=("task__task_id", "number"))
        return {"items": rows, "next": following}
    start = read_cursor(request, query) or 0
    draft = sees_as_draft(request.caller.visitor, found)
    fitting, _total = fitting_attempts(found, wanted, draft=draft)
    keys = [row.attempt.pk for row in fitting[start : start + query.limit]]
    by_key = attempts.in_bulk(keys)
    end = start + len(keys)
    return {
        "items": [by_key[key] for key in keys if key in by_key],
        "next": link_after(request, end) if end < len(fitting) else None,
    }


def _attempts_query(entry: Entry, query: AttemptsIn) -> AttemptsQuery:
    """The query of the list, checked as the page does.

    Raises:
        InputError: every value that there is not.
    """
    data = QueryDict(mutable=True)
    data.update({name: getattr(query, name) for name in ATTEMPTS_FIELDS})
    categories = set_categories(entry.task_set) if query.category else []
    form = AttemptsForm(data, scoring=entry.task_set.scoring, categories=categories)
    if form.errors:
        raise InputError(*form_problems(form, file="query"))
    return form.attempts_query()


@reads(
    ENTRIES,
    "/entries/{slug:slug}/archive",
    url_name="entry-archive",
    openapi_extra={"responses": {200: {"description": "The archive.", **ZIP}}},
)
def entry_archive(request: ApiRequest, slug: str) -> HttpResponseBase:
    """Download all attempts of an entry as one archive.

    A zip with the originals by task and attempt, the entry's description and `results.json` with the scores;
    it can be uploaded again. Originals that look as if they had a secret are left out for all but the team.
    """
    found = find_entry(request.caller, slug)
    return archive_answer(request, [found], name=f"{found.slug}-attempts")


def archive_answer(request: ApiRequest, entries: Sequence[Entry], *, name: str) -> HttpResponseBase:
    """An archive of the attempts of visible ``entries``, made anew for each request.

    Raises:
        Refusal: they have too many bytes.
    """
    try:
        return archive_response(request, entries, request.caller.visitor, name=name)
    except ArchiveTooLargeError as error:
        raise Refusal("too-large", str(error)) from error


class StandingOut(Schema):
    """A draft's rank by one metric."""

    metric: Annotated[str, attribute("key")]
    unit: Annotated[str, attribute("unit")] = Field(validation_alias="metric")
    value: Annotated[float | None, attribute("value")] = Field(validation_alias="figure")
    rank: int | None
    of: int = Field(description="How many entries would have a value, including this one.")
    equal: int = Field(description="How many others have the same value.")


class ChangeOut(Schema):
    """An overall figure of the entry that would be replaced, and the draft's; null without a score."""

    metric: Annotated[str, attribute("key")]
    unit: Annotated[str, attribute("unit")] = Field(validation_alias="metric")
    before: float | None
    after: float | None


class PreviewOut(Schema):
    """A draft's ranks if it were published now."""

    entry: str = Field(validation_alias="entry.slug")
    evidence: Evidence = Field(
        validation_alias="entry.evidence",
        description="What supports its scores; `self-reported` has no rank.",
    )
    tasks: int = Field(validation_alias="task_set_total")
    attempted: int
    replaces: Annotated[str | None, attribute("slug")] = Field(
        description="The version that it would replace on the board; publish it with this as `replaces`."
    )
    replaced: str | None = Field(description="Its agent and model, and the number of that version.")
    changes: list[ChangeOut] = Field(description="Empty if it would replace none.")
    metrics: list[StandingOut]
    used: list[TotalOut] = Field(description="What its attempts used, as their trajectories say.")

    @staticmethod
    def resolve_used(preview: selectors.RankPreview) -> list[Total]:
        return _used(preview.entry)

    @staticmethod
    def resolve_replaced(preview: selectors.RankPreview) -> str | None:
        replaced = preview.replaces
        return f"{replaced.agent}, version {replaced.version:,}" if replaced else None


class AcceptIn(Schema):
    """Why an entry is accepted."""

    why: str = Field(description="What makes you trust its scores; shown to everybody with your name.")


class WithdrawIn(Schema):
    """Why an entry is withdrawn."""

    reason: str = Field(description="Shown to everybody.")


@reads(ENTRIES, "/entries/{slug:slug}/preview", auth=require_scope(Scope.READ), response=PreviewOut)
def preview(request: ApiRequest, slug: str) -> selectors.RankPreview:
    """Preview a draft's ranks.

    By each metric, if it were published now.
    """
    found = find_entry(request.caller, slug)
    return selectors.rank_preview(found, draft=sees_as_draft(request.caller.visitor, found))


@ENTRIES.post("/entries/{slug:slug}/withdraw", auth=require_scope(Scope.SUBMIT), response=EntryOut)
def withdraw(request: ApiRequest, slug: str, body: WithdrawIn) -> Entry:
    """Withdraw an entry.

    This can't be undone. Its address stays and shows the reason. The previous version is published again.
    """
    entry = find_entry(request.caller, slug)
    check_can_edit_entry(request.caller.user, entry)
    withdraw_entry(entry, user=request.caller.user, reason=body.reason)
    return find_entry(request.caller, slug)


@ENTRIES.post("/entries/{slug:slug}/accept", auth=require_scope(Scope.OPERATE), response=EntryOut)
def accept(request: ApiRequest, slug: str, body: AcceptIn) -> Entry:
    """Accept an entry.

    It is ranked then, even where its attempts lack a trajectory.
    """
    entry = find_entry(request.caller, slug)
    check_can_act_on_entry(request.caller.user, entry, "accept")
    accept_entry(entry, user=request.caller.user, why=body.why)
    return find_entry(request.caller, slug)


@ENTRIES.post("/entries/{slug:slug}/unaccept", auth=require_scope(Scope.OPERATE), response=EntryOut)
def unaccept(request: ApiRequest, slug: str) -> Entry:
    """Take back the acceptance of an entry."""
    entry = find_entry(request.caller, slug)
    check_can_act_on_entry(request.caller.user, entry, "unaccept")
    unaccept_entry(entry, user=request.caller.user)
    return find_entry(request.caller, slug)
