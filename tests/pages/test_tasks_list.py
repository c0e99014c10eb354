"""Which of a set's tasks its list shows, and in which order."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import TaskSet
from tests.cast import NOVICE, SOLVER, make_set, report
from tests.people import NOBODY, client_of

pytestmark = pytest.mark.django_db

SPECS = (
    TaskSpec("ant", title="Hard one", categories=("data",), repository="github.com/a/z"),
    TaskSpec("bee", categories=("data", "cpu"), repository="github.com/a/b"),
    TaskSpec("cat", categories=("goal",)),
    TaskSpec("dog"),
)


@pytest.fixture
def task_set() -> TaskSet:
    """Dog was never tried; both solved bee, one ant, none cat."""
    made = make_set(*SPECS)
    for agent, ant in ((SOLVER, 1.0), (NOVICE, 0.0)):
        entry = report(made, agent, {"ant": ant, "bee": 1.0, "cat": 0.0})
        entry.evidence = "accepted"
        entry.save()
    return made


def listed(task_set: TaskSet, query: str = "") -> list[str]:
    return re.findall(r'<th scope="row">\s*<a href="[^"]+/t/([^/"]+)/"', page_of(task_set, query))


def page_of(task_set: TaskSet, query: str) -> str:
    address = reverse("tasks", args=(task_set.benchmark.slug, task_set.slug))
    return client_of(NOBODY).get(f"{address}?{query}").content.decode()


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", ["ant", "bee", "cat", "dog"]),
        ("-task", ["dog", "cat", "bee", "ant"]),
        ("mean", ["cat", "ant", "bee", "dog"]),
        ("-mean", ["bee", "ant", "cat", "dog"]),
        ("-attempts", ["ant", "bee", "cat", "dog"]),
        ("repository", ["bee", "ant", "cat", "dog"]),
    ],
)
def test_a_column_gives_the_order_and_what_lacks_a_value_comes_last(
    task_set: TaskSet, sort: str, order: list[str]
) -> None:
    assert listed(task_set, f"sort={sort}") == order


@pytest.mark.parametrize(
    ("query", "tasks"),
    [
        ("category=data", ["ant", "bee"]),
        ("solved=all", ["bee"]),
        ("solved=some", ["ant"]),
        ("solved=none", ["cat"]),
        ("solved=untried", ["dog"]),
        ("q=HARD", ["ant"]),
        ("q=github+a/b", ["bee"]),
        ("category=data&solved=all", ["bee"]),
    ],
)
def test_a_filter_leaves_the_tasks_that_fit(task_set: TaskSet, query: str, tasks: list[str]) -> None:
    assert listed(task_set, query) == tasks
    assert f"{len(tasks)} of 4 tasks" in page_of(task_set, query)


def test_what_does_not_exist_is_said_and_filters_nothing(task_set: TaskSet) -> None:
    page = page_of(task_set, "sort=luck&solved=well")

    assert "There is no column “luck” to sort by." in page
    assert "well is not one of the available choices" in page
    assert listed(task_set, "sort=luck&solved=well") == ["ant", "bee", "cat", "dog"]
