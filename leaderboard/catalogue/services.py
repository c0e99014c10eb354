"""Importing benchmarks and tasks, and marking scores of changed tasks as stale."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import MAX_ATTEMPTS, TaskSpec
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import MISSING
from leaderboard.models import Benchmark, Category, Entry, Figure, Score, Task, TaskSet

# The lengths of a task's columns: SQLite does not check them, PostgreSQL does.
LONGEST = {"task_id": 200, "title": 200, "repository": 300, "commit": 64, "entrypoint": 300}


@dataclass(frozen=True, slots=True)
class TaskImport:
    """The result of an import: numbers of tasks, and of scores that became stale."""

    added: int
    changed: int
    unchanged: int
    stale: int


def save_benchmark(record: Mapping[str, Any]) -> Benchmark:
    """Create or update a benchmark with its categories and task sets from a fixture."""
    with transaction.atomic():
        benchmark, _ = Benchmark.objects.update_or_create(
            slug=record["slug"],
            defaults={
                **{key: record[key] for key in ("name", "summary", "url", "position")},
                "scoring_name": record.get("scoring", ""),
                "metrics": record.get("metrics", []),
                "published": record.get("published", []),
                "max_attempts": record.get("max_attempts", MAX_ATTEMPTS),
                "sources": record.get("sources", []),
            },
        )
        for position, category in enumerate(record["categories"]):
            Category.objects.update_or_create(
                benchmark=benchmark,
                slug=category["slug"],
                defaults={
                    "name": category["name"],
                    "about": category.get("about", ""),
                    "position": position,
                },
            )
        for position, task_set in enumerate(record["task_sets"]):
            TaskSet.objects.update_or_create(
                benchmark=benchmark, slug=task_set["slug"], defaults={**task_set, "position": position}
            )
    return benchmark


@transaction.atomic
def import_tasks(task_set: TaskSet, specs: Sequence[TaskSpec], *, source: str = "tasks") -> TaskImport:
    """Add and update tasks by id, all or none; other tasks of the set do not change.

    A field that is empty in the new record keeps its stored value: importing a catalogue of ids again must
    not delete the gold answers from a dataset.

    Raises:
        InputError: for every task whose id or fields can't be stored; ``source`` is their file's name.
    """
    if problems := [problem for spec in specs for problem in _problems(spec, source)]:
        raise InputError(*problems)
    counts: Counter[str] = Counter()
    stale = 0
    categories = _categories(task_set, specs)
    known = {task.task_id: task for task in task_set.tasks.prefetch_related("categories")}
    figures_changed = False
    for spec in specs:
        task = known.get(spec.task_id)
        fields = _fields(spec)
        wanted = {categories[slug] for slug in spec.categories if slug in categories}
        if task is None:
            task = Task.objects.create(task_set=task_set, task_id=spec.task_id, **fields)
            task.categories.set(wanted)
            counts["added"] += 1
            figures_changed = True
            continue
        changed = [name for name, value in fields.items() if value and value != getattr(task, name)]
        recategorised = bool(wanted) and wanted != set(task.categories.all())
        if not changed and not recategorised:
            counts["unchanged"] += 1
            continue
        for name in changed:
            setattr(task, name, fields[name])
        task.save(update_fields=changed)
        if recategorised:
            task.categories.set(wanted)
            figures_changed = True
        stale += _mark_stale(task, changed)
        counts["changed"] += 1
    if figures_changed:
        refresh_figures(task_set, task_set.entries.all())
    result = TaskImport(counts["added"], counts["changed"], counts["unchanged"], stale)
    if result.added or result.changed:
        record_event("import tasks", task_set, added=result.added, changed=result.changed, stale=stale)
    return result


def _categories(task_set: TaskSet, specs: Iterable[TaskSpec]) -> dict[str, Category]:
    """The benchmark's categories by slug; open ones are added where a task names them."""
    known = {category.slug: category for category in task_set.benchmark.categories.all()}
    if task_set.scoring.groups.are_open:
        position = max((category.position for category in known.values()), default=-1)
        for slug in dict.fromkeys(slug for spec in specs for slug in spec.categories if slug not in known):
            position += 1
            known[slug] = Category.objects.create(
                benchmark=task_set.benchmark, slug=slug, name=slug, position=position
            )
    return known


def _problems(spec: TaskSpec, source: str) -> Iterator[Problem]:
    place = f"task {storable(spec.task_id)[:60]}"
    if "/" in spec.task_id or spec.task_id in {".", ".."} or storable(spec.task_id) != spec.task_id:
        reason = "task_id has a character that is not allowed in an address"
        yield Problem(source, place, reason, "rename the task")
    for name, limit in LONGEST.items():
        length = len(getattr(spec, name))
        if length > limit:
            reason = f"{name} has {length:,} characters, more than {limit:,}"
            yield Problem(source, place, reason, "shorten it")


def _fields(spec: TaskSpec) -> dict[str, Any]:
    texts = ("title", "query", "repository", "commit", "entrypoint")
    values = ("landmarks", "pre_execute_cells", "query_components", "solution")
    # Sorted, because another order of keys is not a change.
    gold = "" if spec.gold is MISSING else json.dumps(spec.gold, sort_keys=True)
    return {name: _storable_json(getattr(spec, name)) for name in texts + values} | {"gold": gold}


def _storable_json(value: Any) -> Any:
    """A value that a JSON column can store: values that JSON lacks (NaN, a date) become text."""
    if isinstance(value, dict):
        return {storable(str(key)): _storable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    known = value is None or isinstance(value, bool | int | float)
    return value if known else storable(str(value))


def _mark_stale(task: Task, changed: Iterable[str]) -> int:
    scoring = task.scoring
    scorers, metrics = list(scoring.by_scorer), scoring.reading(set(changed))
    scores: QuerySet[Score] = Score.objects.filter(
        attempt__task=task, scorer__in=scorers, metric__in=metrics, stale=False
    )
    entries = list(Entry.objects.filter(attempts__scores__in=scores).values_list("pk", flat=True).distinct())
    count = scores.update(stale=True)
    combined = [metric.key for metric in scoring.metrics if metric.scored_as in metrics]
    Figure.objects.filter(entry__in=entries, source__in=scorers, metric__in=combined).update(stale=True)
    return count
