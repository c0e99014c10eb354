"""Sends a file to the site in chunks, and resumes at the site's offset after a broken connection."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from leaderboard.client.ending import RefusedByServer, Unreachable
from leaderboard.client.server import TRIES, Server
from leaderboard.client.site import own_folder

CHUNK: Final = 8 << 20
"""Bytes sent in one request."""
PIECE: Final = 64 << 10
"""Bytes read at a time, after each of which progress is reported."""
TYPE: Final = "application/offset+octet-stream"
OnProgress = Callable[[int, int], None]


class Sent(NamedTuple):
    """An upload's address, and whether the site already had its bytes."""

    address: str
    known: bool


def send_file(
    server: Server, path: Path, *, digest: str, announcement: dict[str, Any], on_progress: OnProgress
) -> Sent:
    """Upload a file, or resume its unfinished upload; a file that the team already uploaded is not sent.

    ``digest`` is its SHA-256, ``announcement`` the body of the request that starts an upload. ``on_progress``
    is called with the bytes sent so far, and all of them.

    Raises:
        RefusedByServer: the site refused a request.
        Unreachable: the connection broke and every retry failed. The same call resumes later.
    """
    note = own_folder() / f"upload-{_key(server, digest, announcement)}"
    upload = _unfinished(server, note)
    if upload is None and (known := _uploaded_before(server, digest, announcement)):
        return Sent(known, known=True)
    if upload is None:
        response = server.post("/api/v1/uploads", announcement, repeatable=False)
        upload = str(response.headers["Location"])
        note.write_text(upload)
    find_known = partial(_uploaded_before, server, digest, announcement)
    address = _send_rest(server, path, upload, find_known=find_known, on_progress=on_progress)
    note.unlink(missing_ok=True)
    return Sent(address, known=address != upload)


def _send_rest(
    server: Server, path: Path, upload: str, *, find_known: Callable[[], str | None], on_progress: OnProgress
) -> str:
    size = path.stat().st_size
    offset, failed = _offset(server, upload), 0
    while offset < size or server.get(upload)["state"] == "receiving":
        on_progress(offset, size)
        headers = {"Content-Type": TYPE, "Upload-Offset": str(offset)}
        headers["Content-Length"] = str(min(CHUNK, size - offset))
        pieces = _pieces(path, offset, on_progress)
        try:
            response = server.send_once(upload, pieces, headers=headers)
        except (Unreachable, RefusedByServer) as error:
            if _is_complete(server, upload, error):
                break
            failed += 1
            if failed == TRIES or not _is_resumable(error):
                raise
            server.wait(failed)
            try:
                now = _offset(server, upload)
            except RefusedByServer as refused:
                # The site found that it has these bytes and removed this upload; its response was lost.
                if refused.status in (404, 410) and (known := find_known()):
                    return known
                raise
            failed = failed if now == offset else 0
            offset = now
            continue
        if known := response.headers.get("Location"):
            return str(known)
        failed, offset = 0, int(response.headers["Upload-Offset"])
    on_progress(size, size)
    return upload


def _is_complete(server: Server, upload: str, error: Exception) -> bool:
    """Whether a chunk was refused because another client completed the upload."""
    refused = isinstance(error, RefusedByServer) and error.status == 422
    return refused and server.get(upload)["state"] != "receiving"


def _is_resumable(error: Exception) -> bool:
    return not isinstance(error, RefusedByServer) or error.status in (409, 429) or error.status >= 500


def _offset(server: Server, upload: str) -> int:
    return int(server.request("HEAD", upload).headers["Upload-Offset"])


def _pieces(path: Path, offset: int, on_progress: OnProgress) -> Iterator[bytes]:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(offset)
        left = min(CHUNK, size - offset)
        while left and (piece := file.read(min(PIECE, left))):
            yield piece
            left -= len(piece)
            on_progress(file.tell(), size)


def _unfinished(server: Server, note: Path) -> str | None:
    """The address of the unfinished upload, if the site still has it."""
    with suppress(RefusedByServer, FileNotFoundError):
        upload = note.read_text()
        server.request("HEAD", upload)
        return upload
    return None


def _uploaded_before(server: Server, digest: str, announcement: dict[str, Any]) -> str | None:
    """The address of the same team's upload of the same bytes, if there is a usable one."""
    found = [
        each
        for each in server.items("/api/v1/uploads", sha256=digest)
        if each["state"] not in ("receiving", "refused", "failed") and not each["part"]
    ]
    if not found:
        return None
    team, previous = announcement.get("team"), announcement.get("previous")
    if not team and not previous:
        own = (each["slug"] for each in server.get("/api/v1/me")["teams"] if each["personal"])
        team = next(own, None)
    # If only a previous version is named, the site determines the team, and then detects the same bytes.
    same = (each for each in found if (each["team"] == team if team else each["previous"] == previous))
    return next((str(each["url"]) for each in same), None)


def _key(server: Server, digest: str, announcement: dict[str, Any]) -> str:
    identity = repr((server.site.url, digest, sorted(announcement.items(), key=lambda item: item[0])))
    return hashlib.sha256(identity.encode()).hexdigest()[:32]
