"""Store a report: a row for each file, with its findings."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from leaderboard.domain.text import storable
from leaderboard.intake.findings import FileReport, Finding, Severity, Verdict
from leaderboard.models import Attempt, Entry, Upload, UploadedFile


def write_files(upload: Upload, entry: Entry | None, lines: Collection[FileReport]) -> None:
    """Replace the rows of an upload's report, inside the caller's transaction.

    The rows refer to the attempts of ``entry``, the draft made from the upload, if any.
    """
    upload.files.all().delete()
    recorded = Attempt.objects.filter(entry=entry).values_list("task__task_id", "number", "pk")
    attempts = {(task_id, number): key for task_id, number, key in recorded}
    UploadedFile.objects.bulk_create((_row(upload, line, attempts) for line in lines), batch_size=500)


def finding_data(finding: Finding) -> dict[str, str]:
    """A finding as it is stored."""
    return {"severity": finding.severity.value, **finding.problem.as_data()}


def _row(upload: Upload, line: FileReport, attempts: Mapping[tuple[str, int], int]) -> UploadedFile:
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
        attempt_id=attempts.get((line.task_id, line.number or 0)) if used else None,
        errors=line.count(Severity.ERROR),
        warnings=line.count(Severity.WARNING),
        problems=json.dumps([finding_data(finding) for finding in line.findings]),
    )
