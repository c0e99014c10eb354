"""The table of states is what the services do and what the document shows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from leaderboard.core.leases import LostLease
from leaderboard.domain.jobs import (
    CLAIMED,
    JOB_MACHINE,
    TERMINAL,
    JobState,
)
from leaderboard.domain.state_machine import IllegalTransition
from leaderboard.models import Job, Run
from leaderboard.runs.claims import (
    Claim,
    claim_job,
    confirm_cancelled,
    note_progress,
    release_job,
    renew_lease,
    sweep,
)
from leaderboard.runs.services import cancel_jobs, retry_jobs
from tests.cast import PET
from tests.runs.cast import WORKER, claim, finish, job_of, make_run

Service = Callable[[Run, Claim], object]
SERVICES: dict[str, Service] = {
    "claim": lambda run, held: claim_job(WORKER),
    "renew": lambda run, held: renew_lease(held),
    "progress": lambda run, held: note_progress(held, phase="thinking"),
    "finish": lambda run, held: finish(held),
    "give back": lambda run, held: release_job(held, "broken"),
    "give back for good": lambda run, held: release_job(held, "broken", retry=False),
    "confirm": lambda run, held: confirm_cancelled(held),
    "sweep": lambda run, held: sweep(),
    "cancel": lambda run, held: cancel_jobs(run),
    "retry": lambda run, held: retry_jobs(run),
}


def test_every_state_can_be_reached_and_left_unless_it_is_terminal() -> None:
    reached = {wanted for following in JOB_MACHINE.transitions.values() for wanted in following}

    assert set(JOB_MACHINE.transitions) == set(JobState)
    assert reached == set(JobState)
    assert {state for state, following in JOB_MACHINE.transitions.items() if not following} <= TERMINAL
    assert not CLAIMED & TERMINAL


def test_only_an_operator_takes_a_job_out_of_a_terminal_state() -> None:
    ways_out = {why for state in TERMINAL for why in JOB_MACHINE.transitions[state].values()}

    assert ways_out == {"an operator retries it"}


@pytest.mark.parametrize("current", JobState)
@pytest.mark.parametrize("wanted", JobState)
def test_a_transition_is_allowed_if_the_table_has_it(current: JobState, wanted: JobState) -> None:
    if wanted in JOB_MACHINE.transitions[current]:
        JOB_MACHINE.check(current, wanted)
    else:
        with pytest.raises(IllegalTransition, match=f"a job that is {current} can't become {wanted}"):
            JOB_MACHINE.check(current, wanted)


def test_the_document_shows_the_table() -> None:
    text = (settings.BASE_DIR / "docs" / "runner.md").read_text()

    assert f"```mermaid\n{JOB_MACHINE.diagram()}\n```" in text


@pytest.mark.django_db
def test_services_make_the_transitions_of_the_table_and_no_others() -> None:
    run = make_run(PET)
    held = claim()
    # Of a job that waits a claim is always left.
    places = [(state, left) for state in JobState for left in (0, 1) if left or state in CLAIMED]

    made = {
        (state, became)
        for state, claims_left in places
        for service in SERVICES.values()
        if (became := after(service, run, held, state, claims_left)) != state
    }

    assert made == {
        (state, wanted) for state, following in JOB_MACHINE.transitions.items() for wanted in following
    }


def after(service: Service, run: Run, held: Claim, state: JobState, claims_left: int) -> JobState:
    """What becomes of a job in ``state``; the database is as before afterwards."""
    with transaction.atomic():
        lease = timezone.now() - timedelta(seconds=1) if state in CLAIMED else None
        Job.objects.filter(pk=held.job_id).update(state=state, claims_left=claims_left, lease_until=lease)
        with suppress(LostLease):
            service(run, held)
        became = JobState(job_of(held).state)
        transaction.set_rollback(True)
    return became
