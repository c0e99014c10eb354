"""Pages that are kept ready for readers without an account: made once, and answered from files until a write.

docs/decisions/0010-pages-are-kept-by-a-revision.md says why and how.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.urls import Resolver404, resolve
from django.utils.cache import get_conditional_response, patch_cache_control
from django_htmx.middleware import HtmxDetails

from leaderboard.core.endpoints.caching import etag_of_content
from leaderboard.core.page_files import PageFiles
from leaderboard.models import Entry
from leaderboard.models.revisions import current_revision

View = Callable[..., HttpResponseBase]
LONGEST_QUERY: Final = 500
"""Characters of a query; with a longer one a page is not kept."""


def kept_ready(view: View) -> View:
    """Keep what a view answers readers without an account, until something that such readers see is written.

    For a view whose answer depends on nothing but the address, HX-Request, settings and rows that
    `models.revisions` watches. One that can show a draft passes its response through `unless_draft`, one that
    can depend on the time through `not_kept`.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        is_good = response.status_code == 200 and not hasattr(response, "not_to_keep")
        if is_good and isinstance(response, HttpResponse) and _is_for_all(request):
            response.to_keep = True  # type: ignore[attr-defined]
            response["ETag"] = etag_of_content(response.content)
            # Who has it asks whether it is still so, each time.
            patch_cache_control(response, public=True, no_cache=True)
        return response

    wrapped.kept_ready = True  # type: ignore[attr-defined]
    return wrapped


def not_kept(response: HttpResponse) -> HttpResponse:
    """The response, not to be kept, because something else than a write can change it."""
    response.not_to_keep = True  # type: ignore[attr-defined]
    return response


def unless_draft(response: HttpResponse, *entries: Entry) -> HttpResponse:
    """The response, not to be kept if an entry that it shows is a draft: nothing watches a draft's rows."""
    return not_kept(response) if any(entry.is_draft for entry in entries) else response


class KeptPages:
    """Answer readers without an account from kept pages, before anything else is read of their request.

    It stands behind the middleware that redirects to HTTPS and adds headers to any response, and before the
    one that compresses: what it keeps is compressed, and has the headers of all that come after it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        # A template that is being written changes without a write.
        most = 0 if settings.DEBUG else settings.SUPERBOARD_PAGE_CACHE_MB << 20
        folder: Path = settings.VAR / "pages"
        # Apart, so that no number of made-up queries takes the place of a page.
        self._plain = PageFiles(folder / "plain", most_bytes=most // 2) if most else None
        self._queried = PageFiles(folder / "queried", most_bytes=most // 2) if most else None
        self._making: dict[str, threading.Event] = {}
        self._guard = threading.Lock()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        files = self._queried if request.META.get("QUERY_STRING") else self._plain
        revision = current_revision() if files and _may_be_kept(request) else None
        if files is None or revision is None:
            return _if_changed(request, self.get_response(request))
        # Refuses a name that is not the site's, as the middleware does that a kept page does not reach.
        request.get_host()
        name = _name(request, revision)
        return _if_changed(request, _read(files, name) or self._make_once(request, files, name))

    def _make_once(self, request: HttpRequest, files: PageFiles, name: str) -> HttpResponseBase:
        """Of several that ask for one page at once, the first makes it, and the others wait.

        If it could not be kept, they wait no more: each makes it for itself, all at once.
        """
        mine = threading.Event()
        with self._guard:
            first = self._making.setdefault(name, mine)
        if first is not mine:
            first.wait()
        try:
            return _read(files, name) or self._make(request, files, name)
        finally:
            if first is mine:
                with self._guard:
                    del self._making[name]
                mine.set()

    def _make(self, request: HttpRequest, files: PageFiles, name: str) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and hasattr(response, "to_keep") and not response.cookies:
            files.write(name, _packed(response))
        return response


def _is_for_all(request: HttpRequest) -> bool:
    """Whether nothing in a request says who sent it, what to tell them, or to read it in another way."""
    return (
        request.method in ("GET", "HEAD")
        and settings.SESSION_COOKIE_NAME not in request.COOKIES
        and CookieStorage.cookie_name not in request.COOKIES
        and "HTTP_AUTHORIZATION" not in request.META
        # Another value is decoded if another header asks for it, which Vary does not name.
        and request.headers.get("HX-Request") in (None, "true")
        # A charset in Content-Type: the query is decoded by it.
        and request.encoding is None
    )


def _may_be_kept(request: HttpRequest) -> bool:
    sent = request.META.get("QUERY_STRING", ""), request.META.get("CONTENT_LENGTH") or "0"
    if not _is_for_all(request) or len(sent[0]) > LONGEST_QUERY or sent[1] != "0":
        return False
    try:
        return getattr(resolve(request.path_info).func, "kept_ready", False)
    except Resolver404:
        return False


def _name(request: HttpRequest, revision: int) -> str:
    parts = (
        STAMP,
        revision,
        # The path is SCRIPT_NAME and this: where one ends decides which view answers.
        request.path,
        request.path_info,
        request.META.get("QUERY_STRING", ""),
        bool(HtmxDetails(request)),
        bool(re_accepts_gzip.search(request.headers.get("Accept-Encoding", ""))),
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _if_changed(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response to keep, or a 304 if the reader has it; any other response as it is."""
    if not (isinstance(response, HttpResponse) and hasattr(response, "to_keep")):
        return response
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _packed(response: HttpResponse) -> bytes:
    """A response's headers as a line of JSON, and its body."""
    head = {"headers": dict(response.items()), "length": len(response.content)}
    return json.dumps(head).encode() + b"\n" + response.content


def _read(files: PageFiles, name: str) -> HttpResponse | None:
    packed = files.read(name)
    if packed is None:
        return None
    first, _, body = packed.partition(b"\n")
    try:
        head = json.loads(first)
        headers = dict(head["headers"])
        # A machine that lost its power may have kept a part of a file.
        if head["length"] != len(body) or "ETag" not in headers:
            return None
        response = HttpResponse(body, headers=headers)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    response.to_keep = True  # type: ignore[attr-defined]
    return response


def what_pages_are_made_of() -> Iterator[tuple[Any, ...]]:
    """All that changes pages without a write: code, also of others, templates, static files and settings."""
    yield (sys.version,)
    # Of installed packages: the names of these folders hold the versions. To read each takes half a second.
    yield tuple(sorted(path.name for folder in sys.path for path in Path(folder).glob("*-info")))
    for folder in (Path(__file__).parents[1], settings.BASE_DIR / "templates"):
        for path in sorted(each for each in folder.rglob("*.*") if "__pycache__" not in each.parts):
            about = path.stat()
            yield str(path), about.st_mtime_ns, about.st_size
    manifest = settings.STATIC_ROOT / "staticfiles.json"
    if manifest.exists():
        yield (manifest.stat().st_mtime_ns,)
    for setting in sorted(name for name in dir(settings) if name.startswith("SUPERBOARD_")):
        yield setting, repr(getattr(settings, setting))
    yield settings.CONTENT_SECURITY_POLICY, settings.X_FRAME_OPTIONS, settings.DEBUG


STAMP: Final = hashlib.sha256(repr([*what_pages_are_made_of()]).encode()).hexdigest()
"""Of this process's code. Made when it is loaded: later the files may be those of another version."""
