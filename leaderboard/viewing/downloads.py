"""Files and texts of `superboard view`: downloads are made when they are asked for."""

from __future__ import annotations

import json
import mimetypes
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.html import format_html

from leaderboard import rendering
from leaderboard.core.labels import ENDINGS
from leaderboard.domain.errors import InputError
from leaderboard.pipeline import open_landmarks
from leaderboard.rendering.facts import plain, with_facts
from leaderboard.rendering.files import STATIC
from leaderboard.rendering.inert import step_markdown as markdown_of
from leaderboard.rendering.names import KINDS
from leaderboard.viewing.attempts import Viewed
from leaderboard.viewing.views import collection, viewed_or_404

IMAGES: Final = {"png": "image/png", "jpg": "image/jpeg"}
_UNSAFE: Final = re.compile(r"[^\w.+]+", re.ASCII)
_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")


def text(request: HttpRequest, pk: int, step: int, part: str) -> HttpResponse:
    """The whole text of a part of a step as shown, to be copied."""
    return _plain(viewed_or_404(pk).text(step, part))


def step_markdown(request: HttpRequest, pk: int, step: int) -> HttpResponse:
    """A step as Markdown, to be copied."""
    found = viewed_or_404(pk).step(step)
    if found is None:
        raise Http404("There is no such step.")
    heading = f"Step {found.number}: {KINDS.get(found.kind, found.kind)}"
    return _plain(markdown_of(heading, found.kind, found.thought, found.action, found.observation))


def media(request: HttpRequest, pk: int, step: int, number: int) -> HttpResponse:
    """An output of a step that is no text: an image, or a file to download."""
    viewed = viewed_or_404(pk)
    found = viewed.media_of(step, number)
    if found is None:
        raise Http404("There is no such output.")
    content, suffix = found
    name = f"{_stem(viewed)}.step-{step}.{number}.{suffix}"
    if suffix in IMAGES:
        response = HttpResponse(content, content_type=IMAGES[suffix])
        response["Content-Disposition"] = f'inline; filename="{name}"'
        return response
    return _attachment(content, name)


def download(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """The original byte for byte, or the notebook or page made from it, in which secrets are masked."""
    viewed = viewed_or_404(pk)
    if kind == "original" and not (collection().is_copied and viewed.attempt.secrets):
        try:
            content = collection().original(pk) or b""
        except InputError as error:
            raise Http404(str(error)) from None
        return _attachment(content, f"{_stem(viewed)}.original{_suffix(viewed)}")
    make = {"notebook": (_notebook, ".ipynb"), "html": (_page, ".html")}.get(kind)
    if make is None:
        raise Http404("There is no such file.")
    return _attachment(make[0](viewed), _stem(viewed) + make[1])


def static(request: HttpRequest, name: str) -> HttpResponseBase:
    """A stylesheet, script or image of the pages."""
    for folder in _static_folders():
        path = (folder / name).resolve()
        if path.is_relative_to(folder) and path.is_file():
            response = FileResponse(path.open("rb"))
            response["Content-Type"] = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            return response
    raise Http404("There is no such file.")


@cache
def _static_folders() -> tuple[Path, ...]:
    # Not imported: all that is needed is a script in it.
    found = find_spec("django_htmx")
    places = (found.submodule_search_locations or ()) if found else ()
    return (STATIC.resolve(), *(Path(place, "static").resolve() for place in places))


def _notebook(viewed: Viewed) -> bytes:
    about = f"# {plain(_title(viewed))}\n\n{ENDINGS[viewed.attempt.ending]}"
    facts = json.dumps(about, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    landmarks = open_landmarks(viewed.looked.scored, viewed.attempt.task)
    return with_facts(rendering.notebook_bytes(viewed.rendering.notebook, landmarks), facts)


def _page(viewed: Viewed) -> bytes:
    facts = format_html("<p>{}</p>", ENDINGS[viewed.attempt.ending])
    landmarks = open_landmarks(viewed.looked.scored, viewed.attempt.task)
    page = rendering.standalone_html(viewed.rendering.notebook, landmarks, _title(viewed))
    return with_facts(page.encode(), facts.encode())


def _title(viewed: Viewed) -> str:
    return f"{viewed.attempt.task.task_id} · {viewed.attempt.entry.agent}"


def _stem(viewed: Viewed) -> str:
    agent = viewed.attempt.entry.agent
    parts = (viewed.attempt.task.task_id, agent.scaffold, agent.model)
    named = "-".join(part for each in parts if (part := _UNSAFE.sub("-", each).strip("-.")[:60]))
    return f"{named or 'attempt'}-{viewed.attempt.pk}"


def _suffix(viewed: Viewed) -> str:
    if viewed.is_bundle:
        return ".zip"
    found = _ENDING.search(viewed.attempt.source)
    return found[0].lower() if found else ""


def _attachment(content: bytes, name: str) -> HttpResponse:
    # Never as a page to open: what an agent wrote must not run under this address.
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/octet-stream", headers=headers)


def _plain(content: str) -> HttpResponse:
    if not content:
        raise Http404("There is no such text.")
    return HttpResponse(content, content_type="text/plain; charset=utf-8")
