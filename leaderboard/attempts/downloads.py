"""Downloads: under a name that says what they are, with what may have changed since they were made."""

from __future__ import annotations

import hashlib
import re
from typing import BinaryIO

from django.http import FileResponse

from leaderboard.attempts.selectors import score_rows
from leaderboard.core import blobs
from leaderboard.core.addresses import absolute
from leaderboard.core.figures import Cell
from leaderboard.core.labels import ENDINGS
from leaderboard.domain.withheld import UNTIL_PUBLISHED, WITHHELD
from leaderboard.models import Attempt, AttemptFile, Score
from leaderboard.rendering.facts import MARKER_WITHIN, Facts, facts_html, facts_markdown, with_facts
from leaderboard.scoring.values import value_text

Kind = AttemptFile.Kind
FILLED = {Kind.NOTEBOOK: facts_markdown, Kind.HTML: facts_html}
"""The kinds of files that are completed when they are served, each with what writes its facts."""
IMAGES = {"png": "image/png", "jpg": "image/jpeg"}
LONGEST_PART = 60
_UNSAFE = re.compile(r"[^\w.+]+")
_EXTENSION = re.compile(r"(?:\.[A-Za-z]{1,6})?\.[A-Za-z0-9]{1,10}\Z")
_MADE = (".ipynb", ".html")


def download_name(file: AttemptFile) -> str:
    """``task-agent-model.html``: unlike any other file's of the attempt, and safe on any system."""
    attempt = file.attempt
    agent = attempt.entry.agent
    parts = [attempt.task.task_id, agent.name, agent.model]
    stem = "-".join(part for each in parts if (part := _UNSAFE.sub("-", each).strip("-.")[:LONGEST_PART]))
    number = f"-{attempt.number}" if attempt.number > 1 else ""
    return f"{stem or 'attempt'}{number}{_ending_of(file)}"


def download_response(file: AttemptFile, facts: bytes) -> FileResponse:
    """A file's bytes; ``facts``, from `download_facts`, take the place of the marker in one that we made."""
    content = blobs.open_blob(file.blob)
    length = file.size
    if facts:
        before = content.read(MARKER_WITHIN)
        head = with_facts(before, facts)
        length += len(head) - len(before)
        content = _Continued(head, content)  # type: ignore[assignment]
    # Never as a page to open: an uploaded page must not run under this site's address.
    response = FileResponse(
        content,
        as_attachment=True,
        filename=download_name(file),
        content_type="application/octet-stream",
    )
    response["Content-Length"] = str(length)
    return response


def media_response(file: AttemptFile) -> FileResponse:
    """An image to be shown on a page; any other file as a download."""
    kind = IMAGES.get(file.name.rpartition(".")[2])
    if kind is None:
        return download_response(file, b"")
    response = FileResponse(blobs.open_blob(file.blob), filename=download_name(file), content_type=kind)
    response["Content-Length"] = str(file.size)
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def download_facts(file: AttemptFile, *, draft: bool) -> bytes:
    """What to say in a file of what may have changed since it was made; empty for one that stays as it is.

    Of a ``draft``, scores that tell something about the gold answer are withheld, as on its page. Two queries
    at most.
    """
    write = FILLED.get(Kind(file.kind))
    return write(_facts(file.attempt, draft=draft)) if write else b""


def download_tag(file: AttemptFile, facts: bytes) -> str:
    """The entity tag of a download."""
    return f'"{file.blob}"' if not facts else f'"{file.blob}-{hashlib.sha256(facts).hexdigest()[:16]}"'


def _facts(attempt: Attempt, *, draft: bool) -> Facts:
    rows = score_rows(attempt, draft=draft)
    return Facts(
        title=f"{attempt.task.task_id} · {attempt.entry.agent}",
        address=absolute(attempt.get_absolute_url()),
        ending=ENDINGS[attempt.ending],
        scorers=[row.label for row in rows],
        scores=[
            (cells[0].metric.label, [_score_text(cell) for cell in cells])
            for cells in zip(*(row.scores for row in rows), strict=True)
        ],
    )


def _score_text(cell: Cell) -> str:
    score = cell.row
    if not isinstance(score, Score) or (score.value is None and not score.reason):
        return "\N{EN DASH}"
    if score.value is None:
        return WITHHELD if score.reason == UNTIL_PUBLISHED else "error"
    return value_text(score.value, cell.metric.unit) + (" (stale)" if score.stale else "")


def _ending_of(file: AttemptFile) -> str:
    if file.kind == Kind.ORIGINAL:
        found = _EXTENSION.search(file.name)
        own = found[0].lower() if found else ""
        # Not the name of the notebook or page that we made.
        return f".original{own}" if own.endswith(_MADE) else own
    endings = {
        Kind.NOTEBOOK: ".ipynb",
        Kind.HTML: ".html",
        Kind.ANSWER: ".answer.json",
        Kind.OUTPUT: f".step-{file.step}.txt",
        Kind.MEDIA: f".step-{file.step}.{file.number}.{file.name.rpartition('.')[2]}",
    }
    return endings[Kind(file.kind)]


class _Continued:
    """A stream whose beginning was read already, and may have been changed."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int) -> bytes:
        if not self._head:
            return self._rest.read(size)
        part, self._head = self._head[:size], self._head[size:]
        return part

    def close(self) -> None:
        self._rest.close()
