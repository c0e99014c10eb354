"""Request and response bodies of the API operations on uploads."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Field, Schema
from pydantic import BeforeValidator

from leaderboard.core.endpoints.paging import Paging
from leaderboard.core.endpoints.schemas import EMPTY_AS_NULL, FindingOut, attribute, link_to
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload
from leaderboard.uploads.selectors import waits_for

FORM = (
    "All optional: `benchmark` and `set` (slugs), `agent`, `model`, `notes`, "
    f"`model_openness` ({', '.join(f'`{each}`' for each in ModelOpenness)}), "
    f"`scaffold_openness` ({', '.join(f'`{each}`' for each in ScaffoldOpenness)}), `code` (the address of "
    "the agent's code), `links` (a list of `label` and `url`), `cost` (US dollars), `evaluated` and "
    "`released` (days as `2026-05-31`: of the attempts, and of the agent's release), "
    "`email` (whether to send you an e-mail when checking ends), `webhook` (an address that gets a "
    "POST then)."
)


class UploadIn(Schema):
    """A file to send: an archive, or a single result file."""

    name: str = Field(max_length=1000, description="The file's name on the sender's machine.")
    size: int = Field(ge=0, description="Size of the whole file in bytes.")
    form: dict[str, Any] = Field({}, description=FORM)
    team: str = Field(
        "", description="The slug or name of the team that will own the entry; your own if empty."
    )
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
    entry: Annotated[str | None, attribute("slug")]
    entry_state: Annotated[str | None, attribute("state")] = Field(validation_alias="entry")
    url: Annotated[str, link_to("upload")] = Field(validation_alias="pk")


class UploadOut(Schema):
    """A file that was sent, or is being sent, to become an entry."""

    id: Annotated[str, BeforeValidator(str)]
    team: str = Field(validation_alias="team.slug")
    name: str
    size: int
    received: int = Field(description="Bytes received.")
    sha256: Annotated[str | None, EMPTY_AS_NULL] = Field(
        validation_alias="digest", description="Null until the whole file was received."
    )
    state: UploadState
    progress: dict[str, Any] = Field(description="During checking: `phase`, `done`, `total`.")
    waits_for: str = Field(
        description="Why checking does not go on, as a sentence; empty if nothing is wrong."
    )
    form: dict[str, Any]
    description: dict[str, Any] = Field(
        description="The form combined with `entry.yaml`, from the last check."
    )
    summary: dict[str, Any] = Field(description="Totals of the report.")
    entry: Annotated[str | None, attribute("slug")] = Field(
        description="The draft made from it, or the published entry."
    )
    entry_state: Annotated[str | None, attribute("state")] = Field(validation_alias="entry")
    previous: Annotated[str | None, attribute("slug")]
    parent: Annotated[str | None, link_to("upload")] = Field(
        validation_alias="parent_id",
        description="The address of the archive with several entries that it is part of.",
    )
    part: str = Field(description="Its folder in that archive.")
    parts: list[PartOut] = Field(
        description="The entries of an archive with several, each an upload of its own."
    )
    created: datetime
    queued: datetime | None
    ended: datetime | None
    resume: datetime | None = Field(
        description="When a check that was put off goes on by itself; null if it waits for an operator."
    )
    url: Annotated[str, link_to("upload")] = Field(validation_alias="pk")
    report: Annotated[str, link_to("report")] = Field(validation_alias="pk")
    page: str = Field(validation_alias="get_absolute_url")

    @staticmethod
    def resolve_waits_for(upload: Upload) -> str:
        return waits_for(upload)


class AllowanceOut(Schema):
    """The checks that a team has left against the gold answers of a task set, within 24 hours."""

    team: str = Field(validation_alias="team.slug")
    task_set: str = Field(validation_alias="task_set.key")
    left: int
    of: int = Field(validation_alias="most")
    again: datetime | None = Field(description="When one more is allowed than now.")


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
    attempt: Annotated[str | None, link_to("attempt")] = Field(
        validation_alias="attempt_id", description="The attempt made from it."
    )


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
    replaces: str = Field(
        "",
        description="The slug of the published entry that it replaces, as the draft's preview says. Needed "
        "if there is one.",
    )
