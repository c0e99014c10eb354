"""Runs while they go on: what polling pages get, and when they stop asking."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.domain.jobs import CLAIMED, TERMINAL, JobState
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Job, Run, Worker
from leaderboard.runs.claims import Claim, note_progress, note_step, note_worker, release_job, sweep
from leaderboard.runs.selectors import BUDGET
from tests.cast import CET, PET
from tests.runs.cast import WORKER, claim, job_of, let_the_lease_end, make_run

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(User.objects.create_user("olga", is_staff=True))
    return client


@pytest.fixture
def held() -> Claim:
    make_run(PET)
    return claim()


def steps(held: Claim, *numbers: int) -> None:
    for number in numbers:
        html = f"<p>claim {held.number} step {number}</p>"
        note_step(held, number=number, html=html, landmarks=[number], used={"steps": number})


def fragment(client: Client, held: Claim, query: str = "") -> str:
    return client.get(job_of(held).get_absolute_url() + query, headers=HTMX).content.decode()


def test_a_page_has_every_step_and_a_polling_one_gets_the_new_ones_only(olga: Client, held: Claim) -> None:
    steps(held, 1, 2)
    page = olga.get(job_of(held).get_absolute_url()).content.decode()
    assert "claim 1 step 1" in page
    assert "?claim=1&amp;after=2" in page

    steps(held, 3)
    news = fragment(olga, held, "?claim=1&after=2")

    assert "claim 1 step 3" in news
    assert "claim 1 step 2" not in news
    assert "?claim=1&amp;after=3" in news
    assert "<html" not in news


def test_where_nothing_is_new_it_asks_again_from_where_it_was(olga: Client, held: Claim) -> None:
    steps(held, 1)

    assert "?claim=1&amp;after=1" in fragment(olga, held, "?claim=1&after=1")


def test_a_take_that_was_lost_is_still_there_and_the_next_is_announced(olga: Client, held: Claim) -> None:
    steps(held, 1, 2)
    let_the_lease_end(held)
    sweep()
    second = claim()
    steps(second, 1)

    news = fragment(olga, second, "?claim=1&after=2")

    assert "claim 2 step 1" in news
    assert "Restarted in a fresh sandbox: claim 2" in news
    assert "claim 1 step 1" in olga.get(job_of(second).get_absolute_url()).content.decode()


def test_steps_of_two_takes_have_names_of_their_own(olga: Client, held: Claim) -> None:
    html = (
        '<section id="step-1" aria-labelledby="step-1-title">'
        '<h3 id="step-1-title"><a href="#step-1">1</a></h3>'
        '<p>id="step-1"</p><mark id="hit-1-1"></mark></section>'
    )
    note_step(held, number=1, html=html, landmarks=[1], used={})
    let_the_lease_end(held)
    sweep()
    second = claim()
    note_step(second, number=1, html=html, landmarks=[1], used={})

    page = olga.get(job_of(second).get_absolute_url()).content.decode()

    ids = re.findall(r'<[^<>]* id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert {"step-1", "hit-1-1", "claim-2-step-1", "claim-2-hit-1-1"} <= set(ids)
    assert '<a href="#claim-2-step-1">' in page
    assert 'aria-labelledby="claim-2-step-1-title"' in page
    assert page.count('<p>id="step-1"</p>') == 2, "what an agent wrote stays as it is"


@pytest.mark.parametrize("state", JobState)
def test_polling_stops_at_a_terminal_state(state: JobState, olga: Client, held: Claim) -> None:
    lease = timezone.now() if state in CLAIMED else None
    Job.objects.update(state=state, lease_until=lease)
    run = Run.objects.get()

    for address in (job_of(held).get_absolute_url(), run.get_absolute_url()):
        polls = "hx-trigger=" in olga.get(address, headers=HTMX).content.decode()
        assert polls is (state not in TERMINAL)


def test_the_running_cell_the_budgets_and_the_landmarks_are_shown(olga: Client, held: Claim) -> None:
    steps(held, 1)
    note_progress(
        held,
        live_output="<b>epoch 2",
        environment={BUDGET: {"steps": 30, "cost": None}},
        used={"steps": 15, "cost": 0.5},
    )

    page = fragment(olga, held)

    assert "&lt;b&gt;epoch 2" in page
    assert '<span class="flag">1</span>' in page
    assert "30" in page


def test_why_a_job_failed_is_said_on_its_page_and_in_the_grid(olga: Client, held: Claim) -> None:
    release_job(held, "no engine <answers>", retry=False)

    for address in (job_of(held).get_absolute_url(), Run.objects.get().get_absolute_url()):
        assert "no engine &lt;answers&gt;" in olga.get(address).content.decode()


@pytest.mark.parametrize(
    "query", ["?claim=x&after=y", "?claim=-1&after=-1", "?claim=" + "9" * 5000, "?claim=1&after=999999999"]
)
def test_a_position_that_is_none_is_no_error(query: str, olga: Client, held: Claim) -> None:
    assert olga.get(job_of(held).get_absolute_url() + query).status_code == 200


def test_a_job_belongs_to_its_run(olga: Client, held: Claim) -> None:
    other = make_run(CET)

    assert olga.get(reverse("job", args=(other.pk, held.job_id))).status_code == 404


def test_pages_differ_by_the_header_that_asks_for_a_part(olga: Client, held: Claim) -> None:
    run = Run.objects.get()

    for address in (reverse("runs"), run.get_absolute_url(), job_of(held).get_absolute_url()):
        whole, part = olga.get(address), olga.get(address, headers=HTMX)
        assert "HX-Request" in whole["Vary"]
        assert "HX-Request" in part["Vary"]
        assert "<html" in whole.content.decode()
        assert "<html" not in part.content.decode()


def test_the_queue_is_in_order_and_beside_the_workers_that_live(olga: Client) -> None:
    make_run(PET, CET)
    response = olga.get(reverse("runs"))
    assert "<code>celery -A runner.worker.app worker</code>" in response.content.decode()
    assert [job.task.task_id for job in response.context["queue"].jobs] == ["cet", "pet"]

    note_worker(WORKER, "7 MB of disk are free")
    page = olga.get(reverse("runs")).content.decode()
    assert WORKER in page
    assert "7 MB of disk are free" in page

    Worker.objects.update(seen=timezone.now() - timedelta(days=1))
    assert "No worker is alive" in olga.get(reverse("runs")).content.decode()


@pytest.mark.parametrize("tasks", [1, 40])
def test_pages_run_at_most_ten_queries_at_any_size(
    tasks: int, olga: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    run = make_run(*(TaskSpec(f"task-{number}", gold=1) for number in range(tasks)), attempts=3)
    for _ in range(2 * (tasks > 1)):
        make_run(task_set=run.task_set)
    held = claim()
    steps(held, *range(1, tasks + 1))

    for address in (reverse("runs"), run.get_absolute_url(), job_of(held).get_absolute_url()):
        with django_assert_max_num_queries(10):
            assert olga.get(address).status_code == 200
    with django_assert_max_num_queries(16):
        assert olga.get(reverse("new-run") + "?agent=react&set=masked").status_code == 200
