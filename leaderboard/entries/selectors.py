"""An entry's figures, versions, differences between versions, and where a draft would rank."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, count
from typing import Any

from django.db.models import Count, Q, Sum

from leaderboard.catalogue.selectors import set_categories
from leaderboard.core.figures import SCORER_ORDER
from leaderboard.domain.entries import EntryState
from leaderboard.domain.jobs import JobState
from leaderboard.domain.links import is_web_address
from leaderboard.domain.scores import BOARD, REPORTED, Metric
from leaderboard.domain.secrets import find_secrets, mask
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Attempt, Category, Entry, Figure, Job, Score, Task, TaskSet, UploadedFile


@dataclass(frozen=True, slots=True)
class EntryFigures:
    """``by_scorer``: a line a metric, a figure a scorer. ``by_category``: a line a category, one a metric."""

    by_scorer: list[tuple[Metric, list[Figure | None]]]
    by_category: list[tuple[Category, list[Figure | None]]]


class Badge(StrEnum):
    """What a reader should know of where an entry's scores come from, and who stands for them."""

    REPORTED = "reported"
    COMPUTED = "computed"
    RUN_HERE = "run-here"
    VERIFIED = "verified"


def badges(entry: Entry, figures: EntryFigures) -> list[Badge]:
    """The badges of an entry; ``figures`` are its own. No query if its run was selected with it."""
    scorers = {cell.scorer for _, cells in figures.by_scorer for cell in cells if cell and cell.scored}
    earned = {
        Badge.REPORTED: REPORTED in scorers,
        Badge.COMPUTED: bool(scorers - {REPORTED}),
        Badge.RUN_HERE: hasattr(entry, "run"),
        Badge.VERIFIED: entry.verified is not None,
    }
    return [badge for badge, has_it in earned.items() if has_it]


def shown_links(entry: Entry) -> list[dict[str, str]]:
    """An entry's links that a page may link to, each with a label."""
    return [
        {"url": link["url"], "label": mask(link.get("label") or link["url"])}
        for link in entry.links
        if is_web_address(link["url"])
    ]


def shown_notes(entry: Entry) -> str:
    """What an entry's owners say of it, as pages show it: what looks like a secret is masked."""
    return mask(entry.notes)


def secrets_said(entry: Entry) -> int:
    """How many places in what its owners say of an entry look like secrets."""
    said = (entry.notes, *(link.get("label", "") for link in entry.links))
    return sum(len(find_secrets(text)) for text in said)


def entry_figures(entry: Entry, categories: list[Category]) -> EntryFigures:
    """Every figure of an entry. One query."""
    figures = {(f.scorer, f.metric, f.category): f for f in entry.figures.all()}
    return EntryFigures(
        by_scorer=[
            (metric, [figures.get((scorer, metric, "")) for scorer in SCORER_ORDER]) for metric in Metric
        ],
        by_category=[
            (category, [figures.get((BOARD, metric, category.slug)) for metric in Metric])
            for category in categories
        ],
    )


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


Sources = dict[str, str]
"""By metric, whose figure the board shows of an entry."""
Means = dict[tuple[int, str], float | None]
"""By task key and metric, the mean over attempts; None where none has a score."""


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after, in [0, 1]; None where it is missing."""

    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """A task that either version attempted, with a change for each metric in their order."""

    task: Task
    changes: list[Change]

    @property
    def changed(self) -> bool:
        return any(change.changed for change in self.changes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``after`` changes against ``before``.

    ``totals`` has a row overall (None) and one for each category; a task without an attempt counts as failed
    in them. ``sources_differ`` names the metrics that the two claim from different scorers.
    """

    before: Entry
    after: Entry
    totals: list[tuple[Category | None, list[Change]]]
    tasks: list[TaskChanges]
    sources_differ: list[Metric]

    @property
    def changed_tasks(self) -> list[TaskChanges]:
        return [task for task in self.tasks if task.changed]


def version_before(entry: Entry) -> Entry | None:
    """What an entry's figures are compared with: the version before it, published or not."""
    line = line_before(entry) if entry.is_draft else line_of(entry)
    earlier = line if entry.is_draft else line[: line.index(entry)]
    return earlier[-1] if earlier else None


def compare_versions(entry: Entry, before: Entry) -> Comparison:
    """``entry`` against ``before``, by what a board shows of each. Nine queries at any size."""
    figures = [_figures(version) for version in (before, entry)]
    sources: list[Sources] = [
        {metric: figure.source for (metric, category), figure in found.items() if not category}
        for found in figures
    ]
    means = [_means(version, source) for version, source in zip((before, entry), sources, strict=True)]
    categories: list[Category | None] = [None, *set_categories(entry.task_set)]
    attempted = Attempt.objects.filter(entry__in=(before, entry)).values("task")
    tasks = Task.objects.filter(pk__in=attempted).only("task_id", "title", "task_set").order_by("task_id")
    return Comparison(
        before=before,
        after=entry,
        totals=[
            (
                category,
                [
                    Change(*(_value(found, metric, category.slug if category else "") for found in figures))
                    for metric in Metric
                ],
            )
            for category in categories
        ],
        tasks=[
            TaskChanges(
                task, [Change(*(found.get((task.pk, metric)) for found in means)) for metric in Metric]
            )
            for task in tasks
        ],
        sources_differ=[
            metric for metric in Metric if len({source[metric] for source in sources if metric in source}) > 1
        ],
    )


def _figures(entry: Entry) -> dict[tuple[str, str], Figure]:
    return {(figure.metric, figure.category): figure for figure in entry.figures.filter(scorer=BOARD)}


def _value(figures: dict[tuple[str, str], Figure], metric: str, category: str) -> float | None:
    figure = figures.get((metric, category))
    return figure.value if figure else None


