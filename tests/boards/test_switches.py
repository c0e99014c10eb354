"""A board's switches: whose scores and which tasks its figures count, in its address."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Figure, TaskSet
from tests.cast import CET, DPT, NOVICE, PET, RIVAL, SOLVER, make_set, report

pytestmark = pytest.mark.django_db
BOARD = "/b/super/masked/"


@pytest.fixture
def task_set() -> TaskSet:
    """Novice tried one task of three and was right: it is first only where the others count as nothing."""
    task_set = make_set(PET, CET, DPT)
    report(task_set, SOLVER, {"pet": 1.0, "cet": 0.75, "dpt": 0.5})
    report(task_set, RIVAL, {"pet": 0.5, "cet": 0.5, "dpt": 0.5})
    report(task_set, NOVICE, {"pet": 1.0})
    return task_set


def rows(client: Client, **query: str) -> list[tuple[int | None, str, float, int]]:
    found = client.get(f"{BOARD}data.json", query)
    assert found.status_code == 200, found.content
    return [
        (
            row["rank"],
            row["agent"],
            round(row["figures"]["accuracy"]["value"], 3),
            row["figures"]["accuracy"]["tasks"],
        )
        for row in found.json()["entries"]
    ]


@pytest.mark.usefixtures("task_set")
def test_tasks_without_an_attempt_fail_by_default_and_count_as_nothing_where_the_address_says_so(
    client: Client,
) -> None:
    assert rows(client) == [(1, SOLVER, 0.75, 3), (2, RIVAL, 0.5, 3), (3, NOVICE, 0.333, 3)]
    assert rows(client, coverage="all") == rows(client)

    attempted = [(1, NOVICE, 1.0, 1), (2, SOLVER, 0.75, 3), (3, RIVAL, 0.5, 3)]
    assert rows(client, coverage="attempted") == attempted
    assert rows(client, coverage="attempted", sort="accuracy") == attempted[::-1]
    assert rows(client, coverage="attempted", agent=RIVAL) == attempted[2:]


@pytest.mark.usefixtures("task_set")
def test_charts_csv_and_categories_follow_the_switch(client: Client) -> None:
    csv = client.get(f"{BOARD}data.csv", {"coverage": "attempted", "agent": NOVICE})
    charts = [client.get(f"{BOARD}charts.json", query).json() for query in ({}, {"coverage": "attempted"})]

    assert ",100.0,,,1,1," in csv.content.decode()
    assert csv["Content-Disposition"] == 'attachment; filename="super-masked-board-attempted.csv"'
    assert charts[0]["categories"] != charts[1]["categories"]


@pytest.mark.usefixtures("task_set")
def test_ranks_that_the_switches_change_are_marked_and_counted(client: Client) -> None:
    page = client.get(BOARD, {"coverage": "attempted"}).content.decode()

    assert "3 of the 3 ranks differ from the default board." in page
    assert "↑2" in page
    assert ", 2 up from rank 3 by default" in page
    assert "↓1" in page
    assert ", 1 down from rank 1 by default" in page
    assert "SUPER Masked, mean over tasks with a score · Superboard</title>" in page
    assert "those without an attempt count as nothing" in page
    by_scorer = client.get(BOARD, {"scorer": "reported"}).content.decode()
    assert "0 of the 3 ranks differ from the default board." in by_scorer
    assert 'class="moved"' not in by_scorer + client.get(BOARD).content.decode()


def test_intervals_and_tiers_are_shown_only_of_the_ranks_that_they_were_computed_for(
    client: Client, task_set: TaskSet
) -> None:
    Figure.objects.update(low=0.25, high=1.0)
    default, attempted, past = (
        client.get(BOARD, query).context
        for query in ({}, {"coverage": "attempted"}, {"at": timezone.now().date().isoformat()})
    )

    assert all(row.tier for row in default["board"].rows)
    assert default["conclusion"]
    for context in (attempted, past):
        assert not any(row.tier for row in context["board"].rows)
        assert not context["conclusion"]
    intervals = {row.entry.agent.name: row.figures["accuracy"].interval for row in attempted["board"].rows}
    assert intervals[SOLVER] == (0.25, 1.0)
    # It left out tasks, and the interval is that of the mean over all.
    assert intervals[NOVICE] is None


@pytest.mark.usefixtures("task_set")
def test_switches_are_links_that_keep_the_rest_of_the_address(client: Client) -> None:
    switches: Any = client.get(BOARD, {"sort": "agent", "coverage": "attempted", "page": "2"}).context[
        "switches"
    ]

    assert {each.key: each.link for each in switches.coverage} == {
        "all": "?sort=agent",
        "attempted": "?sort=agent&coverage=attempted",
    }
    links = {each.key: each.link for each in switches.scores}
    assert links["board"] == "?sort=agent&coverage=attempted"
    assert links["reported"] == "?sort=agent&coverage=attempted&scorer=reported"
    assert [each.key for each in (*switches.scores, *switches.coverage) if each.chosen] == [
        "board",
        "attempted",
    ]


@pytest.mark.usefixtures("task_set")
def test_an_unknown_way_to_count_is_refused_and_the_default_stands(client: Client) -> None:
    assert client.get(f"{BOARD}data.json", {"coverage": "some"}).status_code == 400
    page = client.get(BOARD, {"coverage": "some"})
    assert "some is not one of the available choices" in page.content.decode()
    assert [row.rank for row in page.context["board"].rows] == [1, 2, 3]


@pytest.mark.parametrize(
    "query", ["coverage=attempted", "scorer=super-paper&coverage=attempted&q=o&sort=agent"]
)
@pytest.mark.parametrize("address", ["/", BOARD, f"{BOARD}data.json", f"{BOARD}charts.json"])
def test_a_switched_board_runs_at_most_eight_queries(
    query: str,
    address: str,
    client: Client,
    task_set: TaskSet,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(30):
        report(task_set, f"Agent {number}", {"pet": number / 30})

    with django_assert_max_num_queries(8):
        assert client.get(f"{address}?{query}").status_code == 200


@pytest.mark.parametrize(("query", "is_open"), [("", False), ("?agent=x", True), ("?columns=cost", True)])
def test_filters_are_open_where_they_are_used(client: Client, query: str, is_open: bool) -> None:
    make_set(PET)
    page = client.get(f"/b/super/masked/{query}").content.decode()
    assert ('<details class="filtering" open>' in page) == is_open
