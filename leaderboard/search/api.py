"""Search, in the API."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import QueryDict
from ninja import Field, Query, Schema

from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.paging import Paging, read_cursor_page
from leaderboard.core.endpoints.problems import form_problems
from leaderboard.core.endpoints.routers import ATTEMPTS, reads
from leaderboard.core.endpoints.schemas import link_to
from leaderboard.domain.errors import InputError, Problem
from leaderboard.search.excerpts import step_excerpts
from leaderboard.search.forms import FILTERS, SearchForm
from leaderboard.search.selectors import Hit, count_matches, matching_steps, with_attempts


class ExcerptOut(Schema):
    """A line, or a part of one, with what was looked for."""

    part: str = Field(description="`thought`, `action` or `observation`.")
    line: int = Field(description="Of the part, from 1.")
    text: str
    hits: list[tuple[int, int]] = Field(description="Offsets in code points of `text`, end exclusive.")


class FoundStepOut(Schema):
    """A step in which all words were found; `excerpts` are at most three lines of it."""

    attempt: int = Field(validation_alias="step.attempt_id")
    number: int = Field(validation_alias="step.number")
    kind: str = Field(validation_alias="step.kind")
    title: str = Field(validation_alias="step.title")
    task_set: str = Field(validation_alias="step.attempt.entry.task_set.key")
    task_id: str = Field(validation_alias="step.attempt.task.task_id")
    agent: str = Field(validation_alias="step.attempt.entry.agent.name")
    model: str = Field(validation_alias="step.attempt.entry.agent.model")
    entry: str = Field(validation_alias="step.attempt.entry.slug")
    excerpts: list[ExcerptOut]
    attempt_url: Annotated[str, link_to("attempt")] = Field(validation_alias="step.attempt_id")
    page: str


class FoundOut(Schema):
    """A page of what was found: `total` steps in `attempts` attempts."""

    total: int
    attempts: int
    items: list[FoundStepOut]
    next: str | None


class SearchIn(Paging):
    """What to look for, as on the search page."""

    q: str = Field(
        description='Words that a step has to have, all of them: `word`, `"a phrase"`, `begin*`. Punctuation '
        "separates words; words that it joins, as in `train.py`, have to follow each other."
    )
    finding: str = Field(
        "", description="The class of the first finding of an attempt, such as `missing-module`."
    )
    agent: str = Field("", description="The agent's exact name.")
    model: str = Field("", description="The model's exact name.")
    category: str = Field("", description="The slug of a category of the task.")
    kind: str = Field("", description="The kind of the step, such as `execute` or `edit`.")
    attempt: str = Field("", description="The id of an attempt, to search in it alone.")


@reads(ATTEMPTS, "/search", response=FoundOut)
def search(request: ApiRequest, query: Query[SearchIn]) -> dict[str, Any]:
    """Search the steps of all attempts.

    By attempt and step. Callers find what they may see: all that is published, and the drafts of their teams.
    """
    data = QueryDict(mutable=True)
    data.update({name: getattr(query, name) for name in ("q", *FILTERS)})
    form = SearchForm(data)
    asked = form.search_query()
    if asked is None:
        nothing = Problem("query", "$.q", "there is nothing to look for", "send words as q")
        raise InputError(*(form_problems(form, file="query") or [nothing]))
    steps = matching_steps(request.caller.visitor, asked)
    rows, following = read_cursor_page(request, query, with_attempts(steps), order=("attempt_id", "number"))
    total, attempts = count_matches(steps)
    hits = [Hit(step, step_excerpts(step, asked.terms)) for step in rows]
    return {"total": total, "attempts": attempts, "items": hits, "next": following}
