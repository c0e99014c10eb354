"""Check one claimed upload: unpack it, survey its files, prepare and record attempts, store the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import DataError

from leaderboard.attempts.services import attempt_title
from leaderboard.catalogue.selectors import (
    get_task_set,
    max_attempts_by_set,
    scorings_by_set,
    task_ids_by_set,
    task_spec,
)
from leaderboard.core.limits import reading_limits
from leaderboard.domain.errors import InputError, Problem, QuotaExceeded
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.drafts import description_of
from leaderboard.entries.names import name_finding
from leaderboard.intake.archives import unpack
from leaderboard.intake.check import outer_report, read_all
from leaderboard.intake.description import Description, description_from_data, merge
from leaderboard.intake.destination import MEGABYTE, ArchiveLimits
from leaderboard.intake.entry_folders import EntrySplit, split_into_entries
from leaderboard.intake.examine import reported_finding
from leaderboard.intake.findings import Finding, Severity, error
from leaderboard.intake.found_files import FoundAttempt, Survey
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.layout import list_files
from leaderboard.intake.pool import out_of_total_seconds, unexpected
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import ReportBuilder
from leaderboard.intake.survey import survey
from leaderboard.models import Entry, Task, Upload
from leaderboard.pipeline import Source, SourceResult, prepare_all
from leaderboard.uploads.admission import admission_problem, needs_admission
from leaderboard.uploads.check_writes import (
    Claim,
    Progress,
    begin_draft,
    conclude_check,
    record_result,
    refuse_upload,
    take_budget,
    wait_for_admission,
)
from leaderboard.uploads.descriptions import form_description
from leaderboard.uploads.storage import content_path, make_private, remove_scratch, remove_tree, scratch_path

_IDENTITY_FIELDS: Final = {"benchmark": "benchmark", "task_set": "set", "agent": "agent", "model": "model"}
"""Fields of `Description` that identify an entry, with their keys in entry.yaml."""


def check_upload(claim: Claim, *, isolated: bool = True) -> UploadState:
    """Check a claimed upload; returns its new state.

    With ``isolated``, even a single file is read in another process, so that none can harm the worker. The
    caller renews the lease in the meantime, and calls `give_back_check` if this raises.

    Raises:
        LostLease: the claim was lost; nothing more was written.
        OSError: reading or writing files failed.
    """
    upload = Upload.objects.select_related(
        "entry__agent", "entry__task_set__benchmark", "previous__agent", "parent", "team", "created_by"
    ).get(pk=claim.upload_id)
    remove_scratch(upload.pk)
    scratch = make_private(scratch_path(upload.pk, claim.number))
    try:
        return _Check(claim, upload, scratch, isolated=isolated).run()
    finally:
        remove_tree(scratch)


def archive_limits() -> ArchiveLimits:
    return ArchiveLimits(
        files=settings.SUPERBOARD_MAX_UPLOAD_FILES,
        total_bytes=settings.SUPERBOARD_MAX_UPLOAD_UNPACKED_MB * MEGABYTE,
        file_bytes=settings.SUPERBOARD_MAX_UPLOAD_FILE_MB * MEGABYTE,
        ratio=settings.SUPERBOARD_MAX_UPLOAD_RATIO,
        depth=settings.SUPERBOARD_MAX_UPLOAD_DEPTH,
    )


class _Check:
    """The check of one claim: the state that its steps share."""

    def __init__(self, claim: Claim, upload: Upload, scratch: Path, *, isolated: bool) -> None:
        self._claim = claim
        self._upload = upload
        self._scratch = scratch
        self._reader = Reader(
            max_bytes=settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20,
            workers=settings.SUPERBOARD_CHECK_PROCESSES if isolated else 1,
            isolated=isolated,
            limits=reading_limits(total_seconds=settings.SUPERBOARD_MAX_CHECK_SECONDS),
        )
        self._progress = Progress(claim)
        self._secrets = 0

    def run(self) -> UploadState:
        if needs_admission(self._upload):
            wait_for_admission(self._claim, admission_problem(self._upload))
            return UploadState.WAITING
        try:
            left_out = unpack(
                content_path(self._upload.parent_id or self._upload.pk),
                self._scratch,
                name=self._upload.name,
                limits=archive_limits(),
                part=self._upload.part,
                on_progress=self._while_there_is_time(self._progress.of("unpacking")),
            )
        except InputError as refusal:
            return self._refuse(refusal.problems)
        self._progress.of("looking")(0, 0)
        files = list(list_files(self._scratch))
        # A part of an archive is always one entry.
        split = EntrySplit() if self._upload.part else split_into_entries(files)
        if split.parts:
            return self._conclude_split(split, left_out)
        parent = self._upload.parent
        known = _known_description(self._upload)
        known_tasks = KnownTasks(task_ids_by_set(), max_attempts_by_set(), scorings_by_set())
        found = survey(
            files,
            name=self._upload.name,
            known_tasks=known_tasks,
            benchmark=known.benchmark,
            task_set=known.task_set,
            # An archive's description is the default for each of its entries.
            defaults=description_from_data(parent.description) if parent else Description(),
            reader=self._reader,
            max_attempts=settings.SUPERBOARD_MAX_UPLOAD_ATTEMPTS,
        )
        found = replace(found, findings=(*found.findings, *_disagreements(self._upload, found, known)))
        report = ReportBuilder(
            found,
            name=self._upload.name,
            known_tasks=known_tasks,
            description=_full_description(self._upload, found, known),
            left_out=left_out,
        )
        return self._record(found, report)

    def _while_there_is_time(self, note: Callable[[int, int], None]) -> Callable[[int, int], None]:
        """``note``, which raises `InputError` when the time for the check is over."""

        def note_or_end(done: int, total: int) -> None:
            if time.monotonic() > self._reader.limits.ends:
                raise InputError(out_of_total_seconds(self._reader.limits).problem(self._upload.name))
            note(done, total)

        return note_or_end

    def _conclude_split(self, split: EntrySplit, left_out: tuple[Problem, ...]) -> UploadState:
        """End the check of an archive with several entries: each is checked as an upload of its own."""
        upload, paths = self._upload, [part.path for part in split.parts]
        if upload.entry or upload.previous:
            reason = f"it has {len(paths):,} entries, but can only replace one"
            return self._refuse((Problem(upload.name, "", reason, "send one of their folders alone"),))
        report = outer_report(upload.name, split, form=form_description(upload.form), left_out=left_out)
        try:
            conclude_check(self._claim, state=UploadState.CHECKED, report=report, parts=paths)
        except QuotaExceeded as refusal:
            return self._refuse((refusal.problem,))
        return UploadState.CHECKED

    def _refuse(self, problems: tuple[Problem, ...]) -> UploadState:
        refuse_upload(self._claim, problems)
        return UploadState.REFUSED

    def _record(self, found: Survey, report: ReportBuilder) -> UploadState:
        if report.description.missing and (found.attempts or not found.task_set):
            usable = self._read_attempts(found, report)
            state = UploadState.INCOMPLETE if usable or not found.attempts else UploadState.REFUSED
            return self._conclude(state, report)
        if found.task_set:
            known = report.description
            report.note(
                name_finding(self._upload.team, get_task_set(found.task_set), known.agent, known.model)
            )
        tasks = {task.task_id: task for task in _stored_tasks(found)}
        if any(attempt.trajectory and tasks[attempt.task_id].gold for attempt in found.attempts) and (
            not take_budget(self._claim, get_task_set(found.task_set))
        ):
            return UploadState.WAITING
        recorded = self._record_attempts(found, report, tasks)
        return self._conclude(UploadState.CHECKED if recorded else UploadState.REFUSED, report)

    def _read_attempts(self, found: Survey, report: ReportBuilder) -> bool:
        """Report on the attempts without recording them; whether any can be used."""
        usable = False
        for attempt, reading in read_all(list(found.attempts), self._reader):
            report.add(attempt, **reading._asdict())
            usable = usable or all(each.severity is not Severity.ERROR for each in reading.findings)
        return usable

    def _record_attempts(self, found: Survey, report: ReportBuilder, tasks: Mapping[str, Task]) -> int:
        description = report.description
        sources = [_source(attempt, tasks[attempt.task_id], description) for attempt in found.attempts]
        attempts = {id(source): attempt for source, attempt in zip(sources, found.attempts, strict=True)}
        note = self._progress.of("preparing")
        note(0, len(sources))
        entry: Entry | None = None
        recorded = 0
        reader = self._reader
        prepared = prepare_all(sources, reader.workers, isolated=reader.isolated, limits=reader.limits)
        for done, (source, result) in enumerate(prepared if sources else (), start=1):
            attempt = attempts[id(source)]
            if isinstance(result, SourceResult):
                entry = entry or begin_draft(
                    self._claim, task_set=get_task_set(found.task_set), description=description
                )
                result = self._store(entry, tasks[attempt.task_id], attempt, result)
            if isinstance(result, Problem):
                report.add(attempt, findings=(error(result),))
            else:
                recorded += 1
                self._report(report, attempt, result)
            note(done, len(sources))
        return recorded

    def _store(
        self, entry: Entry, task: Task, attempt: FoundAttempt, result: SourceResult
    ) -> SourceResult | Problem:
        try:
            record_result(self._claim, entry=entry, task=task, number=attempt.number, result=result)
        except (DataError, ValueError, TypeError, ArithmeticError, RecursionError) as fault:
            # A value that the database can't store, which reading should have refused.
            return unexpected(fault).problem(attempt.name, attempt.sample)
        return result

    def _report(self, report: ReportBuilder, attempt: FoundAttempt, result: SourceResult) -> None:
        prepared = result.prepared
        taken: tuple[Finding, ...] = ()
        if attempt.metrics:
            name = f"{attempt.files.name}/{attempt.metrics.name}"
            taken = (reported_finding(result.reported, name=name),)
        if prepared is None:
            report.add(attempt, findings=taken)
            return
        self._secrets += prepared.secrets
        findings = (*taken, *prepared.findings)
        shown = prepared.trajectory
        report.add(attempt, format_name=shown.format, model=shown.model, findings=findings)

    def _conclude(self, state: UploadState, report: ReportBuilder) -> UploadState:
        self._progress.of("concluding")(0, 0)
        conclude_check(self._claim, state=state, report=report.report(), secrets=self._secrets)
        return state


def _stored_tasks(found: Survey) -> Iterable[Task]:
    return get_task_set(found.task_set).tasks.all() if found.task_set else ()


def _known_description(upload: Upload) -> Description:
    """What is known without the files: from the form, else from the entry that the files are sent for."""
    given = form_description(upload.form)
    continued = upload.entry or upload.previous
    return merge(description_of(continued), given) if continued else given


def _full_description(upload: Upload, found: Survey, known: Description) -> Description:
    """The description of the entry: from the form, else the files, else the entry they are sent for.

    Agent, model and set are those of ``known``. A draft that an earlier check of these files made has
    priority over the files, since it may have been edited.
    """
    continued = upload.entry or upload.previous
    if continued is None or _has_made_its_draft(upload):
        return merge(found.description, known)
    merged = merge(merge(description_of(continued), found.description), form_description(upload.form))
    return replace(merged, **{name: getattr(known, name) for name in _IDENTITY_FIELDS})


def _disagreements(upload: Upload, found: Survey, known: Description) -> Iterator[Finding]:
    """An error for each identity field of entry.yaml that differs from the entry the files are sent for."""
    if not (upload.previous or upload.entry) or (_has_made_its_draft(upload) and not upload.previous):
        return
    form = form_description(upload.form)
    for name, label in _IDENTITY_FIELDS.items():
        given, kept = getattr(found.description, name), getattr(known, name)
        if given and given != kept and not getattr(form, name):
            reason = f"entry.yaml has “{given}”, but the entry that it is sent for has “{kept}”"
            remedy = "the entry keeps its value; to change it, fill in the form, or send a separate entry"
            yield error(Problem("entry.yaml", label, reason, remedy))


def _has_made_its_draft(upload: Upload) -> bool:
    return bool(upload.entry and upload.description)


def _source(attempt: FoundAttempt, task: Task, description: Description) -> Source:
    return Source(
        files=attempt.files,
        spec=task_spec(task),
        scoring=task.scoring,
        title=attempt_title(task.task_id, f"{description.agent} · {description.model}"),
        # Always prepare again: the task may have changed since the same bytes were scored.
        known_digest="",
        limit=settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20,
    )
