"""Works on one job of the queue: executes the attempt, scores and records it, or gives the job back."""

from __future__ import annotations

import logging
import shutil
from dataclasses import asdict

from leaderboard import pipeline
from leaderboard.attempts.services import attempt_title
from leaderboard.catalogue.selectors import task_spec
from leaderboard.core.leases import LostLease
from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.errors import InputError
from leaderboard.domain.jobs import JobState
from leaderboard.models import Job
from leaderboard.runs.claims import (
    Claim,
    claim_job,
    confirm_cancelled,
    finish_job,
    job_state,
    note_progress,
    release_job,
    renew_lease,
)
from leaderboard.runs.selectors import BUDGET
from runner.execution.attempt import execute_attempt
from runner.execution.history import history_json
from runner.execution.limits import Limits
from runner.execution.records import Outcome, OutcomeKind
from runner.worker.maintenance import shortage
from runner.worker.provision import (
    CLAIM_FOLDERS,
    agent_of,
    claim_folder,
    limits_of,
    outputs_of,
    sandbox_of,
    task_files_of,
)
from runner.worker.recorder import Heartbeat, JobRecorder, giving_back, write_with_retries

logger = logging.getLogger(__name__)


def work_on_next(worker: str) -> bool:
    """Claim a job and work on it; False if there was none, or too little disk or memory for it."""
    if shortage():
        return False
    claim = claim_job(worker)
    if claim is None:
        return False
    try:
        with giving_back(
            f"job {claim.job_id}, claim {claim.number}",
            lambda error: _give_back(claim, f"The runner broke down: {error}"),
        ):
            _work(claim)
    finally:
        for kind in CLAIM_FOLDERS:
            shutil.rmtree(claim_folder(kind, claim), ignore_errors=True)
    return True


def _work(claim: Claim) -> None:
    job = Job.objects.select_related(
        "task__task_set__benchmark", "run__task_set__benchmark", "run__entry__agent"
    ).get(pk=claim.job_id)
    spec = task_spec(job.task)
    agent = agent_of(job.run.agent, job.run.agent_settings, attempt=job.number)
    limits = limits_of(job, spec, agent)
    try:
        prepare = task_files_of(job.task)
    except InputError as error:
        _give_back(claim, f"The task's files can't be put into a sandbox: {error}", again=False)
        return
    write_with_retries(lambda: note_progress(claim, environment={BUDGET: _budget(limits)}))
    with Heartbeat(
        f"job {claim.job_id}",
        renew=lambda: renew_lease(claim),
        is_cancelled=lambda: job_state(claim) is JobState.CANCELLING,
    ) as heartbeat:
        outcome = execute_attempt(
            spec,
            agent,
            sandbox_of(job, claim),
            limits,
            JobRecorder(claim, spec),
            cancelled=heartbeat.cancelled,
            prepare=prepare,
            outputs=outputs_of(claim),
        )
        _conclude(claim, job, outcome)


def _conclude(claim: Claim, job: Job, outcome: Outcome) -> None:
    match outcome.kind:
        case OutcomeKind.FENCED:
            raise LostLease(claim)
        case OutcomeKind.CANCELLED:
            write_with_retries(lambda: confirm_cancelled(claim))
        case OutcomeKind.INFRASTRUCTURE:
            _give_back(claim, outcome.reason, again=outcome.retry)
        case _:
            _record(claim, job, outcome)


def _record(claim: Claim, job: Job, outcome: Outcome) -> None:
    """Score and record the attempt in the same way as an imported one."""
    environment = {**outcome.sandbox, BUDGET: _budget(outcome.limits)}
    write_with_retries(lambda: note_progress(claim, phase="scoring", environment=environment))
    data = history_json(outcome)
    name = f"{job.task.task_id}/history.json"
    prepared = pipeline.prepare(
        data,
        name=name,
        task=task_spec(job.task),
        scoring=job.task.scoring,
        title=attempt_title(job.task.task_id, job.run.entry.agent),
        outputs=tuple(
            pipeline.StepOutput(step.number, whole.digest, whole.size, whole.cut, whole.path)
            for step in outcome.steps
            if (whole := step.whole)
        ),
    )
    digest = pipeline.source_digest({"history.json": data})
    used = asdict(outcome.used)
    write_with_retries(lambda: finish_job(claim, prepared=prepared, digest=digest, used=used))


def _budget(limits: Limits) -> dict[str, float | None]:
    return {name: getattr(limits, name) for name in BUDGETS}


def _give_back(claim: Claim, reason: str, *, again: bool = True) -> None:
    state = write_with_retries(lambda: release_job(claim, reason, retry=again))
    logger.warning("job %s, claim %s: %s; it is now %s", claim.job_id, claim.number, reason, state)