def _means(entry: Entry, sources: Sources) -> Means:
    wanted = Q(pk=None)
    for metric, source in sources.items():
        wanted |= Q(metric=metric, scorer=source)
    values: dict[tuple[int, str], list[float]] = defaultdict(list)
    rows = Score.objects.filter(wanted, attempt__entry=entry, value__isnull=False)
    for task, metric, value in rows.values_list("attempt__task_id", "metric", "value"):
        if value is not None:
            values[task, metric].append(value)
    return {key: math.fsum(found) / len(found) for key, found in values.items()}


@dataclass(frozen=True, slots=True)
class Acknowledgements:
    """What somebody who publishes a draft has to say yes to: numbers of refused files, and of secrets."""

    refused: int
    secrets: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry on the board, and its value there."""

    entry: Entry
    value: float


@dataclass(frozen=True, slots=True)
class MetricPreview:
    """One metric of a draft as the board would have it.

    Attributes:
        metric: which.
        figure: the draft's own; None where it has none.
        rank: from 1, equals share one; None without a value.
        of: how many entries would have a value, this one included.
        above: the nearest that is better, the first in the board's order among equals; None at the top.
        below: the nearest that is worse.
        equal: how many others have the same value.
    """

    metric: Metric
    figure: Figure | None
    rank: int | None
    of: int
    above: Neighbour | None
    below: Neighbour | None
    equal: int


@dataclass(frozen=True, slots=True)
class RankPreview:
    """Where a draft would stand. ``replaces`` is the version that would leave the board for it."""

    task_set_total: int
    attempted: int
    replaces: Entry | None
    metrics: list[MetricPreview]

    @property
    def leading(self) -> MetricPreview:
        """The metric that a board ranks by."""
        return self.metrics[0]


def acknowledgements(draft: Entry) -> Acknowledgements:
    """What of a draft needs a word before it is published. Three queries."""
    secrets = (draft.attempts.aggregate(n=Sum("secrets"))["n"] or 0) + secrets_said(draft)
    # One that was refused as a whole has changed nothing of the draft.
    upload = draft.uploads.exclude(state=UploadState.REFUSED).order_by("-created").first()
    refused = upload.files.filter(verdict=UploadedFile.Verdict.REFUSED).count() if upload else 0
    return Acknowledgements(refused, secrets)


def rank_preview(entry: Entry) -> RankPreview:
    """Where a draft would rank if it were published now, metric by metric. About twenty queries."""
    replaces = on_board(line_before(entry))
    mine = {figure.metric: figure for figure in entry.figures.filter(scorer=BOARD, category="")}
    return RankPreview(
        task_set_total=entry.task_set.tasks.count(),
        attempted=entry.attempted,
        replaces=replaces,
        metrics=[_metric_preview(entry, metric, mine.get(metric), replaces) for metric in Metric],
    )


def _metric_preview(
    entry: Entry, metric: Metric, figure: Figure | None, replaces: Entry | None
) -> MetricPreview:
    others = Figure.objects.filter(
        task_set=entry.task_set_id, scorer=BOARD, metric=metric, category="", value__isnull=False
    ).exclude(Q(entry=entry) | Q(entry=replaces))
    if figure is None or figure.value is None:
        return MetricPreview(metric, figure, None, others.count(), None, None, 0)
    better, worse = others.filter(value__gt=figure.value), others.filter(value__lt=figure.value)
    above = better.select_related("entry__agent").order_by("value", "entry").first()
    below = worse.select_related("entry__agent").order_by("-value", "entry").first()
    total, ahead = others.count(), better.count()
    return MetricPreview(
        metric,
        figure,
        rank=ahead + 1,
        of=total + 1,
        above=_neighbour(above),
        below=_neighbour(below),
        equal=total - ahead - worse.count(),
    )


def _neighbour(figure: Figure | None) -> Neighbour | None:
    return Neighbour(figure.entry, figure.value) if figure and figure.value is not None else None


NAME_LENGTH = 100
"""Of an agent's name, and of its model's: what their columns hold."""
_RUN_HERE = re.compile(r" \(run here(?: \d+)?\)$")


def run_environment(entry: Entry) -> list[tuple[str, Any]]:
    """How and on what an entry that was made here was made, as its last finished job tells; else nothing.

    One query.
    """
    made = Job.objects.filter(run__entry=entry, attempt__isnull=False).select_related("run").last()
    if made is None:
        return []
    told = {"agent": made.run.agent, **made.run.agent_settings, **made.environment}
    return [(name, value) for name, value in told.items() if value not in (None, "", {})]


def unfinished_jobs(entry: Entry) -> tuple[int, int]:
    """How many jobs of an entry that was made here failed of us, and how many were cancelled. One query."""
    jobs = Job.objects.filter(run__entry=entry).order_by()
    counts = jobs.aggregate(
        failed=Count("pk", filter=Q(state=JobState.FAILED)),
        cancelled=Count("pk", filter=Q(state=JobState.CANCELLED)),
    )
    return counts["failed"], counts["cancelled"]


def free_model_name(task_set: TaskSet, scaffold: str, model: str) -> str:
    """A name for the model of a new run under which ``scaffold`` has no entry on the set, drafts included.

    It is ``model`` itself, or the first free of “model (run here)”, “model (run here 2)”, … An empty one
    stays empty. One query.
    """
    taken = set(
        Entry.objects.filter(task_set=task_set, agent__name=scaffold).values_list("agent__model", flat=True)
    )
    if not model or model not in taken:
        return model
    name = _RUN_HERE.sub("", model)
    suffixes = chain([" (run here)"], (f" (run here {n})" for n in count(2)))
    tried = (name[: NAME_LENGTH - len(suffix)] + suffix for suffix in suffixes)
    return next(each for each in tried if each not in taken)
