"""Store a report: a row for each file, with its findings."""

from __future__ import annotations

import json
from collections.abc import Collection

from leaderboard.domain.text import storable
from leaderboard.intake.findings import FileReport, Finding, Severity, Verdict
from leaderboard.models import Attempt, Entry, Upload, UploadedFile


def write_files(upload: Upload, entry: Entry | None, lines: Collection[FileReport]) -> None:
    """Replace the rows of an upload's report, inside the caller's transaction.

    Args:
        upload: the upload that was checked.
        entry: the draft made from it, whose attempts the rows refer to; None without a draft.
        lines: the report on each file.
    """
    upload.files.all().delete()
    attempts = _attempt_keys(entry) if entry else {}
    UploadedFile.objects.bulk_create((_row(upload, line, attempts) for line in lines), batch_size=500)


def finding_data(finding: Finding) -> dict[str, str]:
    """A finding as it is stored."""
    return {"severity": finding.severity.value, **finding.problem.as_data()}


def _row(upload: Upload, line: FileReport, attempts: dict[tuple[str, int | None], int]) -> UploadedFile:
    used = line.verdict is Verdict.USED
    return UploadedFile(
        upload=upload,
        name=storable(line.name),
        sample=storable(line.sample),
        size=line.size,
        verdict=line.verdict.value,
        format=line.format,
        task_id=line.task_id[:200],
        matched_by=line.matched_by,
        number=line.number,
        attempt_id=attempts.get((line.task_id, line.number)) if used else None,
        errors=line.count(Severity.ERROR),
        warnings=line.count(Severity.WARNING),
        problems=json.dumps([finding_data(finding) for finding in line.findings]),
    )


def _attempt_keys(entry: Entry) -> dict[tuple[str, int | None], int]:
    rows = Attempt.objects.filter(entry=entry).values_list("pk", "task__task_id", "number")
    return {(task_id, number): key for key, task_id, number in rows}
