"""Entries, tasks and the about page; and what holds for every page."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from leaderboard.attempts import selectors as attempts
from leaderboard.domain.entries import Provenance
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Attempt, Entry, Task, TaskSet
from leaderboard.tasks import overview
from tests.cast import CET, DPT, MODEL, NOVICE, PET, SOLVER, attempt_at, make_set, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    task_set = make_set(PET, CET, DPT)
    report(task_set, NOVICE, {"pet": 0.25, "cet": 0.5})
    return attempt_at(task_set, tmp_path)


@pytest.fixture
def addresses(attempt: Attempt) -> list[str]:
    task_set = ("super", "masked")
    return [
        reverse("home"),
        reverse("about"),
        reverse("board", args=task_set),
        reverse("board-data", args=(*task_set, "json")),
        reverse("board-data", args=(*task_set, "csv")),
        reverse("board-charts", args=task_set),
        reverse("tasks", args=task_set),
        reverse("task", args=(*task_set, "pet")),
        reverse("entry", args=(attempt.entry.slug,)),
        reverse("attempt", args=(attempt.pk,)),
        reverse("find", args=(attempt.pk,)),
        reverse("download", args=(attempt.pk, "original")),
    ]


def test_every_page_can_be_looked_at_and_nothing_else(client: Client, addresses: list[str]) -> None:
    for address in addresses:
        for look in (client.get, client.head):
            response = look(address)
            # Read to its end, as a server does: a download holds its file open until then.
            b"".join(response)
            assert response.status_code == 200, address
        assert client.post(address).status_code == 405, address


def test_every_page_forbids_what_it_does_not_need(client: Client, addresses: list[str]) -> None:
    for address in addresses:
        response = client.get(address)
        b"".join(response)
        policy = response["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "camera=()" in response["Permissions-Policy"]


def test_an_entry_shows_its_scores_categories_and_attempts(client: Client, attempt: Attempt) -> None:
    page = client.get(attempt.entry.get_absolute_url())

    text = page.content.decode()
    assert "1 of 3 tasks attempted" in text
    assert f'href="{attempt.get_absolute_url()}"' in text
    (metric, cells), *_ = page.context["figures"].by_scorer
    assert metric.key == "accuracy"
    assert [cell.value if cell else None for cell in cells] == [
        None,
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
    ]


def test_an_entrys_attempts_can_be_those_of_one_category(client: Client, attempt: Attempt) -> None:
    entry = Entry.objects.get(agent__name=NOVICE)

    def tasks(category: str) -> list[str]:
        context = client.get(entry.get_absolute_url(), {"category": category}).context
        return [scored.attempt.task.task_id for scored in context["listed"].page.items]

    assert tasks("") == tasks("nonsense") == tasks("data") == ["cet", "pet"]
    assert tasks("cpu") == ["cet"]
    assert tasks("goal") == []


def test_an_entry_without_attempts_says_so(client: Client) -> None:
    entry = ensure_entry(task_set=make_set(PET), agent=SOLVER, model=MODEL)

    assert "No attempt is recorded yet" in client.get(entry.get_absolute_url()).content.decode()


def test_a_task_shows_every_attempt_landmark_by_landmark(client: Client, attempt: Attempt) -> None:
    page = client.get(reverse("task", args=("super", "masked", "pet"))).content.decode()

    assert PET.query in page
    assert "<code>epoch \\d+</code>" in page
    assert f'href="{attempt.get_absolute_url()}#step-1"' in page
    assert "no trajectory" in page


def test_a_task_without_a_query_shows_what_an_agent_was_asked_unless_a_team_says_so(
    client: Client, attempt: Attempt
) -> None:
    Task.objects.update(query="")
    address = reverse("task", args=("super", "masked", "pet"))

    page = client.get(address).content.decode()
    assert PET.query in page
    assert "was asked; this site does not have the" in page

    Entry.objects.update(provenance=Provenance.SUBMITTED)
    assert PET.query not in client.get(address).content.decode()


def test_a_task_without_attempts_says_so(client: Client, attempt: Attempt) -> None:
    page = client.get(reverse("task", args=("super", "masked", "dpt"))).content.decode()

    assert "No attempt at this task is recorded yet." in page


def test_a_task_id_may_hold_what_an_address_has_to_quote(client: Client) -> None:
    make_set(PET, *(type(PET)(task_id=task_id) for task_id in ("a b?c#d%20", "任务_goal,data")))

    page = client.get(reverse("tasks", args=("super", "masked")))
    links = [reverse("task", args=("super", "masked", task.task_id)) for task in page.context["listed"].tasks]

    assert len(links) == 3
    assert all(client.get(link).status_code == 200 for link in links)


def test_the_tasks_of_a_set_show_their_mean_accuracy(client: Client, attempt: Attempt) -> None:
    response = client.get(reverse("tasks", args=("super", "masked")))

    found = [(task.task_id, task.attempt_count, task.mean_score) for task in response.context["listed"].tasks]
    assert found == [("cet", 1, 0.5), ("dpt", 0, None), ("pet", 2, 1.0)]


def test_a_set_without_tasks_says_how_to_add_some(client: Client) -> None:
    make_set()

    page = client.get(reverse("tasks", args=("super", "expert"))).content.decode()

    assert "manage.py import_tasks FILE --set super/expert" in page


@pytest.mark.parametrize("name", ["entry", "task", "tasks"])
def test_lists_run_as_many_queries_for_many_rows_as_for_few(
    name: str, client: Client, tmp_path: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    task_set: TaskSet = make_set(*(type(PET)(task_id=f"t{n}", categories=("data",)) for n in range(30)))
    entries = [report(task_set, f"Agent {n}", {f"t{m}": 0.5 for m in range(n, 30)}) for n in range(0, 30, 10)]
    arguments = {
        "entry": (entries[0].slug,),
        "task": ("super", "masked", "t29"),
        "tasks": ("super", "masked"),
    }

    with django_assert_max_num_queries(8):
        assert client.get(reverse(name, args=arguments[name])).status_code == 200


@pytest.mark.parametrize("address", ["/e/nobody/", "/b/super/masked/t/nothing/", "/b/super/masked/t/%00/"])
@pytest.mark.usefixtures("attempt")
def test_what_there_is_not_is_a_404(address: str, client: Client) -> None:
    assert client.get(address).status_code == 404


def test_a_long_list_of_attempts_comes_in_pages(
    client: Client, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "ATTEMPTS_A_PAGE", 2)
    monkeypatch.setattr(overview, "COMPARED", 2)
    for number in (2, 3):
        Attempt.objects.create(entry=attempt.entry, task=attempt.task, number=number)

    # Solver's three, and at the task Novice's one besides.
    for address, on_last in ((attempt.entry.get_absolute_url(), 1), (attempt.task.get_absolute_url(), 2)):
        first = client.get(address)
        last = client.get(address, {"page": "2"})
        assert [len(page.context["attempts"].items) for page in (first, last)] == [2, on_last]
        assert 'href="?page=2#attempts"' in first.content.decode()
        assert 'href="?page=1#attempts"' in last.content.decode()
        assert client.get(address, {"page": "no number"}).context["attempts"].page == 1
