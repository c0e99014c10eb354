"""Importing benchmarks and tasks, and marking scores of changed tasks as stale."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max, QuerySet

from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import MAX_ATTEMPTS, TaskSpec
from leaderboard.domain.text import plural, storable
from leaderboard.domain.trajectory import MISSING
from leaderboard.intake.benchmark_files import benchmark_problems, is_category
from leaderboard.models import Benchmark, Category, Entry, Figure, Score, Task, TaskSet
from leaderboard.scoring import scoring_of

# The lengths of a task's columns: SQLite does not check them, PostgreSQL does.
LONGEST = {"task_id": 200, "title": 200, "repository": 300, "commit": 64, "entrypoint": 300}

# What a benchmark's record may leave out, with what it then is.
OWN_FIELDS: Final[Mapping[str, Any]] = {
    **{"name": "", "summary": "", "url": "", "position": 0, "scoring": "", "metrics": []},
    **{"max_attempts": MAX_ATTEMPTS, "sources": [], "published": []},
}
SET_FIELDS: Final[Mapping[str, Any]] = {"name": "", "summary": "", "level": None, "is_default": False}
MEASURED_BY = ("scoring_name", "metrics")
AWAY = 16384
"""More than the number of categories of a benchmark."""
MOST_CHANGES = 100
"""Changes that an audit event lists."""

Row = TypeVar("Row", Benchmark, Category, TaskSet)


@dataclass(frozen=True, slots=True)
class TaskImport:
    """The result of an import: numbers of tasks, and of scores that became stale."""

    added: int
    changed: int
    unchanged: int
    stale: int


@transaction.atomic
def save_benchmark(
    record: Mapping[str, Any],
    *,
    file: str = "benchmark.json",
    say: Callable[[str], None] = lambda change: None,
    actor: User | None = None,
) -> Benchmark:
    """Create or update a benchmark with its categories and task sets, all or nothing. Idempotent.

    What the record leaves out is removed if nothing depends on it: a task set without tasks and entries, a
    category without tasks. Where groups are open, categories stay. ``say`` gets a line for each change.

    Raises:
        InputError: with everything that is wrong; ``file`` is the record's file.
    """
    if problems := benchmark_problems(record, file=file):
        raise InputError(*problems)
    known = Benchmark.objects.filter(slug=record["slug"]).first()
    if conflicts := list(_conflicts(known, record, file)):
        raise InputError(*conflicts)
    own = {name: record.get(name, default) for name, default in OWN_FIELDS.items()}
    own["scoring_name"] = own.pop("scoring")
    if "position" not in record:
        own["position"] = known.position if known else _last_position()
    measured_anew = known is not None and any(getattr(known, key) != own[key] for key in MEASURED_BY)
    benchmark = known or Benchmark(slug=record["slug"])
    changes = [
        *_store(benchmark, f"benchmark {benchmark.slug}", own),
        *_save_categories(benchmark, record),
        *_save_task_sets(benchmark, record["task_sets"]),
    ]
    # Read again, because a benchmark remembers its scoring.
    benchmark = Benchmark.objects.get(pk=benchmark.pk)
    if measured_anew:
        for task_set in benchmark.task_sets.all():
            refresh_figures(task_set, task_set.entries.all())
    if changes:
        done = "change benchmark" if known else "add benchmark"
        record_event(done, benchmark, actor=actor, slug=benchmark.slug, changes=changes[:MOST_CHANGES])
    for change in changes:
        say(change)
    return benchmark


def _last_position() -> int:
    """The place of a new benchmark that says none: after all others."""
    last = Benchmark.objects.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _conflicts(benchmark: Benchmark | None, record: Mapping[str, Any], file: str) -> Iterator[Problem]:
    """What the site's data is against."""
    default = TaskSet.objects.filter(is_default=True).exclude(benchmark__slug=record["slug"]).first()
    if default and any(each.get("is_default") for each in record["task_sets"]):
        reason = f"{default.key} is the site's default task set already"
        remedy = "leave out is_default, or take it out of the other benchmark's file and add that one first"
        yield Problem(file, "$.task_sets", reason, remedy)
    if benchmark is None:
        return
    yield from _lost_scores(benchmark, record, file)
    for task_set in _left_out(benchmark.task_sets.all(), record["task_sets"]):
        tasks, entries = task_set.tasks.count(), task_set.entries.count()
        if tasks or entries or task_set.runs.exists():
            data = (
                f"{plural(tasks, '{n} task', '{n} tasks')} and {plural(entries, '{n} entry', '{n} entries')}"
            )
            reason = f"the task set {task_set.slug} is left out, and has {data}"
            yield Problem(file, "$.task_sets", reason, "keep it: a set with data is never removed")
    for category in _removed_categories(benchmark, record):
        if count := category.tasks.count():
            tasks_have = plural(count, "{n} task has", "{n} tasks have")
            reason = f"the category {category.slug} is left out, and {tasks_have} it"
            yield Problem(file, "$.categories", reason, "keep it: a category with tasks is never removed")


