"""What stops the attempts at a set's tasks: by landmark and by finding, in all and by group of tasks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from leaderboard.attempts.selectors import ScoredAttempt, list_attempts
from leaderboard.attempts.solved import is_solved
from leaderboard.catalogue.selectors import shown_landmarks
from leaderboard.core.pages import Page
from leaderboard.diagnosis.classes import CLASSES, LABELS
from leaderboard.domain.entries import EntryState
from leaderboard.domain.scores import LandmarkStatus
from leaderboard.models import Attempt, Category, Entry, LandmarkOutcome, Task, TaskSet

LANDMARKS_LISTED: Final = 20
"""The landmarks that stop most attempts are listed one by one."""
SEARCHED: Final = (LandmarkStatus.HIT, LandmarkStatus.MISSED)


@dataclass(frozen=True, slots=True)
class FailuresQuery:
    """The query in the address: whose attempts, and which of them are listed.

    ``entry`` and ``category`` are slugs, ``finding`` is a class of the diagnosis; ``landmark`` is the number,
    from 1, of the one that they stop at, of ``task`` or of each task.
    """

    entry: str = ""
    category: str = ""
    finding: str = ""
    task: str = ""
    landmark: int | None = None
    page: int = 1

    @property
    def lists(self) -> bool:
        """Whether attempts are listed."""
        return bool(self.finding or self.landmark)


@dataclass(frozen=True, slots=True)
class Stop:
    """Something that stops attempts: how many in all, and of each group of tasks."""

    key: str | int
    label: str
    about: str
    count: int
    by_category: list[tuple[Category, int]]


@dataclass(frozen=True, slots=True)
class LandmarkStop:
    """A landmark of a task: ``stopped`` attempts failed and stop there, ``hit`` of ``searched`` hit it.

    The two are those of `domain.funnel.Stage`. ``pattern`` is empty if it must not be shown.
    """

    task: Task
    number: int
    pattern: str
    stopped: int
    hit: int
    searched: int


@dataclass(frozen=True, slots=True)
class Failures:
    """What stops the failed attempts, the most frequent first; ``page`` lists some, if the query asks."""

    entries: list[Entry]
    attempts: int
    failed: int
    findings: list[Stop]
    numbers: list[Stop]
    landmarks: list[LandmarkStop]
    page: Page[ScoredAttempt] | None


def read_failures(task_set: TaskSet, categories: list[Category], query: FailuresQuery) -> Failures:
    """What stops published attempts with a trajectory that are not known to be solved. At most 12 queries.

    An attempt stops at the first landmark of its task that it missed. One that was given in the task's
    beginning, or not looked for to the end, stops nobody.
    """
    attempts = _attempts(task_set, query.entry)
    failed = attempts.exclude(is_solved(task_set.scoring))
    tasks = _tasks(task_set)
    stops = _stops(failed)
    counts = attempts.order_by().aggregate(all=Count("pk"))
    findings = Counter[tuple[str, int]]()
    failures = 0
    for finding, task, count in failed.order_by().values_list("finding", "task").annotate(Count("pk")):
        failures += count
        if finding in LABELS:
            findings[finding, task] += count
    return Failures(
        entries=list(_entries(task_set)),
        attempts=counts["all"],
        failed=failures,
        findings=_by_category(
            {(key, tasks[task]): n for (key, task), n in findings.items()}, LABELS, CLASSES, categories
        ),
        numbers=sorted(
            _by_category(
                {(number, tasks[task]): n for (task, number), n in stops.items()}, {}, {}, categories
            ),
            key=lambda stop: stop.key,
        ),
        landmarks=_landmarks(attempts, stops, tasks),
        page=_listed(task_set, failed, query) if query.lists else None,
    )


def _attempts(task_set: TaskSet, entry: str) -> QuerySet[Attempt]:
    found = Attempt.objects.filter(
        has_trajectory=True, entry__task_set=task_set, entry__state=EntryState.PUBLISHED
    )
    return found.filter(entry__slug=entry) if entry else found


def _entries(task_set: TaskSet) -> QuerySet[Entry]:
    found = Entry.objects.filter(task_set=task_set, state=EntryState.PUBLISHED, attempted__gt=0)
    return found.select_related("agent").order_by("agent__name", "agent__model")


def _tasks(task_set: TaskSet) -> dict[int, Task]:
    found = Task.objects.filter(task_set=task_set).only("task_set", "task_id", "title", "gold", "landmarks")
    tasks = found.prefetch_related(Prefetch("categories", to_attr="listed_categories"))
    return {task.pk: task for task in tasks}


def _first_missed(failed: QuerySet[Attempt]) -> QuerySet[LandmarkOutcome]:
    """The landmark that each attempt stops at, of those that stop at one."""
    missed = LandmarkOutcome.objects.filter(status=LandmarkStatus.MISSED)
    earlier = missed.filter(attempt=OuterRef("attempt"), number__lt=OuterRef("number"))
    return missed.filter(~Exists(earlier), attempt__in=failed).order_by()


def _stops(failed: QuerySet[Attempt]) -> dict[tuple[int, int], int]:
    """How many attempts stop at each landmark, by the keys of tasks and the landmarks' numbers."""
    rows = _first_missed(failed).values_list("attempt__task", "number").annotate(Count("pk"))
    return {(task, number): count for task, number, count in rows}


