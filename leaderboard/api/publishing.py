"""From a report to a published entry, and back."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from ninja import Field, Query, Schema

from leaderboard.api.callers import ApiRequest, needs
from leaderboard.api.entries import entry_data
from leaderboard.api.paging import take_page
from leaderboard.api.problems import Refusal, problem_data
from leaderboard.api.reading import find_entry, reads
from leaderboard.api.routers import ENTRIES, UPLOADS
from leaderboard.api.schemas import EntryOut
from leaderboard.api.upload_schemas import PublishIn, ReportIn, ReportOut
from leaderboard.api.uploads import ONE, find_upload
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import problem_from_data
from leaderboard.models import UploadedFile
from leaderboard.permissions import check_can_edit_entry
from leaderboard.selectors.drafts import MetricPreview, rank_preview
from leaderboard.services.publishing import publish_entry, withdraw_entry


class MetricOut(Schema):
    """Where a draft would stand by one metric."""

    metric: str
    value: float | None
    rank: int | None
    of: int = Field(description="How many entries would have a value, this one included.")
    equal: int = Field(description="How many others have the same value.")


class PreviewOut(Schema):
    """Where a draft would rank if it were published now."""

    entry: str
    tasks: int
    attempted: int
    replaces: str | None = Field(description="The version that would leave the board for it.")
    metrics: list[MetricOut]


class WithdrawIn(Schema):
    """Why an entry is taken back."""

    reason: str = Field(description="For everybody to read.")


@reads(UPLOADS, f"{ONE}/report", auth=needs(Scope.READ), response=ReportOut)
def report(request: ApiRequest, pk: UUID, query: Query[ReportIn]) -> dict[str, Any]:
    """Read the report on an upload.

    File by file what was found, with place, reason and remedy; all of it is there once checking has ended.
    """
    upload = find_upload(request.caller, pk)
    files = upload.files.all()
    if query.only:
        files = files.filter(**{f"{query.only}__gt": 0})
    if query.verdict:
        files = files.filter(verdict=query.verdict)
    rows, following = take_page(request, query, files, order=("pk",))
    return {
        "upload": str(upload.pk),
        "state": upload.state,
        "summary": upload.summary,
        "findings": [_finding(each) for each in upload.problems],
        "items": [_line(row) for row in rows],
        "next": following,
    }


@UPLOADS.post(f"{ONE}/publish", auth=needs(Scope.SUBMIT), response=EntryOut)
def publish(request: ApiRequest, pk: UUID, body: PublishIn, response: HttpResponse) -> dict[str, Any]:
    """Publish the draft of an upload.

    It goes on its board, a new version in the place of the one before. Asked for twice it is done once.
    """
    draft = find_upload(request.caller, pk).entry
    if draft is None:
        raise Refusal(
            "conflict", "This upload has no draft. Wait until it is checked, or look at its report."
        )
    check_can_edit_entry(request.caller.user, draft)
    entry = publish_entry(
        draft,
        user=request.caller.user,
        leaving_out=body.leaving_out,
        secrets_acknowledged=body.secrets_acknowledged,
    )
    response["Location"] = reverse("api:entry", args=(entry.slug,))
    return entry_data(find_entry(request.caller, entry.slug))


@reads(ENTRIES, "/entries/{slug:slug}/preview", auth=needs(Scope.READ), response=PreviewOut)
def preview(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Ask where a draft would rank.

    Metric by metric, if it were published now.
    """
    entry = find_entry(request.caller, slug)
    found = rank_preview(entry)
    return {
        "entry": entry.slug,
        "tasks": found.task_set_total,
        "attempted": found.attempted,
        "replaces": found.replaces.slug if found.replaces else None,
        "metrics": [_metric(metric) for metric in found.metrics],
    }


@ENTRIES.post("/entries/{slug:slug}/withdraw", auth=needs(Scope.SUBMIT), response=EntryOut)
def withdraw(request: ApiRequest, slug: str, body: WithdrawIn) -> dict[str, Any]:
    """Withdraw an entry.

    For good: its address stays and says why. The version before it is published again.
    """
    entry = find_entry(request.caller, slug)
    check_can_edit_entry(request.caller.user, entry)
    withdraw_entry(entry, user=request.caller.user, reason=body.reason)
    return entry_data(find_entry(request.caller, slug))


def _line(file: UploadedFile) -> dict[str, Any]:
    fields = (
        "name", "size", "verdict", "format", "task_id", "matched_by", "number", "errors", "warnings",
    )  # fmt: skip
    return {
        **{name: getattr(file, name) for name in fields},
        "findings": [_finding(each) for each in json.loads(file.problems)],
        "attempt": reverse("api:attempt", args=(file.attempt_id,)) if file.attempt_id else None,
    }


def _finding(stored: dict[str, Any]) -> dict[str, str]:
    """A stored finding, its sentences in the reader's language."""
    return {"severity": stored["severity"], **problem_data(problem_from_data(stored))}


def _metric(preview: MetricPreview) -> dict[str, Any]:
    return {
        "metric": preview.metric,
        "value": preview.figure.value if preview.figure else None,
        "rank": preview.rank,
        "of": preview.of,
        "equal": preview.equal,
    }
