"""The writes of a worker that checks an upload; each raises `LostLease` unless the worker holds its claim.

The draft is written attempt by attempt while the upload is checked. Only its team and operators see it, and
it can't be published before checking has ended.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.attempts.services import record_attempt
from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.core.leases import MAX_CLAIMS, LeasedTable
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.uploads import RECHECKABLE, UPLOAD_MACHINE, UploadState
from leaderboard.entries.drafts import keep_attempts, write_draft
from leaderboard.entries.services import discard_draft
from leaderboard.intake.description import Description
from leaderboard.intake.findings import error, warning
from leaderboard.intake.member_names import shown
from leaderboard.intake.report import Report
from leaderboard.models import Entry, Task, TaskSet, Team, Upload
from leaderboard.pipeline import SourceResult
from leaderboard.uploads.admission import ask_for_admission
from leaderboard.uploads.gold_budget import budget_problem, give_back_gold_check, take_gold_check
from leaderboard.uploads.quotas import check_places
from leaderboard.uploads.reports import finding_data, write_files
from leaderboard.uploads.services import discard_upload, lead_to, recheck_upload, wake_checkers

UPLOADS = LeasedTable(Upload.objects, frozenset({UploadState.CHECKING}))
PROGRESS_SECONDS = 0.5
"""Shortest time between two writes of progress."""
CANDIDATES = 20
"""Queued uploads that are tried for one claim; if all fail, other workers have claimed them."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's claim on an upload; writes fail once a later claim has replaced it."""

    upload_id: UUID
    number: int


@dataclass(frozen=True, slots=True)
class SweptUploads:
    """Result of a sweep: numbers of uploads that were queued again, and that failed."""

    requeued: int
    failed: int


@transaction.atomic
def claim_upload() -> Claim | None:
    """Claim a queued upload; None if there is none.

    Teams take turns: next is the team whose last turn is longest ago, and of it the upload that has waited
    longest. So a team waits for one upload of each other team, however many they send.
    """
    turns = (F("team__last_check").asc(nulls_first=True), "queued", "pk")
    for upload in Upload.objects.filter(state=UploadState.QUEUED).order_by(*turns)[:CANDIDATES]:
        if claim_number := UPLOADS.claim(upload, state=UploadState.CHECKING, progress={}, problems=[]):
            Team.objects.filter(pk=upload.team_id).update(last_check=timezone.now())
            return Claim(upload.pk, claim_number)
    return None


def queued_uploads() -> int:
    return Upload.objects.filter(state=UploadState.QUEUED).count()


def renew_check(claim: Claim) -> None:
    UPLOADS.renew(claim.upload_id, claim.number)