def _by_category(
    counts: Mapping[tuple[str | int, Task], int],
    labels: Mapping[str, str],
    about: Mapping[str, str],
    categories: list[Category],
) -> list[Stop]:
    totals = Counter[str | int]()
    parts: dict[str | int, Counter[str]] = defaultdict(Counter)
    for (key, task), count in counts.items():
        totals[key] += count
        for each in _categories(task):
            parts[key][each.slug] += count
    return [
        Stop(
            key,
            labels.get(str(key), str(key)),
            about.get(str(key), ""),
            total,
            [(each, parts[key][each.slug]) for each in categories],
        )
        for key, total in sorted(totals.items(), key=lambda item: (-item[1], str(item[0])))
    ]


def _categories(task: Task) -> Iterable[Category]:
    found: Iterable[Category] = task.listed_categories  # type: ignore[attr-defined]  # prefetched to it
    return found


def _landmarks(
    attempts: QuerySet[Attempt], stops: Mapping[tuple[int, int], int], tasks: Mapping[int, Task]
) -> list[LandmarkStop]:
    most = sorted(stops, key=lambda key: (-stops[key], tasks[key[0]].task_id, key[1]))[:LANDMARKS_LISTED]
    outcomes = LandmarkOutcome.objects.filter(
        attempt__in=attempts.filter(task__in={task for task, _ in most}), status__in=SEARCHED
    )
    searched = outcomes.order_by().values_list("attempt__task", "number")
    counted = searched.annotate(Count("pk"), hit=Count("pk", filter=Q(status=LandmarkStatus.HIT)))
    by_key = {(task, number): (hit, all_) for task, number, all_, hit in counted}
    patterns = {task: shown_landmarks(tasks[task]) for task, _ in most}
    return [
        LandmarkStop(
            task=tasks[task],
            number=number,
            # A task may have lost a landmark since.
            pattern=patterns[task][number - 1] if number <= len(patterns[task]) else "",
            stopped=stops[task, number],
            hit=by_key[task, number][0],
            searched=by_key[task, number][1],
        )
        for task, number in most
    ]


def _listed(task_set: TaskSet, failed: QuerySet[Attempt], query: FailuresQuery) -> Page[ScoredAttempt]:
    if query.finding:
        failed = failed.filter(finding=query.finding)
    if query.category:
        failed = failed.filter(task__categories__slug=query.category)
    if query.task:
        failed = failed.filter(task__task_id=query.task)
    if query.landmark:
        stopped = _first_missed(failed).filter(number=query.landmark)
        failed = Attempt.objects.filter(pk__in=stopped.values("attempt"))
    shown = failed.select_related("entry__agent").order_by("task__task_id", "entry__agent__name", "number")
    return list_attempts(shown, task_set, query.page)
