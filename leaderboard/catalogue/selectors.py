"""Reads of benchmarks, task sets and tasks."""

from __future__ import annotations

import json

from django.db.models import Avg, Count, Prefetch, Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import Http404

from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.entries import RANKED, EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.scores import REPORTED
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import MISSING
from leaderboard.formats.autoexperiment_tasks import set_of_level
from leaderboard.models import Benchmark, Category, Task, TaskSet
from leaderboard.scoring.contract import Scoring


def get_task_set(name: str) -> TaskSet:
    """The task set called ``name``: ``set``, or ``benchmark/set`` if several benchmarks have one.

    Raises:
        InputError: there is none, or the name is ambiguous; the message lists all task sets.
    """
    benchmark, _slash, slug = name.rpartition("/")
    found = list(TaskSet.objects.filter(slug=slug).select_related("benchmark"))
    if benchmark:
        found = [task_set for task_set in found if task_set.benchmark.slug == benchmark]
    if len(found) == 1:
        return found[0]
    known = [each.key for each in TaskSet.objects.select_related("benchmark")]
    reason = f"“{name}” names more than one task set" if found else f"“{name}” is not a task set"
    remedy = f"task sets: {', '.join(known)}" if known else "there are none yet: run manage.py load_fixtures"
    raise InputError(Problem("task set", "", reason, remedy))


def get_task_set_of_level(benchmark: str, level: int) -> TaskSet:
    """The task set for a level, of a benchmark or, if ``benchmark`` is empty, of the only one that has it.

    Raises:
        InputError: there is none, or several have it.
    """
    found = list(TaskSet.objects.filter(level=level).select_related("benchmark"))
    if benchmark:
        found = [each for each in found if each.benchmark.slug == benchmark]
    else:
        # In another benchmark, a level is the set's place among others.
        found = [each for each in found if each.scoring.layout.levels]
    if len(found) == 1:
        return found[0]
    if found:
        reason = f"the level {level:,} is that of {', '.join(each.key for each in found)}"
        raise InputError(Problem("task set", "", reason, "give --benchmark"))
    # It may have no level, only its name.
    return get_task_set(f"{benchmark}/{set_of_level(level)}".lstrip("/"))


def find_benchmarks(slug: str = "") -> list[Benchmark]:
    """The benchmark with this slug, or all without one; with their task sets. Two queries.

    Raises:
        InputError: there is none; the message lists all benchmarks.
    """
    known = list(Benchmark.objects.prefetch_related("task_sets"))
    found = [each for each in known if slug in ("", each.slug)]
    if found:
        return found
    reason = f"“{slug}” is not a benchmark" if slug else "there is no benchmark"
    slugs = ", ".join(each.slug for each in known)
    remedy = f"benchmarks: {slugs}" if known else "run manage.py load_fixtures or add_benchmark"
    raise InputError(Problem("benchmark", "", reason, remedy))


def all_task_sets() -> list[TaskSet]:
    """Every task set in the order of the navigation, with its benchmark and ``task_count``. One query."""
    task_sets = TaskSet.objects.select_related("benchmark").annotate(task_count=Count("tasks"))
    # A query with GROUP BY ignores the model's default order.
    return list(task_sets.order_by("benchmark__position", "benchmark__name", "position"))


def pick_task_set(task_sets: list[TaskSet], benchmark: str, slug: str) -> TaskSet:
    """The task set with these slugs; the default one if ``benchmark`` is empty. Raises `Http404`."""
    if not benchmark:
        return next((s for s in task_sets if s.is_default), task_sets[0])
    for task_set in task_sets:
        if (task_set.benchmark.slug, task_set.slug) == (benchmark, slug):
            return task_set
    raise Http404("There is no such task set.")


def pick_benchmark(task_sets: list[TaskSet], slug: str) -> list[TaskSet]:
    """The task sets of the benchmark with this slug, at least one. Raises `Http404`."""
    found = [task_set for task_set in task_sets if task_set.benchmark.slug == slug]
    if not found:
        raise Http404("There is no such benchmark.")
    return found


