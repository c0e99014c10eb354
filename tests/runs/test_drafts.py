"""Results of a run are its operators' until they publish them, or let readers watch."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from leaderboard.models import Attempt, Job, OutputPage, Run
from leaderboard.runs.services import publish_run, set_run_public
from tests.cast import PET, RIVAL, make_set, report
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db
SET = ("super", "masked")
DRAFT = "Draftsman"
PAGES = ("entry", "attempt", "find", "output", "original", "notebook", "html")
LISTS = ("home", "board", "data.json", "data.csv", "charts", "tasks", "task")


@pytest.fixture
def run() -> Run:
    """A finished run by Draftsman, on a board where Rival has failed at the same task."""
    task_set = make_set(PET)
    report(task_set, RIVAL, {"pet": 0.0})
    made = make_run(task_set=task_set, scaffold=DRAFT)
    attempt = finish(claim()).attempt
    assert attempt is not None
    OutputPage.objects.create(
        attempt=attempt,
        step=1,
        part="observation",
        number=1,
        html="epoch 1",
        **dict.fromkeys(("first_line", "last_line", "start", "end"), 1),
    )
    return made


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_user("olga", is_staff=True))
    return client


def addresses(run: Run) -> dict[str, str]:
    attempt = Attempt.objects.get(entry=run.entry)
    return {
        "home": reverse("home"),
        "board": reverse("board", args=SET),
        **{f"data.{shape}": reverse("board-data", args=(*SET, shape)) for shape in ("json", "csv")},
        "charts": reverse("board-charts", args=SET),
        "tasks": reverse("tasks", args=SET),
        "task": reverse("task", args=(*SET, "pet")),
        "entry": run.entry.get_absolute_url(),
        "attempt": attempt.get_absolute_url(),
        "find": reverse("find", args=(attempt.pk,)) + "?q=epoch",
        "output": reverse("output", args=(attempt.pk, 1, "observation", 1)),
        **{kind: reverse("download", args=(attempt.pk, kind)) for kind in ("original", "notebook", "html")},
    }


def said(response: Any) -> str:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return str(content.decode(errors="replace"))


def statuses(client: Client, run: Run) -> dict[str, int]:
    found = addresses(run)
    codes = {}
    for name in PAGES:
        response = client.get(found[name])
        # A download holds its file open until it is read.
        said(response)
        codes[name] = response.status_code
    return codes


@pytest.mark.parametrize("name", LISTS)
def test_a_draft_is_in_no_list_and_in_no_mean(name: str, run: Run, client: Client) -> None:
    before = said(client.get(addresses(run)[name]))
    assert DRAFT not in before

    publish_run(run)

    # But for the list of tasks, where it changes the mean.
    assert (DRAFT in said(client.get(addresses(run)[name]))) is (name != "tasks")
    assert said(client.get(addresses(run)[name])) != before


def test_a_draft_is_in_no_list_for_operators_either(run: Run, operator: Client) -> None:
    for name in LISTS:
        assert DRAFT not in said(operator.get(addresses(run)[name])), name


def test_readers_see_nothing_of_a_draft(run: Run, client: Client) -> None:
    assert set(statuses(client, run).values()) == {404}


def test_operators_see_all_of_a_draft(run: Run, operator: Client) -> None:
    assert set(statuses(operator, run).values()) == {200}


def test_readers_see_all_of_a_draft_whose_run_is_public_until_it_is_not(run: Run, client: Client) -> None:
    set_run_public(run, True)
    assert set(statuses(client, run).values()) == {200}

    set_run_public(run, False)
    assert set(statuses(client, run).values()) == {404}


def test_a_public_run_is_still_on_no_board(run: Run, client: Client) -> None:
    set_run_public(run, True)

    for name in LISTS:
        assert DRAFT not in said(client.get(addresses(run)[name])), name


def test_readers_see_all_of_a_published_entry_and_nothing_of_its_run(run: Run, client: Client) -> None:
    publish_run(run)
    run.refresh_from_db()

    assert set(statuses(client, run).values()) == {200}
    assert client.get(run.get_absolute_url()).status_code == 404


def test_an_entry_made_here_says_so_and_on_what(run: Run, client: Client) -> None:
    Job.objects.update(environment={"kind": "docker", "digest": "sha256:12ab"})
    publish_run(run)

    page = said(client.get(run.entry.get_absolute_url(), follow=True))

    assert "run here" in page
    assert "sha256:12ab" in page
