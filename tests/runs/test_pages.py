"""/runs/: made, watched and stopped by operators; readers watch what was made public."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse, reverse_lazy

from leaderboard.domain.jobs import JobState
from leaderboard.models import Run, TaskSet
from leaderboard.runs.services import set_run_public
from tests.cast import CET, PET, make_set
from tests.people import PASSWORD, person
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db
NEW = reverse_lazy("new-run", query={"agent": "react", "set": "masked"})


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET, CET)


@pytest.fixture
def run(task_set: TaskSet) -> Run:
    return make_run(task_set=task_set)


@pytest.fixture
def olga() -> Client:
    return signed_in("olga", is_staff=True)


def signed_in(name: str, *, is_staff: bool = False) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(name, is_staff=is_staff))
    return client


def visitor(who: str) -> Client:
    match who:
        case "Olga":
            return signed_in("olga", is_staff=True)
        case "Alice":
            return signed_in("alice")
        case _:
            return Client()


def pages(run: Run) -> dict[str, str]:
    return {
        "runs": reverse("runs"),
        "new": str(NEW),
        "run": run.get_absolute_url(),
        "job": run.jobs.all()[0].get_absolute_url(),
        "act": reverse("act-on-run", args=(run.pk,)),
    }


# Who gets which answer: to a GET of each page, and to a POST of "open" to the last.
SIGN_IN = 302
ACCESS = {
    "Olga": {"runs": 200, "new": 200, "run": 200, "job": 200, "act": 405},
    "Alice": {"runs": 403, "new": 403, "run": 404, "job": 404, "act": 405},
    "nobody": {"runs": SIGN_IN, "new": SIGN_IN, "run": 404, "job": 404, "act": 405},
}


@pytest.mark.parametrize("who", ACCESS)
def test_operators_see_runs_and_others_do_not(who: str, run: Run) -> None:
    client = visitor(who)

    assert {name: client.get(url).status_code for name, url in pages(run).items()} == ACCESS[who]


@pytest.mark.parametrize("who", ACCESS)
def test_everybody_watches_a_run_that_is_public(who: str, run: Run) -> None:
    set_run_public(run, True)
    client = visitor(who)

    for name in ("run", "job"):
        page = client.get(pages(run)[name])
        assert page.status_code == 200
        assert ('name="action"' in page.content.decode()) is (who == "Olga")


@pytest.mark.parametrize("who", ["Alice", "nobody"])
@pytest.mark.parametrize("action", ["cancel", "retry", "retry-failed", "publish", "open", "close"])
def test_only_operators_act_even_on_a_public_run(who: str, action: str, run: Run) -> None:
    set_run_public(run, True)

    response = visitor(who).post(pages(run)["act"], {"action": action})

    assert response.status_code == (SIGN_IN if who == "nobody" else 403)
    run.refresh_from_db()
    assert run.public
    assert set(run.jobs.values_list("state", flat=True)) == {JobState.QUEUED}


@pytest.mark.parametrize("who", ["Alice", "nobody"])
def test_only_operators_make_runs(who: str, task_set: TaskSet) -> None:
    response = visitor(who).post(NEW, {"tasks": ["pet"], "attempts": 1})

    assert response.status_code == (SIGN_IN if who == "nobody" else 403)
    assert not Run.objects.exists()


def test_an_operator_who_has_left_is_none(run: Run) -> None:
    client = signed_in("olga", is_staff=True)
    User.objects.update(is_active=False)

    assert client.get(pages(run)["run"]).status_code == 404


def test_a_forged_form_is_refused(run: Run) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("olga", is_staff=True))

    assert client.post(pages(run)["act"], {"action": "cancel"}).status_code == 403


def test_what_was_asked_for_is_done(run: Run, olga: Client) -> None:
    act = pages(run)["act"]
    for action, words in (
        ("cancel", "2 jobs are being cancelled."),
        ("retry", "2 jobs are queued again."),
        ("retry-failed", "0 jobs are queued again."),
        ("publish", "some jobs have not ended yet"),
        ("dance", "A run has no such action."),
    ):
        assert words in olga.post(act, {"action": action}, follow=True).content.decode()


def test_one_job_is_cancelled_and_its_page_comes_back(run: Run, olga: Client) -> None:
    job = run.jobs.all()[0]

    response = olga.post(
        pages(run)["act"], {"action": "cancel", "job": job.pk, "next": job.get_absolute_url()}
    )

    assert response["Location"] == job.get_absolute_url()
    assert sorted(run.jobs.values_list("state", flat=True)) == [JobState.CANCELLED, JobState.QUEUED]


@pytest.mark.parametrize("job", ["x", "-1", "9" * 30, "9" * 5000, "²"])
def test_a_job_that_is_none_is_not_taken_for_all(job: str, run: Run, olga: Client) -> None:
    assert olga.post(pages(run)["act"], {"action": "cancel", "job": job}).status_code in (302, 404)

    assert set(run.jobs.values_list("state", flat=True)) == {JobState.QUEUED}


@pytest.mark.parametrize("back", ["https://elsewhere.example/runs/", "//elsewhere.example", "javascript:x"])
def test_nobody_is_led_elsewhere(back: str, run: Run, olga: Client) -> None:
    response = olga.post(pages(run)["act"], {"action": "cancel", "next": back})

    assert response["Location"] == run.get_absolute_url()


def test_publishing_leads_to_the_entry(task_set: TaskSet, olga: Client) -> None:
    run = make_run(task_set=task_set, tasks=[task_set.tasks.get(task_id="pet")])
    finish(claim())

    response = olga.post(pages(run)["act"], {"action": "publish"})

    run.entry.refresh_from_db()
    assert response["Location"] == run.entry.get_absolute_url()
    assert "Solver" in Client().get(reverse("board", args=("super", "masked"))).content.decode()


def test_who_signs_in_is_led_to_the_runs_and_out_again_to_the_board() -> None:
    client, olga = Client(), person("olga")
    asked_to = client.get(reverse("runs"))["Location"]
    assert asked_to == reverse("sign-in") + "?next=/runs/"

    wrong = client.post(asked_to, {"login": olga.username, "password": "x"})
    assert "are not correct" in wrong.content.decode()
    right = client.post(asked_to, {"login": olga.username, "password": PASSWORD})

    assert right["Location"] == reverse("runs")
    assert client.post(reverse("sign-out"))["Location"] == reverse("home")
    assert client.get(reverse("runs")).status_code == SIGN_IN