def _lost_scores(benchmark: Benchmark, record: Mapping[str, Any], file: str) -> Iterator[Problem]:
    """Problems if stored scores would no longer be of any metric."""
    scores = Score.objects.filter(attempt__task__task_set__benchmark=benchmark)
    was, scoring = benchmark.scoring_name, record.get("scoring", "")
    if scoring != was and scores.exists():
        reason = f"it was “{was}”, and attempts have scores by it" if was else "attempts have reported scores"
        remedy = "keep it as it was, or make a benchmark with another slug"
        yield Problem(file, "$.scoring", reason, remedy)
    elif not scoring:
        keys = [metric["key"] for metric in record["metrics"]]
        for key in sorted(set(scores.exclude(metric__in=keys).values_list("metric", flat=True))):
            reason = f"the metric {key} is left out, and attempts have scores in it"
            yield Problem(file, "$.metrics", reason, "keep it: scores are never removed")


def _removed_categories(benchmark: Benchmark, record: Mapping[str, Any]) -> list[Category]:
    """Those that the record leaves out; none where groups come with the tasks."""
    if scoring_of(record.get("scoring", ""), record.get("metrics", ())).groups.are_open:
        return []
    return _left_out(benchmark.categories.all(), record.get("categories", []))


def _left_out(rows: Iterable[Row], records: Iterable[Mapping[str, Any]]) -> list[Row]:
    kept = {record["slug"] for record in records}
    return [row for row in rows if row.slug not in kept]


def _save_categories(benchmark: Benchmark, record: Mapping[str, Any]) -> list[str]:
    removed = _removed_categories(benchmark, record)
    changes = [f"category {category.slug}: removed" for category in removed]
    benchmark.categories.filter(pk__in=[category.pk for category in removed]).delete()
    stored = {category.slug: category for category in benchmark.categories.all()}
    said = {
        each["slug"]: {"name": each["name"], "about": each.get("about", "")}
        for each in record.get("categories", [])
    }
    kept = {
        slug: {"name": each.name, "about": each.about} for slug, each in stored.items() if slug not in said
    }
    values = said | kept
    positions = {slug: position for position, slug in enumerate(values)}
    moved = [each.pk for slug, each in stored.items() if each.position != positions[slug]]
    # Away first, because two categories can't have one position, not even for a moment.
    benchmark.categories.filter(pk__in=moved).update(position=F("position") + AWAY)
    for slug, own in values.items():
        category = stored.get(slug) or Category(benchmark=benchmark, slug=slug)
        changes += _store(category, f"category {slug}", own | {"position": positions[slug]})
    return changes


