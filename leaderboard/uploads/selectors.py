"""Read uploads and their reports for pages and the API."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from leaderboard.core.pages import Page, read_page
from leaderboard.core.workers import live_workers
from leaderboard.domain.entries import EntryState
from leaderboard.domain.text import storable
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload, UploadedFile

UNPUBLISHED: Final = Q(entry=None) | Q(entry__state=EntryState.DRAFT)
"""Uploads of which no entry was published yet."""
LINES_A_PAGE: Final = 100
UPLOADS_SHOWN: Final = 50
FILTERS: Final[dict[str, Q]] = {
    "errors": Q(errors__gt=0),
    "warnings": Q(warnings__gt=0),
    "passed": Q(verdict=UploadedFile.Verdict.PASSED_OVER),
}
"""Filters of a report by their name in the query."""


NO_WORKER: Final = "No worker of the site is alive, so uploads wait to be checked."


def waits_for(upload: Upload) -> str:
    """Why checking an upload does not begin or go on, as a sentence; empty if nothing is wrong. One query."""
    unchecked = upload.state in (UploadState.QUEUED, UploadState.CHECKING)
    return NO_WORKER if unchecked and not live_workers().exists() else ""


def latest_uploads(uploads: QuerySet[Upload]) -> list[Upload]:
    """The newest of these uploads with the relations that lists show. One query."""
    return list(uploads.select_related("team", "entry__agent", "created_by", "parent")[:UPLOADS_SHOWN])


def moved_upload(uploads: QuerySet[Upload], pk: UUID) -> Upload | None:
    """The one of these uploads that has taken the place of the deleted one with this key. One query."""
    return uploads.filter(former=pk).first()


def parts_of(upload: Upload) -> list[Upload]:
    """The entries of an archive with several, by folder, with the relations that lists show. One query."""
    return list(upload.parts.select_related("entry__agent", "entry__task_set").order_by("part"))


def uploads_with_bytes(uploads: QuerySet[Upload], digest: str) -> QuerySet[Upload]:
    """Those of ``uploads`` with this SHA-256, except those whose entries are all withdrawn.

    A withdrawal is permanent, so sending the same bytes again makes a new entry.
    """
    others = Upload.objects.exclude(entry__state=EntryState.WITHDRAWN).exclude(parent=None).values("parent")
    all_withdrawn = Q(entry__state=EntryState.WITHDRAWN) | (~Q(parts=None) & ~Q(pk__in=others))
    # In a subquery, since the join with parts would duplicate rows.
    withdrawn = Upload.objects.filter(all_withdrawn, digest=digest).values("pk")
    return uploads.filter(digest=digest).exclude(pk__in=withdrawn)


def with_kept_files() -> Q:
    """Uploads whose files are kept: unpublished, and not an archive whose entries are all published."""
    open_parts = Upload.objects.filter(UNPUBLISHED).exclude(parent=None)
    return UNPUBLISHED & (Q(parts=None) | Q(pk__in=open_parts.values("parent")))


def report_page(upload: Upload, *, show: str = "", text: str = "", page: int = 1) -> Page[UploadedFile]:
    """A page of an upload's report, filtered by ``show`` (of `FILTERS`) and by ``text`` in file or task."""
    files = upload.files.filter(FILTERS.get(show, Q())).select_related("attempt")
    if text:
        text = storable(text)
        files = files.filter(Q(name__icontains=text) | Q(task_id__icontains=text))
    return read_page(
        # Files with errors first: those are what a submitter looks for.
        files.order_by("-errors", "-warnings", "pk"),
        page,
        size=LINES_A_PAGE,
        show=lambda file: file,
    )


def report_data(upload: Upload) -> dict[str, Any]:
    """An upload's whole report as JSON. Three queries."""
    return {
        "upload": str(upload.pk),
        "name": upload.name,
        "state": upload.state,
        "sha256": upload.digest,
        "description": upload.description,
        "totals": upload.summary,
        "findings": [finding.as_data() for finding in upload.findings],
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
                "findings": [finding.as_data() for finding in file.findings],
            }
            for file in upload.files.all()
        ],
        "parts": [
            {"upload": str(part.pk), "part": part.part, "state": part.state} for part in parts_of(upload)
        ],
    }
