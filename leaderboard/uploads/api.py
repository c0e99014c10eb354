"""API operations on uploads: start, send, read, describe, check again, publish, discard."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from ninja import Query
from ninja.params import functions as parameters

from leaderboard.core.endpoints.callers import ApiRequest, Caller, require_scope
from leaderboard.core.endpoints.paging import Page, read_cursor_page
from leaderboard.core.endpoints.problems import Refusal
from leaderboard.core.endpoints.routers import UPLOADS, reads
from leaderboard.core.permissions import check_can_edit_entry, teams_of, visible_uploads
from leaderboard.core.teams import personal_team
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import Problem
from leaderboard.domain.text import storable
from leaderboard.entries.api import EntryOut, find_entry
from leaderboard.entries.services import publish_entry
from leaderboard.models import Entry, Team, Upload
from leaderboard.uploads import services
from leaderboard.uploads.gold_budget import Allowance, allowances
from leaderboard.uploads.schemas import (
    AllowanceOut,
    FormIn,
    PublishIn,
    ReportIn,
    ReportOut,
    UploadIn,
    UploadOut,
    UploadsIn,
)
from leaderboard.uploads.selectors import moved_upload, uploads_with_bytes

READ_AT_ONCE = 1 << 20
"""Bytes of a chunk that are in memory at a time."""
ONE = "/uploads/{uuid:pk}"
CHUNK_TYPE = "application/offset+octet-stream"
OFFSET = parameters.Header(
    ..., ge=0, alias="Upload-Offset", description="The offset of the chunk's first byte."
)
CHUNK = {"content": {CHUNK_TYPE: {"schema": {"type": "string", "format": "binary"}}}, "required": True}


@UPLOADS.post("/uploads", auth=require_scope(Scope.SUBMIT), response={201: UploadOut})
def start(request: ApiRequest, body: UploadIn, response: HttpResponse) -> Upload:
    """Start an upload.

    Give the file's name and size, and a description of the entry; an `entry.yaml` among the files fills in
    what is missing. Send the bytes to the answer's `Location`.
    """
    caller = request.caller
    entry, previous = _own_entry(caller, body.entry), _own_entry(caller, body.previous)
    of = entry or previous
    upload = services.start_upload(
        team=_team(caller, body.team, of),
        user=caller.user,
        name=body.name,
        size=body.size,
        form=body.form,
        entry=entry,
        previous=previous,
    )
    response["Location"] = reverse("api:upload", args=(upload.pk,))
    response["Upload-Offset"] = "0"
    return upload


@reads(UPLOADS, "/uploads", auth=require_scope(Scope.READ), response=Page[UploadOut])
def uploads(request: ApiRequest, query: Query[UploadsIn]) -> dict[str, Any]:
    """List uploads.

    Those of your teams, the newest first. Filter by `sha256` to find out whether a file was uploaded already;
    uploads whose entries were withdrawn are not listed then.
    """
    listed = _with_relations(visible_uploads(request.caller.user))
    if query.state:
        listed = listed.filter(state=query.state)
    if query.sha256:
        listed = uploads_with_bytes(listed, storable(query.sha256))
    rows, following = read_cursor_page(request, query, listed, order=("-created", "pk"))
    return {"items": rows, "next": following}


@reads(UPLOADS, "/gold-checks", auth=require_scope(Scope.READ), response=list[AllowanceOut])
def gold_checks(request: ApiRequest) -> list[Allowance]:
    """Read how many checks are left.

    Checks that compare answers with gold answers are limited for each team, user and task set within 24
    hours. Lists the sets with such a check; against the others all are left.
    """
    user = request.caller.user
    return allowances(user, list(teams_of(user)))


@UPLOADS.get(ONE, auth=require_scope(Scope.READ), response=UploadOut)
def upload(request: ApiRequest, pk: UUID) -> Upload:
    """Read an upload.

    The bytes received, the progress of checking, and totals of the report.
    """
    return find_upload(request.caller, pk)


@UPLOADS.api_operation(["HEAD"], ONE, auth=require_scope(Scope.READ), response={200: None})
def offset(request: ApiRequest, pk: UUID, response: HttpResponse) -> None:
    """Ask how many bytes of an upload were received.

    `Upload-Offset` is the offset of the next byte to send.
    """
    found = find_upload(request.caller, pk)
    response["Upload-Offset"] = str(found.received)
    response["Upload-Length"] = str(found.size)
    response["Cache-Control"] = "no-store"


@UPLOADS.patch(
    ONE, auth=require_scope(Scope.SUBMIT), response={204: None}, openapi_extra={"requestBody": CHUNK}
)
def send(
    request: ApiRequest,
    pk: UUID,
    response: HttpResponse,
    upload_offset: Annotated[int, OFFSET],
) -> None:
    """Send the next bytes of an upload.

    A chunk may have any size. The answer's `Upload-Offset` is the number of bytes received. A chunk at
    another offset is refused with 409, and nothing is written. With its last byte the upload is queued to be
    checked. If your team has sent the same bytes before, this upload is deleted and `Location` is the earlier
    one.
    """
    found = find_upload(request.caller, pk)
    if request.content_type != CHUNK_TYPE:
        raise Refusal("wrong-type", headers={"Accept-Patch": CHUNK_TYPE})
    if not request.META.get("CONTENT_LENGTH"):
        raise Refusal("length-required")
    # The body as it arrives, never all of it in memory.
    chunks = iter(lambda: request.read(READ_AT_ONCE), b"")
    now = services.append_chunk(found, offset=upload_offset, chunks=chunks)
    response["Upload-Offset"] = str(now.received)
    if now.pk != found.pk:
        response["Location"] = reverse("api:upload", args=(now.pk,))


@UPLOADS.post(f"{ONE}/describe", auth=require_scope(Scope.SUBMIT), response=UploadOut)
def describe(request: ApiRequest, pk: UUID, body: FormIn) -> Upload:
    """Change an upload's description.

    Fields that are left out keep their values. An upload that was checked is checked again.
    """
    found = find_upload(request.caller, pk)
    return services.describe_upload(found, form=body.form, user=request.caller.user)


@UPLOADS.post(f"{ONE}/recheck", auth=require_scope(Scope.SUBMIT), response=UploadOut)
def recheck(request: ApiRequest, pk: UUID) -> Upload:
    """Check an upload again.

    When checking ends, the new report and draft replace the old ones.
    """
    return services.recheck_upload(find_upload(request.caller, pk), user=request.caller.user)


@UPLOADS.delete(ONE, auth=require_scope(Scope.SUBMIT), response={204: None})
def discard(request: ApiRequest, pk: UUID) -> None:
    """Discard an upload.

    Deletes its files and its draft, but not a published entry.
    """
    services.discard_upload(find_upload(request.caller, pk), user=request.caller.user)


def find_upload(caller: Caller, pk: UUID) -> Upload:
    """An upload of the caller's teams, or for operators of any team; else `Http404`.

    Raises:
        Refusal: another upload has taken its place; says which.
    """
    found = _with_relations(visible_uploads(caller.user)).filter(pk=pk).first()
    if found is None:
        if moved := moved_upload(visible_uploads(caller.user), pk):
            address = reverse("api:upload", args=(moved.pk,))
            raise Refusal("gone", f"Another upload has replaced it: {address}", headers={"Location": address})
        raise Http404("There is no such upload, or it was discarded.")
    return found


def _with_relations(uploads: QuerySet[Upload]) -> QuerySet[Upload]:
    """Load what `UploadOut` reads, in two queries."""
    parts = Prefetch("parts", Upload.objects.select_related("entry").order_by("part"))
    return uploads.select_related("entry", "team", "previous").prefetch_related(parts)


def _own_entry(caller: Caller, slug: str) -> Entry | None:
    if not slug:
        return None
    entry = find_entry(caller, storable(slug))
    check_can_edit_entry(caller.user, entry)
    return entry


def _team(caller: Caller, name: str, of: Entry | None) -> Team:
    """The team that owns an upload: that of the entry it is for, or the one with this slug or name."""
    own = of.team if of else None
    if not name:
        return own or personal_team(caller.user)
    teams = list(teams_of(caller.user))
    by_name = {text: team for team in teams for text in (team.name.casefold(), team.slug)}
    team = next((each for each in teams if each.slug == name), by_name.get(name.strip().casefold()))
    if own and team != own:
        reason = f"the entry that it is for belongs to {own}, and so will these files"
        raise Refusal("unusable", problems=(Problem("body", "$.team", reason, "leave out the team"),))
    if team is None:
        mine = ", ".join(f"{each.name} ({each.slug})" for each in teams)
        reason = f"you are in no team called “{name[:100]}”"
        raise Refusal("unusable", problems=(Problem("body", "$.team", reason, f"your teams are: {mine}"),))
    return team


@reads(UPLOADS, f"{ONE}/report", auth=require_scope(Scope.READ), response=ReportOut)
def report(request: ApiRequest, pk: UUID, query: Query[ReportIn]) -> dict[str, Any]:
    """Read the report on an upload.

    What was found in each file, with place, reason and remedy; complete once checking has ended.
    """
    upload = find_upload(request.caller, pk)
    files = upload.files.all()
    if query.only:
        files = files.filter(**{f"{query.only}__gt": 0})
    if query.verdict:
        files = files.filter(verdict=query.verdict)
    rows, following = read_cursor_page(request, query, files, order=("pk",))
    return {
        "upload": str(upload.pk),
        "state": upload.state,
        "summary": upload.summary,
        "findings": upload.findings,
        "items": rows,
        "next": following,
    }


@UPLOADS.post(f"{ONE}/publish", auth=require_scope(Scope.SUBMIT), response=EntryOut)
def publish(request: ApiRequest, pk: UUID, body: PublishIn, response: HttpResponse) -> Entry:
    """Publish the draft of an upload.

    Its entry is put on the board; a new version replaces the previous one. Idempotent.
    """
    draft = find_upload(request.caller, pk).entry
    if draft is None:
        raise Refusal("conflict", "This upload has no draft. Wait until it is checked, or read its report.")
    check_can_edit_entry(request.caller.user, draft)
    entry = publish_entry(draft, user=request.caller.user, **body.dict())
    response["Location"] = reverse("api:entry", args=(entry.slug,))
    return find_entry(request.caller, entry.slug)