def _save_task_sets(benchmark: Benchmark, records: Sequence[Mapping[str, Any]]) -> list[str]:
    stored = {task_set.slug: task_set for task_set in benchmark.task_sets.all()}
    removed = _left_out(stored.values(), records)
    changes = [f"task set {task_set.key}: removed" for task_set in removed]
    benchmark.task_sets.filter(pk__in=[task_set.pk for task_set in removed]).delete()
    default = next((record["slug"] for record in records if record.get("is_default")), None)
    # Taken away first, because two can't be the default, not even for a moment.
    benchmark.task_sets.filter(is_default=True).exclude(slug=default).update(is_default=False)
    for position, record in enumerate(records):
        task_set = stored.get(record["slug"]) or TaskSet(benchmark=benchmark, slug=record["slug"])
        values = {name: record.get(name, default) for name, default in SET_FIELDS.items()}
        changes += _store(task_set, f"task set {task_set.key}", {**values, "position": position})
    return changes


def _store(row: Row, name: str, values: Mapping[str, Any]) -> list[str]:
    """Save a row if it is new or gets other values; says what was done."""
    changed = [key for key, value in values.items() if getattr(row, key) != value]
    is_new = row.pk is None
    if not changed and not is_new:
        return []
    for key in changed:
        setattr(row, key, values[key])
    row.save()
    # In the words of a benchmark's file.
    keys = ", ".join(sorted(key.removesuffix("_name") for key in changed))
    return [f"{name}: added" if is_new else f"{name}: changed {keys}"]


@transaction.atomic
def import_tasks(
    task_set: TaskSet, specs: Sequence[TaskSpec], *, source: str = "tasks", actor: User | None = None
) -> TaskImport:
    """Add and update tasks by id, all or none; other tasks of the set do not change.

    A field that is empty in the new record keeps its stored value: importing a catalogue of ids again must
    not delete the gold answers from a dataset.

    Raises:
        InputError: for every task whose id or fields can't be stored; ``source`` is their file's name.
    """
    categories = _categories(task_set, specs)
    if problems := [problem for spec in specs for problem in _problems(spec, source, categories)]:
        raise InputError(*problems)
    counts: Counter[str] = Counter()
    stale = 0
    known = {task.task_id: task for task in task_set.tasks.prefetch_related("categories")}
    figures_changed = False
    for spec in specs:
        task = known.get(spec.task_id)
        fields = _fields(spec)
        wanted = {categories[slug] for slug in spec.categories}
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
        counted = {"added": result.added, "changed": result.changed, "stale": stale}
        record_event("import tasks", task_set, actor=actor, **counted)
    return result


def _categories(task_set: TaskSet, specs: Iterable[TaskSpec]) -> dict[str, Category]:
    """The benchmark's categories by slug; open ones are added where a task names them."""
    known = {category.slug: category for category in task_set.benchmark.categories.all()}
    if task_set.scoring.groups.are_open:
        position = max((category.position for category in known.values()), default=-1)
        named = dict.fromkeys(slug for spec in specs for slug in spec.categories)
        for slug in (slug for slug in named if slug not in known and is_category(slug)):
            position += 1
            known[slug] = Category.objects.create(
                benchmark=task_set.benchmark, slug=slug, name=slug, position=position
            )
    return known


def _problems(spec: TaskSpec, source: str, categories: Collection[str]) -> Iterator[Problem]:
    place = f"task {storable(spec.task_id)[:60]}"
    if "/" in spec.task_id or spec.task_id in {".", ".."} or storable(spec.task_id) != spec.task_id:
        reason = "task_id has a character that is not allowed in an address"
        yield Problem(source, place, reason, "rename the task")
    for name, limit in LONGEST.items():
        length = len(getattr(spec, name))
        if length > limit:
            reason = f"{name} has {length:,} characters, more than {limit:,}"
            yield Problem(source, place, reason, "shorten it")
    for slug in spec.categories:
        if slug not in categories:
            remedy = f"the categories are {', '.join(categories)}" if categories else "the benchmark has none"
            reason = f"“{storable(slug)[:50]}” is not a category of the benchmark"
            yield Problem(source, place, reason, remedy)


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