class Progress:
    """Writes the progress of a check, at most twice a second."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._written = 0.0
        self._phase = ""

    def of(self, phase: str) -> Callable[[int, int], None]:
        """The function to call with the numbers done and in total of a phase."""

        def note(done: int, total: int) -> None:
            now = time.monotonic()
            if phase == self._phase and now - self._written < PROGRESS_SECONDS:
                return
            self._phase, self._written = phase, now
            progress = {"phase": phase, "done": done, "total": total}
            UPLOADS.write(self._claim.upload_id, self._claim.number, progress=progress)

        return note


@transaction.atomic
def take_budget(claim: Claim, task_set: TaskSet) -> bool:
    """Take a check from the budget against a set; with none left, put the check off and return False."""
    upload = UPLOADS.lock(claim.upload_id, claim.number)
    again = take_gold_check(upload, task_set)
    if again is None:
        return True
    _put_off(upload, budget_problem(upload, task_set, again), resume=again)
    return False


@transaction.atomic
def wait_for_admission(claim: Claim, problem: Problem) -> None:
    """Put a check off until an operator admits the team, and tell the operators."""
    upload = UPLOADS.lock(claim.upload_id, claim.number)
    _put_off(upload, problem, resume=None)
    ask_for_admission(upload.team)


@transaction.atomic
def begin_draft(claim: Claim, *, task_set: TaskSet, description: Description) -> Entry:
    """Create the draft of an upload, or update an existing one."""
    upload = UPLOADS.lock(claim.upload_id, claim.number)
    entry = write_draft(upload.entry, team=upload.team, task_set=task_set, description=description)
    Upload.objects.filter(pk=upload.pk).update(entry=entry)
    return entry


@transaction.atomic
def record_result(claim: Claim, *, entry: Entry, task: Task, number: int, result: SourceResult) -> None:
    """Store one attempt of the draft, replacing all of an earlier one.

    Raises:
        OSError: the blob store could not store a file; nothing was written.
    """
    UPLOADS.lock(claim.upload_id, claim.number)
    record_attempt(
        entry=entry,
        task=task,
        number=number,
        digest=result.digest,
        prepared=result.prepared,
        reported=result.reported,
        replace=True,
    )


@transaction.atomic
def conclude_check(
    claim: Claim, *, state: UploadState, report: Report, secrets: int = 0, parts: Collection[str] = ()
) -> None:
    """Store the report and end the check; with CHECKED, the draft then has exactly the report's attempts.

    ``parts`` are the folders of the entries in an archive with several; each is queued to be checked.

    Raises:
        QuotaExceeded: the team has too few places for the parts; nothing was written.
    """
    upload = UPLOADS.lock(claim.upload_id, claim.number)
    write_parts(upload, parts)
    entry = upload.entry
    if state is UploadState.CHECKED and entry is not None:
        keep_attempts(entry, {(line.task_id, line.number or 0) for line in report.attempts})
        refresh_figures(entry.task_set, [entry])
        for former in Upload.objects.filter(entry=entry).exclude(pk=upload.pk):
            lead_to(upload, former=former)
            discard_upload(former, user=None)
    if state is UploadState.REFUSED:
        _detach_draft(upload)
        give_back_gold_check(upload)
        entry = None
    write_files(upload, entry, report.files)
    _end(
        upload,
        state,
        description=report.description.as_data(),
        summary={**report.totals, "task_set": report.task_set, "secrets": secrets},
        problems=[finding_data(finding) for finding in report.findings],
        # Each part sends its own notice.
        **({"notice_due": None} if parts else {}),
    )


@transaction.atomic
def refuse_upload(claim: Claim, problems: Collection[Problem]) -> None:
    """End the check of an upload that is refused as a whole."""
    upload = UPLOADS.lock(claim.upload_id, claim.number)
    _detach_draft(upload)
    write_files(upload, None, ())
    found = [finding_data(error(problem)) for problem in problems]
    _end(upload, UploadState.REFUSED, summary={"errors": len(found)}, problems=found)


@transaction.atomic
def give_back_check(claim: Claim, reason: str) -> UploadState:
    """End a claim after an infrastructure error: queue the upload again, or fail it if no claims are left."""
    return _requeue_or_fail(UPLOADS.lock(claim.upload_id, claim.number), reason)


@transaction.atomic
def sweep_uploads() -> SweptUploads:
    """Queue or fail every upload being checked whose lease has expired: its worker is dead. Idempotent.

    Waiting uploads whose team has room in its budget again are queued, too.
    """
    for waiting in Upload.objects.filter(state=UploadState.WAITING, resume__lte=timezone.now()):
        # Its owner may have discarded it or asked for the check in the meantime.
        with suppress(InputError):
            recheck_upload(waiting, user=None)
    outcomes = [
        _requeue_or_fail(upload, f"the worker stopped answering in claim {upload.claim_number:,}")
        for upload in UPLOADS.expired()
    ]
    return SweptUploads(outcomes.count(UploadState.QUEUED), outcomes.count(UploadState.FAILED))


def _end(upload: Upload, state: UploadState, **changes: Any) -> None:
    UPLOAD_MACHINE.check(UploadState(upload.state), state)
    wants_notice = upload.form.get("email") or upload.form.get("webhook")
    now = timezone.now()
    fields = {"ended": now, "notice_due": now if wants_notice else None, "notice_tries": 0, **changes}
    UPLOADS.write(upload.pk, upload.claim_number, state=state, lease_until=None, progress={}, **fields)
    record_event("check upload", upload, state=state)


def _put_off(upload: Upload, problem: Problem, *, resume: datetime | None) -> None:
    found = finding_data(warning(problem))
    _end(upload, UploadState.WAITING, problems=[found], resume=resume)


def _requeue_or_fail(upload: Upload, reason: str) -> UploadState:
    wanted = UploadState.QUEUED if upload.claims_left else UploadState.FAILED
    logger.warning("upload %s, claim %s: %s; it is %s now", upload.pk, upload.claim_number, reason, wanted)
    if wanted is UploadState.FAILED:
        # This claim may have stored some attempts but not others: that must not look like a result.
        if upload.entry and upload.entry.state == EntryState.DRAFT:
            keep_attempts(upload.entry, ())
            refresh_figures(upload.entry.task_set, [upload.entry])
        give_back_gold_check(upload)
        remedy = "check it again; if that does not help, tell the operators"
        found = finding_data(error(Problem(upload.name, "", reason, remedy)))
        _end(upload, wanted, problems=[found])
        return wanted
    UPLOAD_MACHINE.check(UploadState(upload.state), wanted)
    UPLOADS.write(upload.pk, upload.claim_number, state=wanted, lease_until=None, progress={})
    return wanted


def _detach_draft(upload: Upload) -> None:
    """Detach a refused upload from its draft; discard the draft if no other upload has it."""
    entry = upload.entry
    if entry is None:
        return
    Upload.objects.filter(pk=upload.pk).update(entry=None)
    if entry.is_draft and not entry.uploads.exists():
        discard_draft(entry, user=None)


INHERITED = ("email", "webhook")
"""Fields of an archive's form that are copied to its parts; the others are only defaults for the parts."""


def write_parts(upload: Upload, paths: Collection[str]) -> None:
    """Queue the entries of an archive, each as an upload; parts that it no longer has are discarded.

    Call it in the transaction that locks ``upload``. Published parts are not changed.

    Raises:
        QuotaExceeded: the team has too few places.
    """
    existing = {part.part: part for part in upload.parts.select_related("entry")}
    if paths:
        # Concurrent archives of a team wait here, or two could both take the last places.
        team = Team.objects.select_for_update().get(pk=upload.team_id)
        check_places(team, upload, len(paths))
    for path in paths:
        part = existing.pop(path, None)
        if part and part.state == UploadState.REFUSED:
            discard_upload(part, user=None)
            part = None
        if part is None:
            _add_part(upload, path)
        elif part.is_unpublished and part.state in RECHECKABLE:
            # It may have been published in the meantime.
            with suppress(InputError):
                recheck_upload(part, user=None)
    for part in existing.values():
        if part.is_unpublished:
            discard_upload(part, user=None)


def _add_part(upload: Upload, path: str) -> None:
    part = Upload.objects.create(
        parent=upload,
        part=path,
        team=upload.team,
        created_by=upload.created_by,
        name=shown(path),
        size=upload.size,
        received=upload.size,
        state=UploadState.QUEUED,
        queued=timezone.now(),
        claims_left=MAX_CLAIMS,
        form={key: upload.form[key] for key in INHERITED if key in upload.form},
    )
    record_event("add part", part, actor=upload.created_by, parent=str(upload.pk))
    wake_checkers()
