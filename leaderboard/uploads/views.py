"""Sending files, and an upload's page: its progress, its report, and what its owners do with it."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, cast
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.numbers import page_number, whole_number
from leaderboard.core.permissions import check_can_edit_entry, visible_entries, visible_uploads
from leaderboard.core.teams import personal_team
from leaderboard.domain.errors import InputError, InputErrors, WrongOffset
from leaderboard.domain.uploads import ENDED, RECHECKABLE, UploadState
from leaderboard.models import Entry, Upload
from leaderboard.uploads.form_files import Bundle
from leaderboard.uploads.forms import DescriptionForm, UploadForm, carried_over, description_of, missing_of
from leaderboard.uploads.selectors import (
    FILTERS,
    find_interrupted,
    latest_uploads,
    parts_of,
    read_findings,
    report_data,
    report_page,
)
from leaderboard.uploads.services import (
    append_chunk,
    describe_upload,
    discard_upload,
    recheck_upload,
    start_upload,
)
from leaderboard.uploads.webhooks import webhook_key

if TYPE_CHECKING:
    from django.contrib.auth.models import User


READ_AT_ONCE = 1 << 18
ROOM_FOR_FIELDS = 1 << 20
"""Bytes that a form may have beside its files."""


# Django would read all of a form to look for its token, however much that is: what is too large, or nobody's,
# is sent away before.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def submit(request: HttpRequest) -> HttpResponse:
    """Your uploads, and the form to send files; ``?replace=`` and ``?after=`` name an entry they are for."""
    if _length(request) > (settings.SUPERBOARD_MAX_UPLOAD_MB << 20) + ROOM_FOR_FIELDS:
        return _too_large(request)
    return _submit(request)


@csrf_protect
def _submit(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = UploadForm(request.POST or None, user=user, team=personal_team(user))
    by_script = request.headers.get("Accept") == "application/json"
    if request.method == "POST":
        try:
            if form.is_valid():
                upload = _announce(request, form) if by_script else _take_whole(request, form)
                return _begun(upload) if by_script else redirect(upload)
        except InputErrors as refused:
            for problem in refused.problems:
                form.add_error(None, str(problem))
        except InputError as refused:
            form.add_error(None, str(refused))
        if by_script:
            said = [text for texts in form.errors.values() for text in texts]
            return JsonResponse({"problems": said}, status=HTTPStatus.BAD_REQUEST)
    replaces, continues = _named_entry(request, "replace"), _named_entry(request, "after")
    context = {
        "task_sets": all_task_sets(),
        "form": form,
        "uploads": latest_uploads(visible_uploads(user)),
        "replaces": replaces,
        "continues": continues,
        "carried": carried_over(of) if (of := replaces or continues) else [],
        "max_megabytes": settings.SUPERBOARD_MAX_UPLOAD_MB,
    }
    status = HTTPStatus.BAD_REQUEST if form.errors else HTTPStatus.OK
    return render(request, "uploads/submit.html", context, status=status)


@require_http_methods(["GET", "HEAD", "PATCH"])
@login_required
def receive(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take the next piece of an upload: its body, from the byte that the header Upload-Offset says.

    The answer's Upload-Offset is where to go on; with 409 the piece began somewhere else. GET asks for it.
    """
    upload = get_object_or_404(visible_uploads(request.user), pk=pk)
    if request.method == "PATCH":
        offset = whole_number(request.headers.get("Upload-Offset", ""))
        try:
            upload = append_chunk(upload, offset=-1 if offset is None else offset, chunks=_pieces(request))
            _tell_of_another(request, upload, sent=pk)
        except WrongOffset as wrong:
            return _offset(wrong.received, status=HTTPStatus.CONFLICT)
        except InputError as refused:
            return JsonResponse({"problems": [str(refused)]}, status=HTTPStatus.BAD_REQUEST)
        except UnreadablePostError:
            # The connection is gone, and with it whoever would read an answer; what arrived is counted.
            return HttpResponse(status=HTTPStatus.BAD_REQUEST)
    answer = _offset(upload.received)
    answer["Location"] = upload.get_absolute_url()
    return answer


def _announce(request: HttpRequest, form: UploadForm) -> Upload:
    """Begin an upload whose bytes the page's script will send, or find the one it had begun."""
    team, name, mark = form.cleaned_data["team"], request.POST.get("name", ""), request.POST.get("mark", "")
    size = whole_number(request.POST.get("size", "")) or 0
    begun = find_interrupted(visible_uploads(request.user), team=team, name=name, size=size, mark=mark)
    return begun or _start(request, form, name=name, size=size, mark=mark)


def _take_whole(request: HttpRequest, form: UploadForm) -> Upload:
    """Take what a plain form has sent: one file, or several, which become one archive."""
    with Bundle(request.FILES.getlist("files")) as bundle:
        upload = _start(request, form, name=bundle.name, size=bundle.size, mark="")
        taken = append_chunk(upload, offset=0, chunks=bundle.chunks())
    _tell_of_another(request, taken, sent=upload.pk)
    return taken


def _tell_of_another(request: HttpRequest, upload: Upload, *, sent: UUID) -> None:
    """Say on the page of an earlier upload of the same bytes why that is where one is."""
    if upload.pk == sent:
        return
    messages.info(
        request, "These very bytes were sent before: this is that upload. What you filled in was not used."
    )
    if upload.is_open and upload.state in ENDED:
        messages.info(request, "“Change what is said about it”, below, is the place for that.")


