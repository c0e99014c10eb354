"""Comparing on a board: the grid of 50 entries by 200 tasks, six entries side by side, and the tiers."""

from __future__ import annotations

from functools import partial
from random import Random

from django.db import transaction
from django.urls import reverse

from benchmarks.table import Row
from benchmarks.temporary_site import client, get
from benchmarks.timing import alternate
from leaderboard.core.figures import refresh_figures, refresh_standings
from leaderboard.domain.entries import Evidence
from leaderboard.domain.scores import BOARD, REPORTED
from leaderboard.models import Agent, Attempt, Benchmark, Entry, Score, Standing, Task, TaskSet
from leaderboard.scoring.super import SCORING

ENTRIES, TASKS, COMPARED = 50, 200, 6
REPOSITORIES = 60
MILLISECONDS, TIERS = 300, 2_000
RUNS = 7
VALUES = (0.0, 0.0, 1 / 3, 0.5, 1.0, 1.0)


def measure() -> list[Row]:
    client()
    task_set = _fill()
    slugs = Entry.objects.filter(task_set=task_set).order_by("pk").values_list("slug", flat=True)[:COMPARED]
    grid = reverse("grid", args=(task_set.benchmark.slug, task_set.slug))
    comparison = f"{reverse('compare')}?{'&'.join(f'e={slug}' for slug in slugs)}"
    of_grid, of_comparison = alternate(partial(get, grid), partial(get, comparison), runs=RUNS)
    entry = Entry.objects.get(slug=slugs[0])
    figures = partial(refresh_figures, task_set, [entry], standings=False)
    tiers, of_entry = alternate(partial(refresh_standings, task_set), figures, runs=RUNS)
    tested = Standing.objects.filter(figure__task_set=task_set, figure__scorer=BOARD).count()
    bound = f"at most {MILLISECONDS} ms"
    return [
        Row(f"grid of {ENTRIES} entries by {TASKS} tasks", of_grid * 1e3, MILLISECONDS, "ms", bound),
        Row(f"{COMPARED} entries compared, {TASKS} tasks", of_comparison * 1e3, MILLISECONDS, "ms", bound),
        Row(
            f"tiers of a board, {tested} entries tested by each scorer",
            tiers * 1e3,
            TIERS,
            "ms",
            f"at most {TIERS:,} ms for each publication",
        ),
        Row("figures and intervals of one entry", of_entry * 1e3, MILLISECONDS, "ms", bound),
    ]


@transaction.atomic
def _fill() -> TaskSet:
    benchmark = Benchmark.objects.create(slug="beside", name="Beside", position=98, scoring_name=SCORING.name)
    task_set = TaskSet.objects.create(benchmark=benchmark, slug="all", name="All")
    tasks = Task.objects.bulk_create(
        Task(task_set=task_set, task_id=f"task-{n:03}", repository=f"repository-{n % REPOSITORIES}", gold="1")
        for n in range(TASKS)
    )
    random = Random(1)  # noqa: S311 - figures to compare, not a secret
    agents = Agent.objects.bulk_create(Agent(name=f"beside-{n}", model="model") for n in range(ENTRIES))
    entries = Entry.objects.bulk_create(
        Entry(agent=agent, task_set=task_set, slug=f"beside-{n}", evidence=Evidence.TRAJECTORIES)
        for n, agent in enumerate(agents)
    )
    attempts = Attempt.objects.bulk_create(
        Attempt(entry=entry, task=task, number=1, has_trajectory=True, source_digest="0" * 64)
        for entry in entries
        for task in tasks
    )
    scorers = (REPORTED, *SCORING.by_scorer)
    Score.objects.bulk_create(
        Score(attempt=attempt, scorer=scorer, version="1", metric=metric, value=random.choice(VALUES))
        for attempt in attempts
        for scorer in scorers
        for metric in ("accuracy", "landmarks")
    )
    refresh_figures(task_set, entries)
    return task_set
