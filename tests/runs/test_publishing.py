"""What a run's results need to get on the board, and what is said of those that are missing."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.core import blobs
from leaderboard.domain.errors import InputError
from leaderboard.domain.jobs import JobState
from leaderboard.entries import services as publishing
from leaderboard.models import Agent, Run
from leaderboard.runs.claims import release_job
from leaderboard.runs.services import cancel_jobs, publish_run
from tests.cast import CET, DPT, MODEL, PET, SOLVER, make_set, report
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(User.objects.create_user("olga", is_staff=True))
    return client


def finished() -> Run:
    run = make_run(PET)
    finish(claim())
    return run


def waits() -> Run:
    return make_run(PET)


def failed() -> Run:
    run = make_run(PET)
    release_job(claim(), "no engine", retry=False)
    return run


def partly_finished() -> Run:
    """A run with a job that has finished, one that failed of us and one that was cancelled."""
    run = make_run(PET, CET, DPT)
    finish(claim())
    release_job(claim(), "no engine", retry=False)
    cancel_jobs(run)
    return run


def has_an_entry_by_now() -> Run:
    task_set = make_set(PET)
    run = make_run(task_set=task_set)
    finish(claim())
    report(task_set, SOLVER, {"pet": 1.0}, model=MODEL)
    return run


def act(client: Client, run: Run, action: str, **fields: str) -> Any:
    return client.post(reverse("act-on-run", args=(run.pk,)), {"action": action, **fields}, follow=True)


def test_publishing_puts_the_entry_on_the_board() -> None:
    run = finished()

    entry = publish_run(run)

    assert entry.is_published
    assert set(entry.figures.values_list("task_set", flat=True)) == {run.task_set_id}


def test_publishing_again_changes_nothing() -> None:
    run = finished()
    publish_run(run)

    assert publish_run(run, model="another").agent.model == MODEL


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (waits, "some jobs have not ended yet"),
        (failed, "no job has finished"),
        (partly_finished, "2 of 3 jobs had an infrastructure error or were cancelled"),
        (has_an_entry_by_now, "Solver · gpt-4o has an entry on this board already"),
    ],
)
def test_what_can_not_be_published_says_why(make: Any, says: str) -> None:
    run = make()

    with pytest.raises(InputError, match=says):
        publish_run(run)

    run.entry.refresh_from_db()
    assert not run.entry.is_published


@pytest.mark.parametrize("make", [waits, failed])
def test_without_any_result_there_is_nothing_to_publish_whatever_was_asked_for(make: Any) -> None:
    with pytest.raises(InputError):
        publish_run(make(), without_unfinished=True)


def test_a_name_that_got_taken_meanwhile_is_changed_when_the_run_is_published(olga: Client) -> None:
    run = has_an_entry_by_now()
    assert "has an entry on this board already" in act(olga, run, "publish").content.decode()

    act(olga, run, "publish", scaffold=SOLVER, model="ours")

    run.entry.refresh_from_db()
    assert run.entry.is_published
    assert str(run.entry.agent) == "Solver · ours"


def test_the_name_of_a_draft_that_nothing_else_has_goes_with_it() -> None:
    publish_run(finished(), scaffold="Ours", model="better")

    assert [str(agent) for agent in Agent.objects.all()] == ["Ours · better"]


def test_a_new_name_is_in_the_address_and_over_the_downloads(
    olga: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    run = finished()
    attempt = run.entry.attempts.get()
    download = reverse("download", args=(attempt.pk, "html"))
    before = attempt.files.get(kind="html").blob

    with django_capture_on_commit_callbacks(execute=True):
        act(olga, run, "publish", scaffold="Ours", model="better")

    run.entry.refresh_from_db()
    assert run.entry.get_absolute_url() == "/e/ours-better-masked-run/"
    assert run.entry.get_absolute_url() in olga.get(run.get_absolute_url()).content.decode()
    page = b"".join(Client().get(download)).decode()
    assert page.count("pet · Ours · better") == 2
    assert SOLVER not in page
    with pytest.raises(FileNotFoundError):
        blobs.read(before)


def test_the_address_of_the_draft_leads_to_the_published_entry(olga: Client) -> None:
    run = finished()

    entry = publish_run(run)

    assert olga.get(run.entry.get_absolute_url())["Location"] == entry.get_absolute_url()
    assert Client().get(run.entry.get_absolute_url())["Location"] == entry.get_absolute_url()


def test_two_that_publish_under_one_name_at_once_do_not_both(monkeypatch: pytest.MonkeyPatch) -> None:
    run = has_an_entry_by_now()
    # Both looked before either wrote.
    monkeypatch.setattr(publishing, "check_name_is_free", lambda *names, **besides: None)

    with pytest.raises(InputError, match="has an entry on this board already"):
        publish_run(run)

    run.entry.refresh_from_db()
    assert not run.entry.is_published


@pytest.mark.parametrize("name", ["x" * 101, "a\0b"])
def test_a_name_that_no_board_can_show_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="a name has 1 to 100 visible characters"):
        publish_run(finished(), model=name)


def test_infrastructure_failures_are_published_only_when_asked_for_and_are_said_to_be_ours(
    olga: Client,
) -> None:
    run = partly_finished()
    page = olga.get(run.get_absolute_url()).content.decode()
    assert 'value="publish-without"' in page
    assert 'value="publish"' not in page

    act(olga, run, "publish-without")

    entry = Client().get(run.entry.get_absolute_url(), follow=True).content.decode()
    assert (
        "1 job failed with an infrastructure error and 1 was cancelled: their tasks count as not attempted."
        in " ".join(entry.split())
    )


def test_where_all_has_finished_nothing_is_said_to_be_missing(olga: Client) -> None:
    run = finished()
    page = olga.get(run.get_absolute_url()).content.decode()
    assert 'value="publish"' in page
    assert 'value="publish-without"' not in page

    act(olga, run, "publish")

    assert "not attempted" not in Client().get(run.entry.get_absolute_url(), follow=True).content.decode()
    assert set(run.jobs.values_list("state", flat=True)) == {JobState.FINISHED}
