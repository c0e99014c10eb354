"""Request and response bodies of the API operations on uploads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from leaderboard.core.endpoints.paging import Paging
from leaderboard.core.endpoints.schemas import FindingOut
from leaderboard.domain.uploads import UploadState

FORM = (
    "All optional: `benchmark` and `set` (slugs), `agent`, `model`, `notes`, `links` (a list of `label` and "
    "`url`), `cost` (US dollars), `email` (whether to send you an e-mail when checking ends), `webhook` "
    "(an address that gets a POST then)."
)


class UploadIn(Schema):
    """A file to send: an archive, or a single result file."""

    name: str = Field(max_length=1000, description="The file's name on the sender's machine.")
    size: int = Field(ge=0, description="Size of the whole file in bytes.")
    form: dict[str, Any] = Field({}, description=FORM)
    team: str = Field("", description="The slug of the team that will own the entry; your own if empty.")
    entry: str = Field("", description="The slug of a draft whose files this upload replaces.")
    previous: str = Field(
        "", description="The slug of a published entry; this upload becomes a new version of it."
    )


class FormIn(Schema):
    """The description of the entry, and notices to send."""

    form: dict[str, Any] = Field(description=FORM)


class UploadsIn(Paging):
    """Filters of the list of uploads."""

    state: UploadState | None = Field(None, description="Only uploads in this state.")
    sha256: str = Field("", description="Only uploads of the file with this SHA-256.")


class PartOut(Schema):
    """One of several entries in an archive: an upload of its own."""

    part: str
    state: UploadState
    entry: str | None
    entry_state: str | None
    url: str


class UploadOut(Schema):
    """A file that was sent, or is being sent, to become an entry."""

    id: str
    team: str
    name: str
    size: int
    received: int = Field(description="Bytes received.")
    sha256: str | None = Field(description="Null until the whole file was received.")
    state: UploadState
    progress: dict[str, Any] = Field(description="During checking: `phase`, `done`, `total`.")
    form: dict[str, Any]
    description: dict[str, Any] = Field(
        description="The form combined with `entry.yaml`, from the last check."
    )
    summary: dict[str, Any] = Field(description="Totals of the report.")
    entry: str | None = Field(description="The draft made from it, or the published entry.")
    entry_state: str | None
    previous: str | None
    parent: str | None = Field(
        description="The address of the archive with several entries that it is part of."
    )
    part: str = Field(description="Its folder in that archive.")
    parts: list[PartOut] = Field(
        description="The entries of an archive with several, each an upload of its own."
    )
    created: datetime
    queued: datetime | None
    ended: datetime | None
    url: str
    report: str
    page: str


class ReportLine(Schema):
    """What checking found in one file."""

    name: str
    size: int
    verdict: str = Field(description="`used`, `passed over` or `refused`.")
    format: str
    task_id: str
    matched_by: str = Field(description="What named its task: `id`, `folder`, `name` or `metadata`.")
    number: int | None = Field(description="Which attempt at the task.")
    errors: int
    warnings: int
    findings: list[FindingOut]
    attempt: str | None = Field(description="The attempt made from it.")


class ReportOut(Schema):
    """The report of a check. Findings about the whole upload are repeated on every page of its files."""

    upload: str
    state: UploadState
    summary: dict[str, Any]
    findings: list[FindingOut]
    items: list[ReportLine]
    next: str | None


class ReportIn(Paging):
    """Filters of the files in a report."""

    only: Literal["", "errors", "warnings"] = Field(
        "", description="Only files with errors, or with warnings."
    )
    verdict: Literal["", "used", "passed over", "refused"] = Field(
        "", description="Only files with this verdict."
    )


class PublishIn(Schema):
    """What the publisher accepts."""

    leaving_out: bool = Field(False, description="Publish without the results of refused files.")
    secrets_acknowledged: bool = Field(
        False, description="Publish although something in the files looks like a secret."
    )
