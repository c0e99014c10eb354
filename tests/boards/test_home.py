"""The first page: what the site is, how much there is of it, and the boards with who leads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.domain.entries import EntryState
from leaderboard.models import Attempt, Entry, Task, TaskSet
from tests.cast import CET, NOVICE, PET, RIVAL, SOLVER, attempt_at, make_set, report

pytestmark = pytest.mark.django_db


def counts(page: str) -> dict[str, str]:
    found = re.findall(r"<dt>(\w+)</dt><dd>([\d,]+)</dd>", page)
    return {name.rstrip("s"): number for name, number in found}


def cards(page: str) -> list[str]:
    listed = page.partition('class="cards"')[2].partition("</ul>")[0]
    texts = [re.sub(r"<[^>]+>", " ", each) for each in listed.split("<li>")[1:]]
    return [" ".join(each.split()) for each in texts]


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    """Solver leads the main board; on the other one Rival leads, and Novice follows."""
    main = make_set(PET, CET)
    other = make_set(PET, slug="expert")
    solved = attempt_at(main, tmp_path)
    report(other, RIVAL, {"pet": 0.75})
    report(other, NOVICE, {"pet": 0.25})
    Entry.objects.filter(agent__name__in=(RIVAL, NOVICE)).update(evidence="accepted")
    for entry in Entry.objects.all():
        entry.figures.update(ranked=True)
    return solved


def test_it_says_how_much_there_is_of_what_is_public(client: Client, attempt: Attempt) -> None:
    page = client.get("/").content.decode()
    assert counts(page) == {"task": "3", "agent": "3", "trajectory": "1"}

    Entry.objects.filter(agent__name=SOLVER).update(state=EntryState.DRAFT)
    assert counts(client.get("/").content.decode()) == {"task": "3", "agent": "2", "trajectorie": "0"}


def test_a_card_says_who_leads_its_board_and_by_what(client: Client, attempt: Attempt) -> None:
    assert cards(client.get("/").content.decode()) == [
        "SUPER Masked 2 tasks, 1 entry Solver 50.0 leads by accuracy",
        "SUPER Expert 1 task, 2 entries Rival 75.0 leads by accuracy",
    ]


def test_it_leads_to_a_trajectory_of_the_leader(client: Client, attempt: Attempt) -> None:
    assert f'<a href="{attempt.get_absolute_url()}">Read a trajectory</a>' in client.get("/").content.decode()


def test_a_boards_own_page_says_nothing_of_the_site(client: Client, attempt: Attempt) -> None:
    assert counts(client.get("/b/super/masked/").content.decode()) == {}


def test_it_runs_at_most_eight_queries(client: Client, attempt: Attempt) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get("/")

    assert len(queries) <= 8


def test_ten_boards_are_a_menu(client: Client) -> None:
    benchmark = make_set(PET).benchmark
    for number in range(2, 11):
        made = TaskSet.objects.create(benchmark=benchmark, slug=f"set-{number}", name="S", position=number)
        Task.objects.create(task_set=made, task_id="pet")
        page = client.get("/about/").content.decode()
        assert ('<details class="menu">' in page) == (number == 10)


def test_the_menu_has_the_page_s_own_board_even_without_tasks(client: Client) -> None:
    empty = make_set(PET, slug="expert")
    empty.tasks.all().delete()
    link = f'<a href="{empty.get_absolute_url()}"'

    assert link not in client.get("/about/").content.decode()
    assert link in client.get(empty.get_absolute_url()).content.decode()