def _start(request: HttpRequest, form: UploadForm, *, name: str, size: int, mark: str) -> Upload:
    entry, previous = _named_entry(request, "replace"), _named_entry(request, "after")
    of = entry or previous
    return start_upload(
        team=of.team if of and of.team else form.cleaned_data["team"],
        user=cast("User", request.user),
        name=name,
        size=size,
        form=form.description(),
        entry=entry,
        previous=previous,
        mark=mark,
    )


def _named_entry(request: HttpRequest, name: str) -> Entry | None:
    """The entry of one's own that the address names; nothing where it names none.

    Raises:
        PermissionDenied: it is somebody else's. What was meant for it must not become a draft of its own.
    """
    slug = request.GET.get(name, "")
    if not slug:
        return None
    entries = visible_entries(request.user).select_related("agent", "team", "task_set__benchmark")
    entry = get_object_or_404(entries, slug=slug)
    check_can_edit_entry(request.user, entry)
    return entry


def _begun(upload: Upload) -> JsonResponse:
    where = {"page": upload.get_absolute_url(), "bytes": f"{upload.get_absolute_url()}bytes/"}
    return JsonResponse({**where, "received": upload.received}, status=HTTPStatus.CREATED)


def _offset(received: int, status: int = HTTPStatus.OK) -> HttpResponse:
    answer = HttpResponse(status=status)
    answer["Upload-Offset"] = str(received)
    answer["Cache-Control"] = "no-store"
    return answer


def _pieces(request: HttpRequest) -> Iterator[bytes]:
    while piece := request.read(READ_AT_ONCE):
        yield piece


def _length(request: HttpRequest) -> int:
    return whole_number(str(request.META.get("CONTENT_LENGTH") or "")) or 0


def _too_large(request: HttpRequest) -> HttpResponse:
    most = settings.SUPERBOARD_MAX_UPLOAD_MB
    context = {
        "task_sets": all_task_sets(),
        "title": "Too large",
        "reason": f"These files have more than {most} MB (SUPERBOARD_MAX_UPLOAD_MB). Send a smaller archive.",
    }
    return render(request, "uploads/too_large.html", context, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


TEXT_LENGTH = 200


@require_safe
@login_required
@vary_on_headers("HX-Request")
def upload(request: HttpRequest, pk: UUID) -> HttpResponse:
    """How far an upload is, or its report; ``?show=``, ``?q=`` and ``?page=`` narrow that."""
    shown = _upload(request, pk)
    parts = parts_of(shown)
    ended = shown.state in ENDED and all(part.state in ENDED for part in parts)
    if request.htmx and ended:  # type: ignore[attr-defined]
        # The report is all of the page: whoever was watching gets it whole.
        return HttpResponse(headers={"HX-Refresh": "true"})
    show, text = request.GET.get("show", ""), request.GET.get("q", "")[:TEXT_LENGTH]
    context = {
        "task_sets": all_task_sets(),
        "upload": shown,
        "parts": parts,
        "ended": ended,
        "percent": _percent(shown, parts),
        "findings": read_findings(shown.problems),
        "report": report_page(shown, show=show, text=text, page=page_number(request.GET)),
        "filters": list(FILTERS),
        "show": show if show in FILTERS else "",
        "text": text,
        "missing": missing_of(shown) if shown.state == UploadState.INCOMPLETE else [],
        "form": DescriptionForm(initial=description_of(shown)),
        "open": shown.is_open and (not parts or any(part.is_open for part in parts)),
        "can_recheck": shown.state in RECHECKABLE,
        "key": webhook_key(shown.team) if "webhook" in shown.form else "",
    }
    template = "uploads/upload.html" + ("#live" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@login_required
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """All of a report as a file."""
    shown = _upload(request, pk)
    answer = JsonResponse(report_data(shown), json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="report-{shown.pk}.json"'
    return answer


@require_POST
@login_required
def act(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Describe an upload, have it checked again, or discard it, as ``action`` says."""
    shown = _upload(request, pk)
    user = cast("User", request.user)
    try:
        match request.POST.get("action"):
            case "describe":
                form = DescriptionForm(request.POST)
                if form.is_valid():
                    describe_upload(shown, form=form.description(), user=user)
                for text in (text for texts in form.errors.values() for text in texts):
                    messages.error(request, str(text))
            case "recheck":
                recheck_upload(shown, user=user)
            case "discard":
                discard_upload(shown, user=user)
                messages.info(request, f"“{shown.name}” is discarded.")
                return redirect("submit")
            case _:
                messages.error(request, "This is nothing that can be done with an upload.")
    except InputError as error:
        messages.error(request, str(error))
    return redirect(shown)


def _upload(request: HttpRequest, pk: UUID) -> Upload:
    related = ("team", "entry__agent", "entry__task_set__benchmark", "previous__agent", "created_by")
    return get_object_or_404(visible_uploads(request.user).select_related("parent", *related), pk=pk)


def _percent(upload: Upload, parts: list[Upload]) -> int:
    """How much of what happens now is done."""
    if parts and upload.state in ENDED:
        return sum(part.state in ENDED for part in parts) * 100 // len(parts)
    if upload.state == UploadState.RECEIVING:
        return upload.received * 100 // upload.size
    done, total = upload.progress.get("done", 0), upload.progress.get("total", 0)
    return min(done * 100 // total, 100) if total else 0
