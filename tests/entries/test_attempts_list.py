"""Which of an entry's attempts its page lists, and in which order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.attempts.outcomes import Outcome, outcome_of
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Ending
from leaderboard.models import Category, Entry, LandmarkOutcome
from leaderboard.scoring.super import SCORING
from tests.cast import SOLVER, make_set, report
from tests.entries.cast import make_draft, masked
from tests.people import NOBODY, client_of

pytestmark = pytest.mark.django_db
TASKS = ("a", "b", "c", "d")
ACCURACY = SCORING.decisive


def an_entry(values: Mapping[str, float | None], **changes: Mapping[str, Any]) -> Entry:
    """A published entry with reported accuracies by task; ``changes`` by task are fields of its attempts."""
    entry = report(make_set(*(TaskSpec(task) for task in TASKS)), SOLVER, values)
    for task, fields in changes.items():
        entry.attempts.filter(task__task_id=task).update(has_trajectory=True, **fields)
    return entry


def listed(entry: Entry, query: str = "", who: str = NOBODY) -> list[str]:
    """The tasks of the attempts that the entry's page lists, in its order."""
    page = client_of(who).get(f"{entry.get_absolute_url()}?{query}").content.decode()
    attempts = page.partition('id="attempts-list"')[2]
    return re.findall(r'<th scope="row">\s*<a href="/a/\d+/">([^<]+)</a>', attempts)


@pytest.mark.parametrize(
    ("ending", "value", "outcome"),
    [
        (Ending.SUBMITTED, 1.0, Outcome.RIGHT),
        (Ending.SUBMITTED, 0.5, Outcome.PARTLY),
        (Ending.CONTEXT, 0.5, Outcome.PARTLY),
        (Ending.SUBMITTED, 0.0, Outcome.WRONG),
        (Ending.EMPTY, 0.0, Outcome.GAVE_UP),
        (Ending.CONTEXT, 0.0, Outcome.CONTEXT),
        (Ending.TIME, None, Outcome.TIME),
        (Ending.STEPS, None, Outcome.STEPS),
        (Ending.COST, 0.0, Outcome.COST),
        (Ending.EXCEPTION, 0.0, Outcome.EXCEPTION),
        (Ending.SUBMITTED, None, Outcome.UNKNOWN),
        (Ending.UNKNOWN, 0.0, Outcome.WRONG),
    ],
)
def test_an_outcome_is_what_the_score_says_and_else_the_ending(
    ending: Ending, value: float | None, outcome: Outcome
) -> None:
    assert outcome_of(ending, ACCURACY, value) is outcome


def test_on_a_scale_without_ends_no_value_is_right_or_wrong() -> None:
    points = replace(ACCURACY, highest=None)

    assert outcome_of(Ending.SUBMITTED, points, 7.0) is Outcome.UNKNOWN
    assert outcome_of(Ending.TIME, points, 7.0) is Outcome.TIME
    # Where less is better there is a best one alone.
    assert outcome_of(Ending.SUBMITTED, replace(points, more_is_better=False), 0.0) is Outcome.RIGHT


def test_without_a_query_the_attempts_are_in_the_order_of_the_tasks() -> None:
    assert listed(an_entry({"b": 1.0, "a": 0.0, "c": 0.5})) == ["a", "b", "c"]


def test_an_attempt_without_a_value_comes_last_in_both_directions() -> None:
    entry = an_entry({"a": None, "b": 0.2, "c": 0.9}, b={"step_count": 9}, a={"step_count": 3})

    assert listed(entry, f"sort={ACCURACY.key}") == ["b", "c", "a"]
    assert listed(entry, f"sort=-{ACCURACY.key}") == ["c", "b", "a"]
    assert listed(entry, "sort=-steps") == ["b", "a", "c"]
    assert listed(entry, "sort=-task") == ["c", "b", "a"]


def test_an_outcome_leaves_its_attempts_and_says_how_many() -> None:
    values = {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.5}
    entry = an_entry(values, b={"ending": Ending.CONTEXT}, c={"ending": Ending.SUBMITTED})

    assert listed(entry, "outcome=right") == ["a"]
    assert listed(entry, "outcome=partly") == ["d"]
    assert listed(entry, "outcome=out-of-context") == ["b"]
    assert listed(entry, "outcome=wrong") == ["c"]
    page = client_of(NOBODY).get(f"{entry.get_absolute_url()}?outcome=wrong&sort=steps").content.decode()
    assert "1 of 4" in page
    # What takes the filter off keeps the order.
    assert 'href="?sort=steps#attempts"' in page


def test_a_finding_leaves_the_attempts_that_it_is_said_of() -> None:
    failed = {"finding": "missing-module"}
    entry = an_entry({"a": 1.0, "b": 0.0, "c": 0.0}, a=failed, b=failed, c={"finding": "gave-up"})

    # A solved attempt's page says nothing of a failure, and neither does the list.
    assert listed(entry, "finding=missing-module") == ["b"]
    assert listed(entry, "sort=finding") == ["c", "b", "a"]


