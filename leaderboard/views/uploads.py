"""An upload's page: how far it is, its report, what it lacks, and what its owners do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.domain.errors import InputError
from leaderboard.domain.uploads import ENDED, RECHECKABLE, UploadState
from leaderboard.forms import page_number
from leaderboard.models import Upload
from leaderboard.permissions import visible_uploads
from leaderboard.selectors.catalogue import all_task_sets
from leaderboard.selectors.uploads import FILTERS, parts_of, read_findings, report_data, report_page
from leaderboard.services.uploads import describe_upload, discard_upload, recheck_upload
from leaderboard.services.webhooks import webhook_key
from leaderboard.upload_forms import DescriptionForm, description_of, missing_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User

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
    template = "leaderboard/upload.html" + ("#live" if request.htmx else "")  # type: ignore[attr-defined]
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
