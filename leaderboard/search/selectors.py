"""Steps in which words are found, as lists and by attempt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from leaderboard.attempts.solved import attempts_with_finding
from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.core.pages import Page
from leaderboard.core.permissions import Visitor, searchable_attempts
from leaderboard.diagnosis.classes import LABELS
from leaderboard.domain.words import Term
from leaderboard.models import AttemptStep, Task
from leaderboard.rendering.addresses import line_id
from leaderboard.rendering.names import KINDS
from leaderboard.search.excerpts import Excerpt, step_excerpts
from leaderboard.search.index import steps_with

ATTEMPTS_A_PAGE = 20
STEPS_OF_AN_ATTEMPT = 3
"""Steps shown of each attempt."""
STEPS_OF_ONE = 100
"""Steps shown where the search is in one attempt."""
FACETS = {
    "finding": "Why it failed",
    "agent": "Agent",
    "model": "Model",
    "category": "Category",
    "kind": "Kind of step",
}
"""The filters whose values are offered, with their labels."""
MOST_OPTIONS = 100
"""Values of one filter that are offered: those with the most steps."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for, and the filters.

    ``finding`` is a class of the diagnosis, ``category`` a slug, ``attempt`` a key.
    """

    terms: tuple[Term, ...]
    finding: str = ""
    agent: str = ""
    model: str = ""
    category: str = ""
    kind: str = ""
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A step that was found."""

    step: AttemptStep
    excerpts: list[Excerpt]

    @property
    def page(self) -> str:
        """The address at which an attempt's page shows the first line that is shown of the step."""
        number, first = self.step.number, self.excerpts[0] if self.excerpts else None
        # A thought is shown as Markdown, whose lines have no addresses.
        if first is None or first.part == "thought":
            place = f"step-{number}"
        else:
            place = line_id(number, "output" if first.part == "observation" else first.part, first.line)
        return f"{self.step.attempt.get_absolute_url()}#{place}"


@dataclass(frozen=True, slots=True)
class AttemptHits:
    """The first hits in one attempt; ``steps`` counts all."""

    hits: list[Hit]
    steps: int

    @property
    def more(self) -> int:
        return self.steps - len(self.hits)


@dataclass(frozen=True, slots=True)
class Option:
    """A value of a filter, and how many of the steps found have it."""

    value: str
    shown: str
    steps: int


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter, and its values among what was found, the most frequent first."""

    field: str
    label: str
    options: list[Option]


@dataclass(frozen=True, slots=True)
class Results:
    """A page of what was found, the attempts with the most steps first; how much there is in all."""

    page: Page[AttemptHits]
    steps: int
    attempts: int
    facets: list[Facet]


def matching_steps(visitor: Visitor, query: SearchQuery) -> QuerySet[AttemptStep]:
    """The steps in which ``visitor`` finds all terms, in no order."""
    steps = AttemptStep.objects.filter(
        pk__in=steps_with(query.terms), attempt__in=searchable_attempts(visitor)
    ).order_by()
    if query.finding:
        steps = steps.filter(attempt__in=attempts_with_finding().filter(finding=query.finding))
    if query.agent:
        steps = steps.filter(attempt__entry__agent__name=query.agent)
    if query.model:
        steps = steps.filter(attempt__entry__agent__model=query.model)
    if query.category:
        steps = steps.filter(attempt__task__in=Task.objects.filter(categories__slug=query.category))
    if query.kind:
        steps = steps.filter(kind=query.kind)
    if query.attempt is not None:
        steps = steps.filter(attempt=query.attempt)
    return steps


def count_matches(steps: QuerySet[AttemptStep]) -> tuple[int, int]:
    """How many steps, and in how many attempts. One query."""
    counted = steps.aggregate(steps=Count("pk"), attempts=Count("attempt", distinct=True))
    return counted["steps"], counted["attempts"]


def with_attempts(steps: QuerySet[AttemptStep]) -> QuerySet[AttemptStep]:
    """Steps with all of their attempts that results show, in the same query."""
    large = (f"attempt__{field}" for field in LARGE_FIELDS)
    related = ("attempt__entry__agent", "attempt__entry__task_set__benchmark", "attempt__task")
    return steps.select_related(*related).defer(*large)


def search(visitor: Visitor, query: SearchQuery, page: int = 1) -> Results:
    """A page of results, and the values to filter them by. Six queries."""
    steps = matching_steps(visitor, query)
    rows = steps.values_list(
        "attempt",
        "attempt__task",
        "kind",
        "attempt__entry__agent__name",
        "attempt__entry__agent__model",
    ).annotate(Count("pk"))
    by_attempt: Counter[int] = Counter()
    by_task: Counter[int] = Counter()
    by_value: dict[str, Counter[str]] = defaultdict(Counter)
    for attempt, task, kind, agent, model, count in rows:
        by_attempt[attempt] += count
        by_task[task] += count
        for field, value in (("agent", agent), ("model", model), ("kind", kind)):
            by_value[field][value] += count
    failed = attempts_with_finding().filter(pk__in=steps.values("attempt")).order_by()
    for attempt, finding in failed.values_list("pk", "finding"):
        by_value["finding"][finding] += by_attempt[attempt]
    ranked = sorted(by_attempt, key=lambda attempt: (-by_attempt[attempt], attempt))
    shown = ranked[(page - 1) * ATTEMPTS_A_PAGE : page * ATTEMPTS_A_PAGE]
    hits = _first_hits(steps, shown, query)
    return Results(
        page=Page(
            [AttemptHits(hits[attempt], by_attempt[attempt]) for attempt in shown if attempt in hits],
            page,
            len(ranked) > page * ATTEMPTS_A_PAGE,
        ),
        steps=by_attempt.total(),
        attempts=len(by_attempt),
        facets=_facets(by_value, by_task),
    )


def _first_hits(
    steps: QuerySet[AttemptStep], attempts: Iterable[int], query: SearchQuery
) -> dict[int, list[Hit]]:
    most = STEPS_OF_AN_ATTEMPT if query.attempt is None else STEPS_OF_ONE
    keys: dict[int, list[int]] = defaultdict(list)
    found = steps.filter(attempt__in=list(attempts)).order_by("attempt", "number")
    for attempt, key in found.values_list("attempt", "pk"):
        if len(keys[attempt]) < most:
            keys[attempt].append(key)
    chosen = AttemptStep.objects.filter(pk__in=[key for listed in keys.values() for key in listed])
    hits: dict[int, list[Hit]] = defaultdict(list)
    for step in with_attempts(chosen).order_by("attempt", "number"):
        hits[step.attempt_id].append(Hit(step, step_excerpts(step, query.terms)))
    return hits


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    # By value where they are as frequent: the database gives them in any order.
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST_OPTIONS]


def _facets(by_value: dict[str, Counter[str]], by_task: Counter[int]) -> list[Facet]:
    shown: dict[tuple[str, str], str] = {("kind", kind): label for kind, label in KINDS.items()}
    shown |= {("finding", kind): label for kind, label in LABELS.items()}
    links = Task.categories.through.objects.order_by("category__position")
    for task, slug, name in links.values_list("task_id", "category__slug", "category__name"):
        if task in by_task:
            by_value["category"][slug] += by_task[task]
            shown["category", slug] = name
    return [
        Facet(
            field,
            label,
            [
                Option(value, shown.get((field, value), value), steps)
                for value, steps in _most_frequent(by_value[field])
            ],
        )
        for field, label in FACETS.items()
        # One value is no choice.
        if len(by_value[field]) > 1
    ]
