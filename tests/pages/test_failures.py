"""Where the attempts at a set stop: counts by landmark and finding, and the attempts behind each."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.domain.entries import EntryState
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Attempt, Entry, LandmarkOutcome, Score, TaskSet
from leaderboard.tasks.failures import FailuresQuery, read_failures
from leaderboard.tasks.overview import overview
from tests.cast import NOVICE, SOLVER, make_set, report
from tests.people import NOBODY, client_of

pytestmark = pytest.mark.django_db

SPECS = (
    TaskSpec("ant", landmarks=("one", "two", "three"), categories=("data", "cpu")),
    TaskSpec("bee", landmarks=("one", "two"), categories=("goal",)),
    TaskSpec("cat", categories=("data",)),
)
STATUSES = {
    (SOLVER, "ant"): ("hit", "given", "missed"),
    (SOLVER, "bee"): ("hit", "hit"),
    (NOVICE, "ant"): ("given", "missed", "missed"),
    (NOVICE, "bee"): ("timed-out", "missed"),
}
FINDINGS = {
    (SOLVER, "ant"): "missing-module",
    (SOLVER, "bee"): "gave-up",
    (NOVICE, "ant"): "missing-module",
    (NOVICE, "cat"): "missing-module",
}


@pytest.fixture
def task_set() -> TaskSet:
    """Two entries, of which Solver solves bee alone."""
    made = make_set(*SPECS)
    report(made, SOLVER, {"ant": 0.5, "bee": 1.0})
    report(made, NOVICE, {"ant": 0.0, "bee": 0.0, "cat": 0.0})
    for attempt in Attempt.objects.select_related("entry__agent", "task"):
        key = (attempt.entry.agent.name, attempt.task.task_id)
        for number, status in enumerate(STATUSES.get(key, ()), start=1):
            LandmarkOutcome.objects.create(attempt=attempt, number=number, status=status)
        attempt.has_trajectory, attempt.finding = True, FINDINGS.get(key, "")
        attempt.save()
    return made


def page_of(task_set: TaskSet, query: str = "") -> str:
    address = reverse("failures", args=(task_set.benchmark.slug, task_set.slug))
    return client_of(NOBODY).get(f"{address}?{query}").content.decode()


def listed(page: str) -> list[tuple[str, str]]:
    found = re.findall(r'<a href="/a/\d+/">([^<]+)</a>\s*</th>\s*<td>(\S+)', page)
    return sorted((agent, task) for task, agent in found)


def test_the_counts_are_those_of_a_plain_recount(task_set: TaskSet) -> None:
    findings, stops, by_category = Counter[str](), Counter[tuple[str, int]](), Counter[tuple[str, str]]()
    for attempt in Attempt.objects.all():
        values = list(
            Score.objects.filter(attempt=attempt, metric="accuracy").values_list("value", flat=True)
        )
        if values == [1.0]:
            continue
        outcomes = attempt.landmark_outcomes.order_by("number").values_list("number", "status")
        first = next((number for number, status in outcomes if status == "missed"), None)
        if first:
            stops[attempt.task.task_id, first] += 1
        if attempt.finding:
            findings[attempt.finding] += 1
            for category in attempt.task.categories.all():
                by_category[attempt.finding, category.slug] += 1
    read = read_failures(task_set, list(task_set.benchmark.categories.all()), FailuresQuery())

    assert {stop.key: stop.count for stop in read.findings} == findings == {"missing-module": 3}
    assert {(each.task.task_id, each.number): each.stopped for each in read.landmarks} == stops
    assert stops == {("ant", 3): 1, ("ant", 2): 1, ("bee", 2): 1}
    assert {
        (stop.key, category.slug): count
        for stop in read.findings
        for category, count in stop.by_category
        if count
    } == by_category
    assert (read.failed, read.attempts) == (4, 5)


def test_a_landmark_is_hit_by_as_many_as_its_task_s_page_says(task_set: TaskSet) -> None:
    """What was given in the task's beginning, or not looked for to the end, is in neither number."""
    read = read_failures(task_set, [], FailuresQuery())

    for each in read.landmarks:
        stage = overview(each.task).funnel.stages[each.number - 1]
        assert (each.hit, each.searched, each.stopped) == (stage.hit, stage.searched, stage.stopped)
    assert {(each.task.task_id, each.number): each.searched for each in read.landmarks}["ant", 2] == 1


def test_each_number_leads_to_the_attempts_behind_it(task_set: TaskSet) -> None:
    assert listed(page_of(task_set, "finding=missing-module")) == [
        (NOVICE, "ant"),
        (NOVICE, "cat"),
        (SOLVER, "ant"),
    ]
    assert listed(page_of(task_set, "finding=missing-module&category=cpu")) == [
        (NOVICE, "ant"),
        (SOLVER, "ant"),
    ]
    assert listed(page_of(task_set, "landmark=2&task=ant")) == [(NOVICE, "ant")]
    assert listed(page_of(task_set, "landmark=2")) == [(NOVICE, "ant"), (NOVICE, "bee")]
    assert "This list has no page 9." in page_of(task_set, "landmark=2&page=9")


def test_one_entry_can_be_chosen(task_set: TaskSet) -> None:
    solver = Entry.objects.get(agent__name=SOLVER)

    assert "1 of 2 published attempts" in page_of(task_set, f"entry={solver.slug}")
    assert listed(page_of(task_set, f"entry={solver.slug}&finding=missing-module")) == [(SOLVER, "ant")]


def test_what_is_not_published_counts_nowhere(task_set: TaskSet) -> None:
    Entry.objects.filter(agent__name=NOVICE).update(state=EntryState.DRAFT)

    page = page_of(task_set, "landmark=2&task=ant")

    assert "1 of 2 published attempts" in page
    assert "No attempt stops there." in page
    assert NOVICE not in page


def test_it_runs_at_most_twelve_queries_at_any_size(task_set: TaskSet) -> None:
    for agent in ("A", "B", "C"):
        report(task_set, agent, {"ant": 0.0, "bee": 0.0})
    Attempt.objects.update(has_trajectory=True, finding="missing-module")
    with CaptureQueriesContext(connection) as queries:
        page_of(task_set, "finding=missing-module")

    assert len(queries) <= 12


def test_a_set_without_trajectories_says_that_nothing_can_be_known(task_set: TaskSet) -> None:
    Attempt.objects.update(has_trajectory=False)

    assert "No published attempt here has a trajectory" in page_of(task_set)


def test_a_set_without_failures_says_so(task_set: TaskSet) -> None:
    Score.objects.update(value=1.0)

    assert "No published attempt with a trajectory has failed here." in page_of(task_set)


def test_failures_of_which_nothing_is_known_are_not_said_to_be_none(task_set: TaskSet) -> None:
    LandmarkOutcome.objects.all().delete()

    assert "None of these attempts stops at a landmark" in page_of(task_set)
    Attempt.objects.update(finding="")
    assert "Nothing is known of why they failed" in page_of(task_set)
