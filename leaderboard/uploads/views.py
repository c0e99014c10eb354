"""The pages to send files, and to follow an upload, read its report and act on it."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.form_errors import add_refusal
from leaderboard.core.numbers import page_number
from leaderboard.core.permissions import (
    SignedInRequest,
    can_operate,
    check_can_edit_entry,
    teams_of,
    visible_entries,
    visible_uploads,
)
from leaderboard.core.teams import personal_team
from leaderboard.core.workers import WORKER_COMMAND
from leaderboard.domain.errors import InputError
from leaderboard.domain.uploads import ENDED, RECHECKABLE, UploadState
from leaderboard.models import Entry, Upload
from leaderboard.uploads import services
from leaderboard.uploads.form_files import bundled
from leaderboard.uploads.forms import (
    FIELD_OF_PLACE,
    DescriptionForm,
    UploadForm,
    inherited_values,
    initial_description,
    missing_labels,
)
from leaderboard.uploads.gold_budget import allowances
from leaderboard.uploads.sample import sample_report
from leaderboard.uploads.selectors import (
    FILTERS,
    latest_uploads,
    moved_upload,
    parts_of,
    report_data,
    report_page,
    waits_for,
)
from leaderboard.uploads.webhooks import webhook_key

REPLACED = "replaced"
"""Query parameter of an upload's page: it has taken the place of another, whose address leads here."""
SENT_BEFORE = "sent-before"
"""Query parameter of an upload's page: the sender began another upload, of the same bytes."""


# To find the CSRF token Django reads the whole form. So a form of an anonymous caller is refused before that.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The user's uploads, and the form to send files; what is needed for it, to whoever is not signed in.

    ``?replace=`` names the draft whose files they replace, ``?after=`` the entry they are a new version of.
    """
    if request.method != "POST" and not request.user.is_authenticated:
        context = {"task_sets": all_task_sets(), "max_megabytes": settings.SUPERBOARD_MAX_UPLOAD_MB}
        return render(request, "uploads/signed_out.html", context)
    return _submit(cast("SignedInRequest", request))


@login_required
@csrf_protect
def _submit(request: SignedInRequest) -> HttpResponse:
    replaces, continues = _named_entry(request, "replace"), _named_entry(request, "after")
    of = replaces or continues
    form = UploadForm(request.POST or None, user=request.user, team=personal_team(request.user), of=of)
    if request.method == "POST":
        try:
            if form.is_valid():
                return redirect(_receive_form(request, form, entry=replaces, previous=continues))
        except InputError as refused:
            add_refusal(form, refused, FIELD_OF_PLACE)
    context = {
        "task_sets": all_task_sets(),
        "form": form,
        "uploads": latest_uploads(visible_uploads(request.user)),
        "replaces": replaces,
        "continues": continues,
        "carried": inherited_values(of) if of else [],
        "max_megabytes": settings.SUPERBOARD_MAX_UPLOAD_MB,
        "max_request_megabytes": settings.SUPERBOARD_MAX_REQUEST_MB,
        "gold_checks": settings.SUPERBOARD_GOLD_CHECKS_PER_DAY,
        "allowances": allowances(request.user, list(teams_of(request.user))),
    }
    status = HTTPStatus.BAD_REQUEST if form.errors else HTTPStatus.OK
    return render(request, "uploads/submit.html", context, status=status)


def _receive_form(
    request: SignedInRequest, form: UploadForm, *, entry: Entry | None, previous: Entry | None
) -> str:
    """Receive the files of a form sent without JavaScript; returns the address of the upload's page."""
    of = entry or previous
    with bundled(request.FILES.getlist("files")) as file:
        begun = services.start_upload(
            team=of.team if of and of.team else form.cleaned_data["team"],
            user=request.user,
            name=file.name or "",
            size=file.size,
            form=form.description(),
            entry=entry,
            previous=previous,
        )
        received = services.append_chunk(begun, offset=0, chunks=file.chunks())
    page = received.get_absolute_url()
    return page if received.pk == begun.pk else f"{page}?{SENT_BEFORE}=1"


def _named_entry(request: HttpRequest, name: str) -> Entry | None:
    """The entry that the query parameter ``name`` gives, or None without the parameter.

    Raises:
        Http404: there is no such entry, or the user may not see it.
        PermissionDenied: the user may not edit it. The files must not become another draft instead.
    """
    slug = request.GET.get(name, "")
    if not slug:
        return None
    entries = visible_entries(request.user).select_related("agent", "team", "task_set__benchmark")
    entry = get_object_or_404(entries, slug=slug)
    check_can_edit_entry(request.user, entry)
    return entry


@require_safe
def sample(request: HttpRequest) -> HttpResponse:
    """A report such as every upload gets."""
    shown, lines = sample_report()
    context = {"task_sets": all_task_sets(), "upload": shown, "findings": shown.findings, "lines": lines}
    return render(request, "uploads/sample_report.html", context)


