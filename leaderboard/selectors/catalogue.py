"""Finding task sets by the names people use."""

from __future__ import annotations

from django.db.models import Count

from leaderboard.domain.errors import InputError, Problem
from leaderboard.models import TaskSet


def get_task_set(name: str) -> TaskSet:
    """The task set that ``name`` means: ``masked``, or ``super/masked`` where two benchmarks have a set of a name.

    Raises:
        InputError: there is none, or the name alone does not tell; the message lists what there is.
    """
    benchmark, _, slug = name.rpartition("/")
    found = list(TaskSet.objects.filter(slug=slug).select_related("benchmark"))
    if benchmark:
        found = [task_set for task_set in found if task_set.benchmark.slug == benchmark]
    if len(found) == 1:
        return found[0]
    known = [f"{s.benchmark.slug}/{s.slug}" for s in TaskSet.objects.select_related("benchmark")]
    listed = ", ".join(known) or "none yet: run manage.py load_fixtures"
    reason = "names more than one task set" if found else "is not a task set"
    raise InputError(Problem("--set", "", f"“{name}” {reason}", f"task sets: {listed}"))


def all_task_sets() -> list[TaskSet]:
    """Every task set in the order of the navigation, with its benchmark and ``task_count``. One query."""
    return list(TaskSet.objects.select_related("benchmark").annotate(task_count=Count("tasks")))