def find_task(task_set: TaskSet, task_id: str) -> Task:
    """A task of a set with its categories. Two queries. Raises `Http404`."""
    # Made storable, because PostgreSQL fails on a NUL in a query.
    task = task_set.tasks.prefetch_related("categories").filter(task_id=storable(task_id)).first()
    if task is None:
        raise Http404("This task set has no task of that name.")
    task.task_set = task_set
    return task


def task_ids_by_set() -> dict[str, tuple[str, ...]]:
    """All task ids by their set's key, ``benchmark/set``. One query."""
    rows = Task.objects.order_by("task_set", "task_id").values_list(
        "task_set__benchmark__slug", "task_set__slug", "task_id"
    )
    by_set: dict[str, list[str]] = {}
    for benchmark, task_set, task_id in rows:
        by_set.setdefault(f"{benchmark}/{task_set}", []).append(task_id)
    return {key: tuple(ids) for key, ids in by_set.items()}


def max_attempts_by_set() -> dict[str, int]:
    """How many attempts at a task one entry may have, by the set's key. One query."""
    rows = TaskSet.objects.order_by().values_list("benchmark__slug", "slug", "benchmark__max_attempts")
    return {f"{benchmark}/{task_set}": most for benchmark, task_set, most in rows}


def scorings_by_set() -> dict[str, Scoring]:
    """How each set is scored, by its key. One query."""
    return {each.key: each.benchmark.scoring for each in TaskSet.objects.select_related("benchmark")}


def set_categories(task_set: TaskSet) -> list[Category]:
    """The categories of a set's tasks, ordered by position. One query."""
    return list(Category.objects.filter(tasks__task_set=task_set).distinct())


def tasks_with_results(task_set: TaskSet) -> QuerySet[Task]:
    """The tasks of a set with ``listed_categories``, ``attempt_count`` and ``mean_score``.

    Only published attempts count. The mean is of the decisive metric over ranked entries only: over the
    default scorer's values if it has any, else over the reported ones. Two queries.
    """
    scoring = task_set.scoring

    def mean(scorer: str) -> Avg:
        by_scorer = Q(attempts__scores__scorer=scorer, attempts__scores__metric=scoring.decisive.key)
        return Avg("attempts__scores__value", filter=by_scorer & published & ranked)

    published = Q(attempts__entry__state=EntryState.PUBLISHED)
    ranked = Q(attempts__entry__evidence__in=RANKED)

    return (
        Task.objects.filter(task_set=task_set)
        .only("task_set", "task_id", "title", "repository")
        # As a list: a related manager for each task takes longer to make than its row.
        .prefetch_related(Prefetch("categories", to_attr="listed_categories"))
        .annotate(
            attempt_count=Count("attempts", distinct=True, filter=published),
            mean_score=Coalesce(mean(scoring.default_scorer), mean(REPORTED)),
        )
        # A query with GROUP BY ignores the model's default order.
        .order_by("task_id")
    )


def task_spec(task: Task) -> TaskSpec:
    """A stored task as a `TaskSpec` for scoring. No query if its set and benchmark were selected with it."""
    return TaskSpec(
        task_id=task.task_id,
        query=task.query,
        title=task.title,
        repository=task.repository,
        commit=task.commit,
        entrypoint=task.entrypoint,
        gold=json.loads(task.gold) if task.gold else MISSING,
        landmarks=tuple(task.landmarks),
        pre_execute_cells=tuple((kind, content) for kind, content in task.pre_execute_cells),
        query_components=task.query_components,
        solution=task.solution,
        sources=tuple(task.task_set.benchmark.sources),
    )


def shown_landmarks(task: Task) -> list[str]:
    """A task's landmark patterns as pages may show them; empty if a pattern reveals the gold answer."""
    gold = json.loads(task.gold) if task.gold else MISSING
    return [shown_pattern(pattern, gold) for pattern in task.landmarks]