TEXT_LENGTH = 200
"""Characters of the text that a report is searched for."""


@require_safe
@login_required
@vary_on_headers("HX-Request")
def upload(request: HttpRequest, pk: UUID) -> HttpResponse:
    """An upload's progress, then its report, filtered by ``?show=``, ``?q=`` and ``?page=``.

    The address of one whose place another has taken leads there.
    """
    try:
        shown = _upload(request, pk)
    except Http404:
        moved = moved_upload(visible_uploads(request.user), pk)
        if moved is None:
            raise
        page = f"{moved.get_absolute_url()}?{REPLACED}=1"
        if request.htmx:  # type: ignore[attr-defined]
            return HttpResponse(headers={"HX-Redirect": page})
        return redirect(page)
    return _upload_page(request, shown)


def _upload_page(request: HttpRequest, shown: Upload, refused: DescriptionForm | None = None) -> HttpResponse:
    """The page of an upload; ``refused`` is the form of its description, with its errors."""
    parts = parts_of(shown)
    ended = shown.state in ENDED and all(part.state in ENDED for part in parts)
    if request.htmx and ended:  # type: ignore[attr-defined]
        # The report is on the whole page, not in the part that is polled.
        return HttpResponse(headers={"HX-Refresh": "true"})
    show, text = request.GET.get("show", ""), request.GET.get("q", "")[:TEXT_LENGTH]
    unpublished = shown.is_unpublished and (not parts or any(part.is_unpublished for part in parts))
    context = {
        "task_sets": all_task_sets(),
        "upload": shown,
        "parts": parts,
        "ended": ended,
        "percent": _percent(shown, parts),
        "waits_for": next(filter(None, map(waits_for, [shown, *parts])), ""),
        "worker_command": WORKER_COMMAND if can_operate(request.user) else "",
        "findings": shown.findings,
        "report": report_page(shown, show=show, text=text, page=page_number(request.GET)),
        "filters": list(FILTERS),
        "show": show if show in FILTERS else "",
        "text": text,
        "missing": missing_labels(shown) if shown.state == UploadState.INCOMPLETE else [],
        "form": refused or DescriptionForm(initial=initial_description(shown)),
        "open": unpublished,
        "describable": shown.state == UploadState.INCOMPLETE
        or (shown.state == UploadState.CHECKED and unpublished and not parts),
        "sent_before": SENT_BEFORE in request.GET,
        "replaced": REPLACED in request.GET,
        "can_recheck": shown.state in RECHECKABLE,
        "key": webhook_key(shown.team) if "webhook" in shown.form else "",
    }
    template = "uploads/upload.html" + ("#live" if request.htmx else "")  # type: ignore[attr-defined]
    status = HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK
    return render(request, template, context, status=status)


@require_safe
@login_required
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The whole report as a JSON file to download."""
    shown = _upload(request, pk)
    answer = JsonResponse(report_data(shown), json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="report-{shown.pk}.json"'
    return answer


@require_POST
@login_required
def act(request: SignedInRequest, pk: UUID) -> HttpResponse:
    """Describe an upload, check it again, or discard it, by the form field ``action``."""
    shown = _upload(request, pk)
    try:
        match request.POST.get("action"):
            case "describe":
                return _describe(request, shown)
            case "recheck":
                services.recheck_upload(shown, user=request.user)
            case "discard":
                services.discard_upload(shown, user=request.user)
                messages.info(request, f"“{shown.name}” was discarded.")
                return redirect("submit")
            case _:
                messages.error(request, "Unknown action.")
    except InputError as error:
        messages.error(request, str(error))
    return redirect(shown)


def _describe(request: SignedInRequest, shown: Upload) -> HttpResponse:
    form = DescriptionForm(request.POST)
    try:
        if form.is_valid():
            services.describe_upload(shown, form=form.description(), user=request.user)
            return redirect(shown)
    except InputError as refused:
        add_refusal(form, refused, FIELD_OF_PLACE)
    return _upload_page(request, shown, form)


def _upload(request: HttpRequest, pk: UUID) -> Upload:
    related = ("team", "entry__agent", "entry__task_set__benchmark", "previous__agent", "created_by")
    return get_object_or_404(visible_uploads(request.user).select_related("parent", *related), pk=pk)


def _percent(upload: Upload, parts: list[Upload]) -> int:
    """Progress of the current phase."""
    if parts and upload.state in ENDED:
        return sum(part.state in ENDED for part in parts) * 100 // len(parts)
    if upload.state == UploadState.RECEIVING:
        return upload.received * 100 // upload.size
    done, total = upload.progress.get("done", 0), upload.progress.get("total", 0)
    return min(done * 100 // total, 100) if total else 0
