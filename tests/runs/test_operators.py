"""What operators do with runs: make, cancel, retry, show."""

from __future__ import annotations

from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import User

from leaderboard.core.leases import MAX_CLAIMS
from leaderboard.domain.errors import InputError
from leaderboard.domain.jobs import JobState
from leaderboard.entries.selectors import free_model_name
from leaderboard.models import AuditEvent, Entry, Job, Run
from leaderboard.runs.claims import release_job
from leaderboard.runs.services import WORK_TASK, cancel_jobs, publish_run, retry_jobs, set_run_public
from tests.cast import CET, DPT, MODEL, PET, RIVAL, SOLVER, make_set, report
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db


def states(run: Run) -> list[str]:
    return sorted(run.jobs.values_list("state", flat=True))


def one_of_each_state() -> Run:
    """A run with a job that has finished, one that failed, one that was cancelled and one that waits."""
    run = make_run(PET, CET, DPT, attempts=2, max_parallel=6)
    finish(claim())
    release_job(claim(), "no engine", retry=False)
    cancel_jobs(run, list(Job.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True)[:1]))
    return run


def test_a_run_has_a_job_for_each_attempt_and_a_draft_entry() -> None:
    run = make_run(PET, CET, attempts=3)

    assert run.jobs.count() == 6
    assert set(run.jobs.values_list("state", "claim_number", "claims_left")) == {
        (JobState.QUEUED, 0, MAX_CLAIMS)
    }
    assert (run.entry.is_published, run.entry.source) == (False, "run here")


def test_the_same_agent_can_run_again_and_again() -> None:
    first = make_run(PET)
    second = make_run(PET, task_set=first.task_set)

    assert first.entry.agent == second.entry.agent
    assert first.entry.slug != second.entry.slug


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"tasks": []}, "there is no task to run on"),
        ({"attempts": 0}, "0 is not a number from 1 to 10"),
        ({"attempts": 11}, "11 is not a number from 1 to 10"),
        ({"max_parallel": 33}, "33 is not a number from 1 to 32"),
        ({"scaffold": "x" * 101}, "a name has 1 to 100 visible characters"),
        ({"model": ""}, "a name has 1 to 100 visible characters"),
        ({"model": "a\0b"}, "a name has 1 to 100 visible characters"),
    ],
)
def test_a_run_of_nothing_is_refused(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        make_run(PET, **asked)

    assert not Entry.objects.exists()


def test_a_run_whose_name_is_on_the_board_already_is_refused_before_anything_is_paid_for() -> None:
    task_set = make_set(PET)
    report(task_set, SOLVER, {"pet": 1.0}, model=MODEL)

    with pytest.raises(InputError, match="Solver · gpt-4o has an entry on this board already"):
        make_run(task_set=task_set)

    assert not Run.objects.exists()
    assert make_run(task_set=task_set, model="another").jobs.exists()


def test_the_name_of_a_new_run_is_the_first_that_is_free() -> None:
    task_set = make_set(PET)
    report(task_set, SOLVER, {"pet": 1.0}, model=MODEL)
    names = []
    for _ in range(3):
        names.append(free_model_name(task_set, SOLVER, MODEL))
        make_run(task_set=task_set, model=names[-1])

    assert names == ["gpt-4o (run here)", "gpt-4o (run here 2)", "gpt-4o (run here 3)"]
    assert free_model_name(task_set, SOLVER, names[-1]) == "gpt-4o (run here 4)"
    assert free_model_name(task_set, RIVAL, MODEL) == MODEL
    assert free_model_name(make_set(CET, slug="expert"), SOLVER, MODEL) == MODEL


def test_a_name_that_is_free_is_not_too_long() -> None:
    task_set = make_set(PET)
    report(task_set, SOLVER, {"pet": 1.0}, model="x" * 100)

    assert free_model_name(task_set, SOLVER, "x" * 100) == "x" * 89 + " (run here)"


def test_who_did_what_is_on_record() -> None:
    olga = User.objects.create_user("olga")
    run = make_run(PET, CET, user=olga)
    finish(claim())
    cancel_jobs(run, user=olga)
    retry_jobs(run, user=olga)
    cancel_jobs(run, user=olga)
    set_run_public(run, True, user=olga)
    publish_run(run, without_unfinished=True, user=olga)

    done = AuditEvent.objects.filter(target=str(run)).order_by("pk").values_list("action", "actor__username")
    assert list(done) == [
        (action, "olga")
        for action in (
            "create run",
            "cancel jobs",
            "retry jobs",
            "cancel jobs",
            "open run to readers",
            "publish run",
        )
    ]


@pytest.mark.parametrize(("jobs", "max_parallel", "calls"), [(1, 5, 1), (3, 2, 2)])
def test_workers_are_woken_when_the_run_is_there_for_them(
    jobs: int,
    max_parallel: int,
    calls: int,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(current_app, "send_task", sent.append)

    with django_capture_on_commit_callbacks(execute=True):
        make_run(*(PET, CET, DPT)[:jobs], max_parallel=max_parallel)
        assert sent == []

    assert sent == [WORK_TASK] * calls


def test_a_broker_that_is_down_keeps_no_run_from_being_made(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def refuse(name: str) -> None:
        raise ConnectionError(name)

    monkeypatch.setattr(current_app, "send_task", refuse)

    with django_capture_on_commit_callbacks(execute=True):
        run = make_run(PET)

    assert Run.objects.get() == run


def test_cancelling_ends_what_waits_at_once_and_asks_what_runs() -> None:
    run = make_run(PET, CET)
    claim()

    assert cancel_jobs(run) == 2

    assert states(run) == [JobState.CANCELLED, JobState.CANCELLING]


def test_cancelling_again_or_what_has_ended_changes_nothing() -> None:
    run = one_of_each_state()
    cancel_jobs(run)
    before = states(run)

    assert cancel_jobs(run) == 0
    assert states(run) == before


def test_one_job_can_be_cancelled_and_none_of_another_run() -> None:
    run = make_run(PET, CET)
    other = make_run(PET, task_set=run.task_set)
    chosen = [run.jobs.all()[0].pk, *other.jobs.values_list("pk", flat=True)]

    assert cancel_jobs(run, chosen) == 1

    assert states(run) == [JobState.CANCELLED, JobState.QUEUED]
    assert states(other) == [JobState.QUEUED] * 2


def test_a_retry_queues_what_failed_or_was_cancelled_with_all_its_takes() -> None:
    run = one_of_each_state()

    assert retry_jobs(run) == 2

    assert states(run) == [JobState.FINISHED, *[JobState.QUEUED] * 5]
    assert set(run.jobs.filter(state=JobState.QUEUED).values_list("claims_left", "reason")) == {
        (MAX_CLAIMS, "")
    }


def test_a_retry_of_what_failed_of_us_leaves_what_was_cancelled() -> None:
    run = one_of_each_state()

    assert retry_jobs(run, only_failed=True) == 1

    assert JobState.FAILED not in states(run)
    assert JobState.CANCELLED in states(run)


def test_a_job_that_is_retried_is_a_take_further_so_that_its_old_worker_stays_fenced() -> None:
    run = make_run(PET)
    release_job(claim(), "no engine", retry=False)
    retry_jobs(run)

    assert claim().number == 2


def test_a_run_is_opened_to_readers_and_closed() -> None:
    run = make_run(PET)

    for public in (True, False):
        set_run_public(run, public)
        run.refresh_from_db()
        assert run.public is public
