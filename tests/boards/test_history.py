"""The board of a day that is over, `?at=…`, and the history of a board."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from leaderboard.entries.editing import accept_entry
from leaderboard.entries.services import hide_entry, withdraw_entry
from leaderboard.models import Entry, TaskSet
from tests.cast import NOVICE, RIVAL, SOLVER, report
from tests.entries.cast import make_draft, masked, publish
from tests.people import person

pytestmark = pytest.mark.django_db
BOARD = "/b/super/masked/"
HISTORY = f"{BOARD}history/"


def moment(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00")


def dated(entry: Entry, **days: str) -> Entry:
    """The entry, with other days of what happened to it."""
    Entry.objects.filter(pk=entry.pk).update(**{name: moment(day) for name, day in days.items()})
    entry.refresh_from_db()
    return entry


@pytest.fixture
def task_set() -> TaskSet:
    """Solver came on 5 March, Rival in April."""
    task_set = masked()
    dated(report(task_set, SOLVER, {"pet": 1.0}), published="2026-03-05", accepted="2026-03-05")
    dated(report(task_set, RIVAL, {"pet": 0.5, "cet": 1.0}), published="2026-04-01", accepted="2026-04-01")
    return task_set


def rows(client: Client, at: str, **query: str) -> list[tuple[int | None, str]]:
    found = client.get(f"{BOARD}data.json", {"at": at, **query})
    assert found.status_code == 200, found.content
    return [(row["rank"], row["agent"]) for row in found.json()["entries"]]


@pytest.mark.usefixtures("task_set")
def test_a_past_board_has_the_entries_of_that_day_ranked_among_each_other(client: Client) -> None:
    assert rows(client, "2026-03-04") == []
    assert rows(client, "2026-03-05") == rows(client, "2026-03-31") == [(1, SOLVER)]
    assert rows(client, "2026-04-01") == [(1, RIVAL), (2, SOLVER)]
    assert rows(client, "2026-04-01", sort="agent") == [(1, RIVAL), (2, SOLVER)]
    assert rows(client, "2026-04-01", coverage="attempted") == [(1, SOLVER), (2, RIVAL)]
    assert rows(client, "2026-04-01", agent=SOLVER) == [(2, SOLVER)]
    assert client.get(f"{BOARD}charts.json", {"at": "2026-03-31"}).content.count(RIVAL.encode()) == 0


def test_a_replaced_version_stands_on_the_board_until_the_next_one_came(
    client: Client, task_set: TaskSet
) -> None:
    first = publish(make_draft(task_set, {"pet": 0.0}, agent=NOVICE, trajectories=True), user=None)
    second = publish(make_draft(task_set, {"pet": 1.0}, agent=NOVICE, trajectories=True), user=None)
    dated(first, published="2026-05-01", state_since="2026-06-01")
    dated(second, published="2026-06-01", state_since="2026-06-01")

    def slugs(day: str) -> list[str]:
        found = client.get(f"{BOARD}data.json", {"at": day, "agent": NOVICE}).json()
        return [row["entry"] for row in found["entries"]]

    assert slugs("2026-05-31") == [first.slug]
    assert slugs("2026-06-01") == slugs("2026-07-01") == [second.slug]
    # Withdrawn results are never shown again, and what they had replaced was on no board meanwhile.
    withdraw_entry(second, user=None, reason="A bug.")
    dated(second, state_since="2026-08-01")
    dated(first, state_since="2026-08-01")
    assert slugs("2026-05-31") == slugs("2026-08-01") == [first.slug]
    assert slugs("2026-06-01") == []
    hide_entry(first, user=None, reason="Faked.")
    assert slugs("2026-05-31") == []


def test_an_entry_had_no_rank_before_it_was_accepted(client: Client, task_set: TaskSet) -> None:
    claimed = publish(make_draft(task_set, {"pet": 1.0, "cet": 1.0, "dpt": 1.0}, agent=NOVICE), user=None)
    accept_entry(claimed, user=person("olga"), why="Ran it again.")
    dated(claimed, published="2026-05-01", state_since="2026-05-01", accepted="2026-06-01")

    found = client.get(f"{BOARD}data.json", {"at": "2026-05-31"}).json()["entries"][-1]
    assert (found["rank"], found["evidence"]) == (None, "self-reported")
    assert found["figures"]["accuracy"]["evidence"] == "self-reported"
    assert rows(client, "2026-05-31", evidence="self-reported") == [(None, NOVICE)]
    assert rows(client, "2026-05-31") == [(1, RIVAL), (2, SOLVER), (None, NOVICE)]
    assert rows(client, "2026-06-01") == [(1, NOVICE), (2, RIVAL), (3, SOLVER)]


@pytest.mark.usefixtures("task_set")
def test_a_past_board_says_what_it_is_and_leads_to_the_changes_beside_it_and_to_now(client: Client) -> None:
    page = client.get(BOARD, {"at": "2026-03-20", "sort": "agent"}).content.decode()

    assert "As it stood at the end of 20 March 2026 (UTC)" in page
    assert "with the figures of today's scoring" in page.replace("&#x27;", "'")
    assert "at the end of 2026-03-20 · Superboard</title>" in page
    assert '<a rel="prev" href="?at=2026-03-05&amp;sort=agent">' in page
    assert '<a rel="next" href="?at=2026-04-01&amp;sort=agent">' in page
    assert '<a href="?sort=agent">The board now</a>' in page
    assert 'value="2026-03-20"' in page


@pytest.mark.usefixtures("task_set")
def test_before_the_first_entry_the_page_says_when_it_came(client: Client) -> None:
    page = client.get(BOARD, {"at": "2025-01-01"}).content.decode()

    assert "No entry was on this board on 1 January 2025" in page
    assert 'The first came on <a href="?at=2026-03-05">5 March 2026</a>.' in page


@pytest.mark.parametrize(
    ("at", "reason"),
    [
        ("2026-02-30", "There is no such day"),
        ("yesterday", "There is no such day"),
        ("9000-01-01", "has not come"),
    ],
)
@pytest.mark.usefixtures("task_set")
def test_a_day_that_is_none_or_has_not_come_says_so_and_the_board_is_that_of_now(
    at: str, reason: str, client: Client
) -> None:
    page = client.get(BOARD, {"at": at})

    assert reason in page.content.decode()
    assert len(page.context["board"].rows) == 2
    data = client.get(f"{BOARD}data.json", {"at": at})
    assert data.status_code == 400
    assert reason in data.json()["problems"]["at"][0]


@pytest.mark.usefixtures("task_set")
def test_pages_of_days_that_are_over_are_kept_and_those_of_today_are_not(
    client: Client, settings: Settings, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR, settings.SUPERBOARD_PAGE_CACHE_MB = tmp_path / "var", 8
    now = timezone.now().astimezone(UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    days = [(now + timedelta(days=n)).date().isoformat() for n in (-1, 0, 1)]

    for part in ("", "data.json", "data.csv", "charts.json"):
        kept = [client.get(f"{BOARD}{part}", {"at": day}).has_header("ETag") for day in days]
        assert kept == [True, False, False], part
    assert "which is not over" in client.get(BOARD, {"at": days[1]}).content.decode()


@pytest.mark.parametrize(
    "address",
    [f"{BOARD}?at=2026-11-01&scorer=reported&q=a", f"{BOARD}?at=2026-11-01", "/?at=2026-11-01", HISTORY],
)
def test_a_past_board_and_the_history_run_at_most_eight_queries(
    address: str, client: Client, task_set: TaskSet, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        dated(report(task_set, f"Agent {number}", {"pet": number / 30}), published=f"2026-06-{number + 1:02}")

    with django_assert_max_num_queries(8):
        assert client.get(address).status_code == 200


def test_the_history_tells_every_change_with_the_best_ranked_entry_so_far(
    client: Client, task_set: TaskSet
) -> None:
    claimed = publish(make_draft(task_set, {"pet": 1.0, "cet": 1.0}, agent=NOVICE), user=None)
    accept_entry(claimed, user=person("olga"), why="Ran it again.")
    dated(claimed, published="2026-05-01", state_since="2026-05-01", accepted="2026-06-01")

    page = client.get(HISTORY)
    told = [
        (
            str(day.day),
            [f"{event.entry.agent.name} {event.words}" for event in day.events],
            day.best.entry.agent.name,
        )
        for day in page.context["history"].days
    ]

    assert told == [
        ("2026-03-05", [f"{SOLVER} came"], SOLVER),
        ("2026-04-01", [f"{RIVAL} came"], RIVAL),
        ("2026-05-01", [f"{NOVICE} came"], RIVAL),
        ("2026-06-01", [f"{NOVICE} was accepted"], NOVICE),
    ]
    text = page.content.decode()
    assert f'<a href="{BOARD}?at=2026-05-01">1 May 2026</a>' in text
    # A dot for each ranked entry; the line rises at each that was the best.
    assert text.count('class="timeline-dot best"') == 3
    assert page.context["timeline"].line.count("V") == 2
    assert "timeline-best" in text


def test_a_history_that_begins_without_a_ranked_entry_says_so(client: Client) -> None:
    publish(make_draft(masked(), {"pet": 1.0}, agent=NOVICE), user=None)

    assert "no ranked entry yet" in client.get(HISTORY).content.decode()


def test_a_board_without_a_change_has_a_history_that_says_so(client: Client) -> None:
    masked()

    assert "Nothing has come onto this board yet" in client.get(HISTORY).content.decode()


@pytest.mark.usefixtures("task_set")
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_day_that_there_is_have_a_page(client: Client, day: str) -> None:
    assert client.get(BOARD, {"at": day}).status_code == 200
