"""What the about page says of each benchmark: its metrics, scorers, groups and published figures, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.models import Benchmark, Category, TaskSet
from leaderboard.scoring.contract import Metric, Scoring
from leaderboard.scoring.usage import USAGE
from leaderboard.scoring.values import value_text


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A figure from a publication, as text; ``metric`` is its label."""

    task_set: str
    tasks: int
    agent: str
    model: str
    metric: str
    value: str
    source: str
    url: str
    note: str


@dataclass(frozen=True, slots=True)
class Term:
    """A metric with its places on the page; ``short`` is empty where another metric has that place."""

    metric: Metric
    anchor: str
    short: str


@dataclass(frozen=True, slots=True)
class Section:
    """The benchmarks of one scoring, and what holds for all of them; ``groups`` have a sentence or a name."""

    anchor: str
    scoring: Scoring
    benchmarks: list[Benchmark]
    metrics: list[Term]
    groups: list[Category]
    published: list[PublishedFigure]

    @property
    def explained(self) -> list[Category]:
        return [group for group in self.groups if group.about]

    @property
    def named(self) -> list[Category]:
        return [group for group in self.groups if not group.about]


def about_sections(task_sets: Iterable[TaskSet]) -> list[Section]:
    """A section for each scoring of the benchmarks that have these task sets. One query."""
    benchmarks = {task_set.benchmark.pk: task_set.benchmark for task_set in task_sets}
    categories = list(Category.objects.filter(benchmark__in=benchmarks).order_by("benchmark", "position"))
    by_anchor: dict[str, list[Benchmark]] = {}
    for benchmark in benchmarks.values():
        by_anchor.setdefault(benchmark.anchor, []).append(benchmark)
    taken: set[str] = {metric.key for metric in USAGE}
    return [_section(anchor, members, categories, taken) for anchor, members in by_anchor.items()]


def _section(
    anchor: str, benchmarks: list[Benchmark], categories: list[Category], taken: set[str]
) -> Section:
    scoring = benchmarks[0].scoring
    keys = {benchmark.pk for benchmark in benchmarks}
    # Benchmarks of one scoring mostly have the same groups.
    groups = {each.name: each for each in reversed(categories) if each.benchmark_id in keys}
    metrics = [
        Term(metric, f"{anchor}-{metric.key}", "" if metric.key in taken else metric.key)
        for metric in scoring.results
    ]
    taken.update(metric.key for metric in scoring.results)
    published = [_published(record, scoring) for benchmark in benchmarks for record in benchmark.published]
    return Section(anchor, scoring, benchmarks, metrics, list(groups.values())[::-1], published)


def _published(record: dict[str, object], scoring: Scoring) -> PublishedFigure:
    metric = scoring.by_key[str(record["metric"])]
    texts = {
        name: str(record.get(name, "")) for name in ("task_set", "agent", "model", "source", "url", "note")
    }
    return PublishedFigure(
        **texts,
        tasks=int(str(record.get("tasks", 0))),
        metric=metric.label,
        value=value_text(float(str(record["value"])), metric.unit),
    )
