"""Comparisons of entries, in the API."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import QueryDict
from ninja import Field, Query, Schema

from leaderboard.comparing.exports import comparison_json
from leaderboard.comparing.forms import CompareForm, entry_slugs
from leaderboard.comparing.selectors import FEWEST_ENTRIES, MOST_ENTRIES, choose_entries, compare_entries
from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.problems import Refusal, form_problems
from leaderboard.core.endpoints.routers import ENTRIES, reads
from leaderboard.core.endpoints.schemas import FigureOut, MetricOut
from leaderboard.domain.entries import Evidence
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness


class ComparedEntryOut(Schema):
    """An entry that is compared."""

    slug: str
    agent: str
    model: str
    state: str
    evidence: Evidence
    model_openness: ModelOpenness | None = Field(description="As its team says; null if it does not.")
    scaffold_openness: ScaffoldOpenness | None = Field(description="As its team says; null if it does not.")
    released: date | None = Field(description="When the agent was released, as its team says.")


class ComparedGroupOut(Schema):
    """The entries' figures, as on their board; null where one has none."""

    category: str = Field(description="Empty for the overall figures.")
    figures: list[FigureOut | None] = Field(description="In the order of the entries.")


class DifferenceOut(Schema):
    """How two entries differ on the tasks that both have a value at."""

    first: str
    second: str
    difference: float | None = Field(description="The first's mean less the second's; null without a task.")
    interval: tuple[float, float] | None = Field(
        description="At 95 %, from a bootstrap of whole repositories or papers; null where they are too few."
    )
    p: float | None = Field(description="Of this pair alone: McNemar's test, or a permutation test.")
    p_adjusted: float | None = Field(description="After Holm's correction for the pairs compared.")
    tasks: int
    clusters: int = Field(description="How many repositories, or papers, these tasks are of.")
    told_apart: bool = Field(description="Whether `p_adjusted` is below 0.05, and 0 outside the interval.")
    conclusion: str


class ComparedAttemptOut(Schema):
    """An attempt in the grid; of a draft with withheld scores."""

    id: int
    number: int
    value: float | None
    source: str = Field(description="The scorer of the value, as of a figure; empty without one.")
    reason: str = Field(description="Why there is no value.")
    solved: bool | None
    landmarks_hit: int | None = Field(description="Null where none were looked for.")
    landmarks: int
    ending: str | None
    finding: str = Field(description="The class of its first finding, if it is not solved.")
    page: str


class ComparedCellOut(Schema):
    """An entry at a task: what its attempts give together."""

    value: float | None
    solved: bool | None = Field(description="Whether one of its attempts did; null where it is not known.")
    attempts: list[ComparedAttemptOut]


class ComparedTaskOut(Schema):
    """A task that some entry attempted."""

    task_id: str
    title: str
    mean: float | None = Field(description="Over the entries that have a value.")
    cells: list[ComparedCellOut] = Field(description="In the order of the entries.")


class ComparisonOut(Schema):
    """Entries of one task set against each other, by one metric."""

    task_set: str
    metric: MetricOut
    entries: list[ComparedEntryOut]
    groups: list[ComparedGroupOut]
    differences: list[DifferenceOut]
    tasks: list[ComparedTaskOut]


class CompareIn(Schema):
    """The same query as of the page."""

    e: list[str] = Field(
        description=f"The slugs of {FEWEST_ENTRIES} to {MOST_ENTRIES} entries of one task set."
    )
    metric: str = Field("", description="A metric's key; empty for the one that gives the ranks.")
    order: str = Field("", description="`difficulty`, hardest first, or `name`.")
    show: str = Field("", description="`all`, `differ`, `one-solved`, `all-solved` or `none-solved`.")


@reads(ENTRIES, "/compare", response=ComparisonOut)
def compare(request: ApiRequest, query: Query[CompareIn]) -> dict[str, Any]:
    """Compare entries.

    Paired differences with intervals, figures by category, and the grid of tasks.
    """
    user = request.caller.visitor
    data = QueryDict(mutable=True)
    data.setlist("e", query.e)
    data.update({name: getattr(query, name) for name in ("metric", "order", "show")})
    chosen = choose_entries(user, entry_slugs(data))
    if chosen.missing:
        raise Refusal("not-found", problems=chosen.problems)
    if not chosen.are_comparable:
        too_few = Problem(
            "query", "$.e", f"{len(chosen.entries)} is too few", f"send {FEWEST_ENTRIES} or more"
        )
        raise InputError(*(chosen.problems or [too_few]))
    form = CompareForm(data, scoring=chosen.entries[0].task_set.scoring)
    if form.errors:
        raise InputError(*form_problems(form, file="query"))
    return comparison_json(compare_entries(chosen.entries, form.query(), user=user))
