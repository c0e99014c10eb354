"""Jobs claimed in turn, by one worker each, and brought to an end."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from leaderboard.core.leases import LostLease
from leaderboard.domain.jobs import JobState
from leaderboard.models import Attempt, Job, JobStep, Score, Worker
from leaderboard.runs import claims as jobs
from leaderboard.runs.claims import (
    Claim,
    claim_job,
    claimable_jobs,
    confirm_cancelled,
    live_claims,
    note_progress,
    note_step,
    note_worker,
    release_job,
    sweep,
)
from leaderboard.runs.services import cancel_jobs
from leaderboard.scoring.super import SCORING
from tests.cast import CET, DPT, PET, RIVAL, all_rows
from tests.runs.cast import WORKER, claim, finish, job_of, let_the_lease_end, make_run

pytestmark = pytest.mark.django_db


def test_a_claim_says_who_has_the_job_and_until_when(settings: Any) -> None:
    settings.RUNNER_LEASE_SECONDS = 60
    make_run(PET)
    before = timezone.now()

    job = job_of(claim())

    assert (job.state, job.claim_number, job.claims_left, job.worker) == (JobState.RUNNING, 1, 1, WORKER)
    assert job.lease_until is not None
    assert before + timedelta(seconds=60) <= job.lease_until <= timezone.now() + timedelta(seconds=60)


def test_nothing_is_claimed_where_nothing_waits() -> None:
    make_run(PET)
    claim()

    assert claim_job(WORKER) is None
    assert claimable_jobs() == 0


def test_runs_take_turns() -> None:
    large = make_run(PET, CET, DPT, attempts=2, max_parallel=6)
    small = make_run(PET, task_set=large.task_set, attempts=2, scaffold=RIVAL, max_parallel=6)

    runs = [job_of(claim()).run_id for _ in range(4)]

    assert Counter(runs) == {large.pk: 2, small.pk: 2}
    assert runs[0] == large.pk


def test_the_job_that_waited_longest_comes_first_and_all_first_attempts_before_second_ones() -> None:
    make_run(PET, CET, attempts=2, max_parallel=4)

    assert [job_of(claim()).number for _ in range(4)] == [1, 1, 2, 2]


def test_a_run_never_has_more_jobs_than_it_may_have_at_once() -> None:
    make_run(PET, CET, max_parallel=1)
    first = claim()
    assert claim_job(WORKER) is None

    finish(first)

    assert claim_job(WORKER) is not None


def test_jobs_of_a_run_that_is_full_can_not_be_claimed_and_so_nobody_is_woken_for_them() -> None:
    make_run(PET, CET, max_parallel=1)
    assert claimable_jobs() == 2

    claim()

    assert claimable_jobs() == 0


@pytest.mark.parametrize(("max_parallel", "taken"), [(1, None), (2, "pet")])
def test_what_others_have_claimed_since_one_looked_is_not_claimed_again(
    max_parallel: int, taken: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(PET, CET, max_parallel=max_parallel)
    seen_before = list(Job.objects.select_related("task"))
    claim()
    monkeypatch.setattr(jobs, "_candidates", lambda: seen_before)

    held = claim_job("celery@there")

    assert (job_of(held).task.task_id if held else None) == taken
    assert set(Job.objects.values_list("claim_number", flat=True)) <= {0, 1}


def test_a_job_that_is_being_cancelled_still_takes_its_place() -> None:
    run = make_run(PET, CET, max_parallel=1)
    cancel_jobs(run, [claim().job_id])

    assert claim_job(WORKER) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("max_parallel", [1, 3])
def test_workers_that_race_never_take_one_job_twice_or_more_than_a_run_may_have(max_parallel: int) -> None:
    make_run(PET, CET, DPT, max_parallel=max_parallel)
    together = Barrier(4)

    def race(number: int) -> Claim | None:
        try:
            together.wait(timeout=10)
            return claim_job(f"worker {number}")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        taken = [held for held in pool.map(race, range(4)) if held]

    assert len(taken) == len({held.job_id for held in taken}) == max_parallel
    assert Job.objects.filter(state=JobState.RUNNING, claim_number=1).count() == max_parallel


@pytest.mark.parametrize(("again", "became"), [(True, JobState.QUEUED), (False, JobState.FAILED)])
def test_a_job_that_is_given_back_waits_again_if_that_may_help(again: bool, became: JobState) -> None:
    make_run(PET)
    held = claim()

    assert release_job(held, "no engine answers", retry=again) is became

    job = job_of(held)
    assert (job.state, job.reason, job.lease_until) == (became, "no engine answers", None)


def test_a_job_that_is_given_back_while_it_is_being_cancelled_is_cancelled() -> None:
    run = make_run(PET)
    held = claim()
    cancel_jobs(run)

    assert release_job(held, "no engine answers") is JobState.CANCELLED


def test_a_job_that_was_not_cancelled_can_not_be_confirmed_to_be() -> None:
    make_run(PET)

    with pytest.raises(LostLease):
        confirm_cancelled(claim())

    assert Job.objects.get().state == JobState.RUNNING


def test_finishing_records_the_attempt_its_scores_and_the_entrys_figures() -> None:
    run = make_run(PET)

    job = finish(claim())

    assert job.state == JobState.FINISHED
    assert job.attempt == Attempt.objects.get(entry=run.entry, number=1)
    assert {score.scorer for score in Score.objects.filter(attempt=job.attempt)} == set(SCORING.by_scorer)
    run.entry.refresh_from_db()
    assert run.entry.attempted == 1


def test_finishing_does_all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(PET)
    held = claim()
    before = all_rows()

    def refuse(*_: Any) -> None:
        raise RuntimeError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(jobs, "refresh_figures", refuse)
        with pytest.raises(RuntimeError, match="no room"):
            finish(held)

    assert all_rows() == before
    assert finish(held).state == JobState.FINISHED


def test_an_attempt_that_had_ended_when_it_was_cancelled_is_kept() -> None:
    run = make_run(PET)
    held = claim()
    cancel_jobs(run)

    assert finish(held).attempt is not None


def test_a_step_that_is_told_twice_is_there_once() -> None:
    make_run(PET)
    held = claim()
    for html in ("first", "second"):
        note_step(held, number=1, html=html, landmarks=[1], used={"steps": 1})

    assert list(JobStep.objects.values_list("claim_number", "number", "html")) == [(1, 1, "second")]
    assert job_of(held).used == {"steps": 1}


def test_steps_of_a_lost_take_stay() -> None:
    make_run(PET)
    lost = claim()
    note_step(lost, number=1, html="lost", landmarks=[], used={})
    let_the_lease_end(lost)
    sweep()

    note_step(claim(), number=1, html="kept", landmarks=[], used={})

    assert list(JobStep.objects.values_list("claim_number", "html")) == [(1, "lost"), (2, "kept")]


def test_output_that_no_database_takes_is_stored_all_the_same() -> None:
    make_run(PET)
    held = claim()

    note_progress(held, live_output="a\0b\ud800")

    assert job_of(held).live_output.startswith("a")


def test_what_workers_hold_is_what_is_claimed() -> None:
    run = make_run(PET, CET, DPT, max_parallel=3)
    running, cancelling, finished = (claim() for _ in range(3))
    cancel_jobs(run, [cancelling.job_id])
    finish(finished)

    assert live_claims() == {running, cancelling}


def test_a_worker_is_one_row_however_often_it_says_that_it_lives() -> None:
    for notice in ("", "1 MB of disk are free"):
        note_worker(WORKER, notice)

    assert Worker.objects.get().notice == "1 MB of disk are free"
