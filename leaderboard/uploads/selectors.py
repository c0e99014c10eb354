"""Uploads as pages show them: a list, and a report page by page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from leaderboard.core.pages import Page, read_page
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import Problem, problem_from_data
from leaderboard.domain.text import storable
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Team, Upload, UploadedFile

LINES_A_PAGE: Final = 100
UPLOADS_SHOWN: Final = 50
FILTERS: Final[dict[str, Q]] = {
    "errors": Q(errors__gt=0),
    "warnings": Q(warnings__gt=0),
    "passed": Q(verdict=UploadedFile.Verdict.PASSED_OVER),
}
"""What a report can be narrowed to, by the word in its address."""


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """What was found: ``severity`` is error, warning or note."""

    severity: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A file of a report with what was found in it."""

    file: UploadedFile
    findings: list[ShownFinding]


def latest_uploads(uploads: QuerySet[Upload]) -> list[Upload]:
    """The newest of these uploads, with what a list shows of them. One query."""
    return list(uploads.select_related("team", "entry__agent", "created_by", "parent")[:UPLOADS_SHOWN])


def parts_of(upload: Upload) -> list[Upload]:
    """The entries in an archive of several, by folder, with what a list shows of them. One query."""
    return list(upload.parts.select_related("entry__agent", "entry__task_set").order_by("part"))


def find_interrupted(
    uploads: QuerySet[Upload], *, team: Team, name: str, size: int, mark: str
) -> Upload | None:
    """The upload of the same file that was begun and not completed, if any."""
    begun = uploads.filter(team=team, name=name, size=size, state=UploadState.RECEIVING)
    return next((each for each in begun if mark and each.progress.get("mark") == mark), None)


def uploads_of_bytes(uploads: QuerySet[Upload], digest: str) -> QuerySet[Upload]:
    """Those of ``uploads`` that have these bytes, without those whose entries are all withdrawn.

    Withdrawing is for good: whoever sends the bytes again means a new entry.
    """
    others = Upload.objects.exclude(entry__state=EntryState.WITHDRAWN).exclude(parent=None).values("parent")
    all_withdrawn = Q(entry__state=EntryState.WITHDRAWN) | (~Q(parts=None) & ~Q(pk__in=others))
    # In a subquery: the join with parts would double rows.
    gone = Upload.objects.filter(all_withdrawn, digest=digest).values("pk")
    return uploads.filter(digest=digest).exclude(pk__in=gone)


def report_page(upload: Upload, *, show: str = "", text: str = "", page: int = 1) -> Page[ReportLine]:
    """A page of an upload's report, narrowed to ``show`` of `FILTERS` and to files that ``text`` is in."""
    files = upload.files.filter(FILTERS.get(show, Q())).select_related("attempt")
    if text:
        text = storable(text)
        files = files.filter(Q(name__icontains=text) | Q(task_id__icontains=text))
    return read_page(
        # What went wrong first: that is what somebody looks for.
        files.order_by("-errors", "-warnings", "pk"),
        page,
        size=LINES_A_PAGE,
        show=lambda file: ReportLine(file, read_findings(json.loads(file.problems))),
    )


def read_findings(data: Iterable[dict[str, Any]]) -> list[ShownFinding]:
    """Findings as rows keep them."""
    return [ShownFinding(each.get("severity", "error"), problem_from_data(each)) for each in data]


def report_data(upload: Upload) -> dict[str, Any]:
    """All of an upload's report. Three queries."""
    return {
        "upload": str(upload.pk),
        "name": upload.name,
        "state": upload.state,
        "sha256": upload.digest,
        "description": upload.description,
        "totals": upload.summary,
        "findings": [_finding(each) for each in read_findings(upload.problems)],
        "files": [
            {
                "name": file.name,
                "sample": file.sample,
                "size": file.size,
                "verdict": file.verdict,
                "format": file.format,
                "task": file.task_id,
                "attempt": file.number,
                "matched_by": file.matched_by,
                "findings": [_finding(each) for each in read_findings(json.loads(file.problems))],
            }
            for file in upload.files.all()
        ],
        "parts": [
            {"upload": str(part.pk), "part": part.part, "state": part.state} for part in parts_of(upload)
        ],
    }


def _finding(found: ShownFinding) -> dict[str, str]:
    problem = found.problem
    parts = {"file": problem.file, "place": problem.place, "reason": problem.reason, "remedy": problem.remedy}
    return {"severity": found.severity, **parts}