def test_landmarks_leave_the_attempts_that_hit_as_many() -> None:
    task_set = make_set(*(TaskSpec(task, landmarks=("one", "two")) for task in TASKS))
    entry = report(task_set, SOLVER, dict.fromkeys(TASKS, 0.0))
    statuses = {"a": ("hit", "hit"), "b": ("hit", "missed"), "c": ("missed", "given")}
    for attempt in entry.attempts.all():
        for number, status in enumerate(statuses.get(attempt.task.task_id, ()), start=1):
            LandmarkOutcome.objects.create(attempt=attempt, number=number, status=status)

    # No landmark was looked for in d, which has no trajectory.
    assert listed(entry, "landmarks=all") == ["a"]
    assert listed(entry, "landmarks=some") == ["b"]
    assert listed(entry, "landmarks=none") == ["c"]


@pytest.mark.parametrize(
    ("query", "tasks"),
    [
        ("outcome=wrong&sort=-task", ["c", "b"]),
        ("outcome=wrong&finding=gave-up", ["c"]),
        (f"sort=-{ACCURACY.key}", ["a", "d", "b", "c"]),
        ("category=data", ["c"]),
        ("category=data&outcome=right", []),
        ("landmarks=all", []),
    ],
)
def test_the_api_lists_the_attempts_that_the_page_does_page_by_page(query: str, tasks: list[str]) -> None:
    entry = an_entry({"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.5}, c={"finding": "gave-up"})
    entry.attempts.get(task__task_id="c").task.categories.add(Category.objects.get(slug="data"))
    api = client_of(NOBODY)
    address, found = f"/api/v1/entries/{entry.slug}/attempts?limit=1&{query}", []
    while address:
        answer = api.get(address).json()
        found += [attempt["task_id"] for attempt in answer["items"]]
        address = answer["next"]

    assert found == listed(entry, query) == tasks


@pytest.mark.parametrize(
    "query", ["outcome=great", "sort=luck", "category=none", "landmarks=few", "finding=x"]
)
def test_the_api_refuses_a_filter_that_there_is_not_with_its_name(query: str) -> None:
    entry = an_entry({"a": 1.0})
    refused = client_of(NOBODY).get(f"/api/v1/entries/{entry.slug}/attempts?{query}")

    assert refused.status_code == 422
    assert [each["place"] for each in refused.json()["problems"]] == [f"$.{query.partition('=')[0]}"]


@pytest.mark.parametrize("query", ["", "outcome=right&"])
def test_a_page_that_there_is_not_is_not_said_to_be_an_entry_without_attempts(query: str) -> None:
    entry = an_entry({"a": 1.0})
    page = client_of(NOBODY).get(f"{entry.get_absolute_url()}?{query}page=9").content.decode()

    assert "This list has no page 9." in page
    assert "No attempt" not in page


def test_what_does_not_exist_is_said_and_filters_nothing() -> None:
    entry = an_entry({"a": 1.0, "b": 0.0})
    page = client_of(NOBODY).get(f"{entry.get_absolute_url()}?outcome=great&sort=luck").content.decode()

    assert "Select a valid choice. great is not one of the available choices." in page
    assert "There is no column “luck” to sort by." in page
    assert listed(entry, "outcome=great&sort=luck") == ["a", "b"]


def test_filters_that_nothing_fits_lead_back_to_all() -> None:
    entry = an_entry({"a": 1.0})
    page = client_of(NOBODY).get(f"{entry.get_absolute_url()}?outcome=wrong").content.decode()

    assert "No attempt of 1 fits." in page


@pytest.mark.parametrize("query", ["outcome=right", "outcome=wrong", "outcome=partly"])
def test_filters_tell_nothing_of_a_draft_that_its_page_withholds(query: str) -> None:
    draft = make_draft(masked(), {"pet": 1.0, "cet": 0.0, "dpt": 0.5}, trajectories=True)
    draft.attempts.update(ending=Ending.SUBMITTED)

    assert listed(draft, query, "alice") == []
    api = client_of("alice").get(f"/api/v1/entries/{draft.slug}/attempts?{query}")
    assert api.json()["items"] == []
    assert listed(draft, "outcome=unknown", "alice") == ["cet", "dpt", "pet"]


def test_the_order_tells_nothing_of_a_draft_that_its_page_withholds() -> None:
    draft = make_draft(masked(), {"pet": 1.0, "cet": 0.0, "dpt": 0.5}, trajectories=True)

    assert listed(draft, f"sort={ACCURACY.key}", "alice") == listed(draft, f"sort=-{ACCURACY.key}", "alice")
