"""A real worker checks uploads; when it is killed, another worker gets the same result."""

from __future__ import annotations

import pytest

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.uploads import ENDED, UploadState
from leaderboard.intake.pool import ITEMS_WORTH_PROCESSES
from leaderboard.models import Attempt, Entry, Upload
from leaderboard.uploads.storage import upload_folder
from tests.cast import make_set
from tests.runs.traps import UPLOAD_TRAPS
from tests.runs.workers import Workers
from tests.uploads.cast import described, run_zip, send

TASKS = [f"task-{number}" for number in range(ITEMS_WORTH_PROCESSES)]


def sent() -> Upload:
    make_set(*(TaskSpec(task, gold={"loss": 0.5}) for task in TASKS))
    return send(run_zip(*TASKS), form=described())


def until_ended(workers: Workers, upload: Upload) -> Upload:
    workers.until(lambda: Upload.objects.filter(pk=upload.pk, state__in=ENDED).exists())
    upload.refresh_from_db()
    # The report is stored shortly before the worker removes its files.
    workers.until(lambda: {path.name for path in upload_folder(upload.pk).iterdir()} == {"content", "sender"})
    return upload


def check_all_is_there(upload: Upload) -> None:
    assert upload.state == UploadState.CHECKED, upload.problems
    assert Entry.objects.get().attempted == len(TASKS)
    assert sorted(Attempt.objects.values_list("task__task_id", flat=True)) == sorted(TASKS)
    assert upload.files.filter(verdict="used").count() == len(TASKS)


def test_a_worker_checks_in_child_processes(workers: Workers) -> None:
    upload = sent()
    workers.start()
    check_all_is_there(until_ended(workers, upload))


@pytest.mark.parametrize("trap", UPLOAD_TRAPS)
def test_another_worker_checks_the_upload_of_a_killed_one(workers: Workers, trap: str) -> None:
    upload = sent()
    first = workers.start(trap, RUNNER_LEASE_SECONDS="3")
    workers.until(lambda: first.poll() is not None)
    workers.until(lambda: not workers.processes())
    workers.start(RUNNER_LEASE_SECONDS="3")
    check_all_is_there(until_ended(workers, upload))


def test_an_upload_that_kills_every_worker_fails(workers: Workers) -> None:
    upload = sent()
    Upload.objects.update(claims_left=1)
    first = workers.start("just after an attempt is recorded", RUNNER_LEASE_SECONDS="3")
    workers.until(lambda: first.poll() is not None)
    workers.start(RUNNER_LEASE_SECONDS="3")
    upload = until_ended(workers, upload)
    assert upload.state == UploadState.FAILED
    [finding] = upload.findings
    assert finding.problem.reason == "the worker stopped answering in claim 1"
    assert not Attempt.objects.exists()
