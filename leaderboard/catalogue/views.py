"""The pages about benchmarks and their figures, the documentation, and whom to tell of a security problem."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.catalogue.about import about_sections
from leaderboard.catalogue.guide import guide_page
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.catalogue.sitemaps import SITEMAPS
from leaderboard.core.addresses import absolute
from leaderboard.scoring.usage import USAGE


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """The metrics, scorers, groups and published figures of each benchmark, and what a rank needs."""
    task_sets = all_task_sets()
    context = {"task_sets": task_sets, "sections": about_sections(task_sets), "usage": USAGE}
    return render(request, "catalogue/about.html", context)


@require_safe
def security_contact(request: HttpRequest) -> HttpResponse:
    """Whom to tell of a security problem (RFC 9116); 404 while `SUPERBOARD_SECURITY_CONTACT` is not set."""
    contact: str = settings.SUPERBOARD_SECURITY_CONTACT
    if not contact:
        raise Http404("This site names no contact for security problems.")
    if ":" not in contact:
        contact = f"mailto:{contact}"
    lines = {
        "Contact": contact,
        # Required, and less than a year ahead: by then it is asked for again.
        "Expires": (timezone.now() + timedelta(days=180)).strftime("%Y-%m-%dT00:00:00Z"),
        "Preferred-Languages": "en",
        "Canonical": absolute(reverse("security-contact")),
    }
    text = "".join(f"{name}: {value}\n" for name, value in lines.items())
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse:
    """A page of docs/."""
    page = guide_page(name)
    if page is None:
        raise Http404
    return render(request, "catalogue/guide.html", {"task_sets": all_task_sets(), "guide": page})


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What search engines may visit: every page but those that search or ask to sign in, and no archive."""
    closed = [*(reverse(name) for name in ("search", "account")), "/*/attempts.zip"]
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    lines.append(f"Sitemap: {absolute(reverse('sitemaps'))}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
def sitemaps(request: HttpRequest) -> HttpResponse:
    """The index of the sitemap's parts; Django's own would name the host of the request."""
    parts = [
        absolute(reverse("sitemap", args=(section,))) + (f"?p={page}" if page > 1 else "")
        for section, part in SITEMAPS.items()
        for page in part().paginator.page_range
    ]
    context = {"sitemaps": [{"location": each} for each in parts]}
    return render(request, "sitemap_index.xml", context, content_type="application/xml")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The icon for programs that look for one at this address without reading a page."""
    return redirect(static("img/favicon.ico"))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for an address that there is not, with the menu of boards."""
    told = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    try:
        task_sets = all_task_sets()
    except DatabaseError:
        # A wrong address is no reason to fail with the database.
        task_sets = []
    context = {"task_sets": task_sets, "exception": told}
    return render(request, "404.html", context, status=404)
