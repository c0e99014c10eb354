"""What is sent and answered about uploads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from leaderboard.core.endpoints.paging import Paging
from leaderboard.core.endpoints.schemas import FindingOut
from leaderboard.domain.uploads import UploadState

FORM = (
    "All optional: `benchmark` and `set` (slugs), `agent`, `model`, `notes`, `links` (a list of `label` and "
    "`url`), `cost` (US dollars), `email` (whether to be told when checking ends), `webhook` (an address "
    "to tell)."
)


class UploadIn(Schema):
    """A file that is to be sent: an archive, or a single result file."""

    name: str = Field(max_length=1000, description="The file's name as its owner knows it.")
    size: int = Field(ge=0, description="Bytes in all.")
    form: dict[str, Any] = Field({}, description=FORM)
    team: str = Field("", description="The slug of the team that will own the entry; your own if empty.")
    entry: str = Field("", description="The slug of a draft whose files it replaces.")
    previous: str = Field("", description="The slug of a published entry that it is to be a new version of.")


class FormIn(Schema):
    """What is said beside the files."""

    form: dict[str, Any] = Field(description=FORM)


class UploadsIn(Paging):
    """Which uploads are asked for."""

    state: UploadState | None = Field(None, description="Only those in this state.")
    sha256: str = Field("", description="Only those of these bytes.")


class PartOut(Schema):
    """One of several entries in an archive: an upload of its own."""

    part: str
    state: UploadState
    entry: str | None
    entry_state: str | None
    url: str


class UploadOut(Schema):
    """A file on its way to an entry."""

    id: str
    team: str
    name: str
    size: int
    received: int = Field(description="Bytes that have arrived.")
    sha256: str | None = Field(description="Null until all of it is there.")
    state: UploadState
    progress: dict[str, Any] = Field(description="While it is checked: `phase`, `done`, `total`.")
    form: dict[str, Any]
    description: dict[str, Any] = Field(
        description="The form and `entry.yaml` together, as checking found them."
    )
    summary: dict[str, Any] = Field(description="Totals of the report.")
    entry: str | None = Field(description="The draft made of it, or the entry it has become.")
    entry_state: str | None
    previous: str | None
    parent: str | None = Field(description="The address of the archive that it is one of several entries in.")
    part: str = Field(description="Its folder in that archive.")
    parts: list[PartOut] = Field(description="The entries in an archive of several, each an upload.")
    created: datetime
    queued: datetime | None
    ended: datetime | None
    url: str
    report: str
    page: str


class ReportLine(Schema):
    """What checking found of one file."""

    name: str
    size: int
    verdict: str = Field(description="`used`, `passed over` or `refused`.")
    format: str
    task_id: str
    matched_by: str = Field(description="What its task was told by.")
    number: int | None = Field(description="Which attempt at the task.")
    errors: int
    warnings: int
    findings: list[FindingOut]
    attempt: str | None = Field(description="The attempt that was made of it.")


class ReportOut(Schema):
    """What checking found. The findings of an upload as a whole come with every page of its files."""

    upload: str
    state: UploadState
    summary: dict[str, Any]
    findings: list[FindingOut]
    items: list[ReportLine]
    next: str | None


class ReportIn(Paging):
    """Which files of a report are asked for."""

    only: Literal["", "errors", "warnings"] = Field("", description="Only files that have some.")
    verdict: Literal["", "used", "passed over", "refused"] = Field("", description="Only files with it.")


class PublishIn(Schema):
    """What whoever publishes says yes to."""

    leaving_out: bool = Field(
        False, description="Publish although files were refused, without their results."
    )
    secrets_acknowledged: bool = Field(
        False, description="Publish although something in the files looks like a secret."
    )
