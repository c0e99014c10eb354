"""A file to the site, whatever the connection does: it goes on where the site says that it stands."""

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
"""Bytes read and handed on at a time: how finely progress shows."""
TYPE: Final = "application/offset+octet-stream"
Told = Callable[[int, int], None]


class Sent(NamedTuple):
    """An upload's address, and whether the site had its bytes before."""

    address: str
    known: bool


def send_file(
    server: Server, path: Path, *, digest: str, announcement: dict[str, Any], on_progress: Told
) -> Sent:
    """Upload a file, or go on with an upload of it that broke off.

    Bytes that the team has sent before are not sent again.

    Args:
        server: where to.
        path: the file.
        digest: its SHA-256.
        announcement: what is said about it; the name and size are added.
        on_progress: told bytes done and in all.

    Raises:
        RefusedByServer: the site said no.
        Unreachable: the connection broke, and could not be had again. The same call later goes on.
    """
    note = own_folder() / f"upload-{_key(server, digest, announcement)}"
    upload = _noted(server, note)
    if upload is None and (known := _known(server, digest, announcement)):
        return Sent(known, known=True)
    if upload is None:
        answer = server.post("/api/v1/uploads", announcement, repeatable=False)
        upload = str(answer.headers["Location"])
        note.write_text(upload)
    rest = partial(_send_rest, server, path, upload, on_progress=on_progress)
    address = rest(find_known=partial(_known, server, digest, announcement))
    note.unlink(missing_ok=True)
    return Sent(address, known=address != upload)


def _send_rest(
    server: Server, path: Path, upload: str, *, find_known: Callable[[], str | None], on_progress: Told
) -> str:
    size = path.stat().st_size
    offset, failed = _offset(server, upload), 0
    while offset < size or server.get(upload)["state"] == "receiving":
        on_progress(offset, size)
        headers = {"Content-Type": TYPE, "Upload-Offset": str(offset)}
        headers["Content-Length"] = str(min(CHUNK, size - offset))
        pieces = _pieces(path, offset, on_progress)
        try:
            answer = server.send_once(upload, pieces, headers=headers)
        except (Unreachable, RefusedByServer) as error:
            if _is_complete(server, upload, error):
                break
            failed += 1
            if failed == TRIES or not _may_go_on(error):
                raise
            server.wait(failed)
            try:
                now = _offset(server, upload)
            except RefusedByServer as gone:
                # The same bytes were here already, and we did not hear of it.
                if gone.status == 404 and (known := find_known()):
                    return known
                raise
            failed = failed if now == offset else 0
            offset = now
            continue
        if known := answer.headers.get("Location"):
            return str(known)
        failed, offset = 0, int(answer.headers["Upload-Offset"])
    on_progress(size, size)
    return upload


def _is_complete(server: Server, upload: str, error: Exception) -> bool:
    """Whether a chunk was refused because another client sent the last one meanwhile."""
    refused = isinstance(error, RefusedByServer) and error.status == 422
    return refused and server.get(upload)["state"] != "receiving"


def _may_go_on(error: Exception) -> bool:
    if isinstance(error, RefusedByServer):
        return error.status in (409, 429) or error.status >= 500
    return True


def _offset(server: Server, upload: str) -> int:
    return int(server.request("HEAD", upload).headers["Upload-Offset"])


def _pieces(path: Path, offset: int, on_progress: Told) -> Iterator[bytes]:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(offset)
        left = min(CHUNK, size - offset)
        while left and (piece := file.read(min(PIECE, left))):
            yield piece
            left -= len(piece)
            on_progress(file.tell(), size)


def _noted(server: Server, note: Path) -> str | None:
    """The upload that broke off, where it is still there."""
    with suppress(RefusedByServer, FileNotFoundError):
        upload = note.read_text()
        server.request("HEAD", upload)
        return upload
    return None


def _known(server: Server, digest: str, announcement: dict[str, Any]) -> str | None:
    """The same team's upload of the very same bytes, where there is one that can be used."""
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
    # Whose it is a new version of says the site where no team is named: it finds the bytes again.
    same = (each for each in found if (each["team"] == team if team else each["previous"] == previous))
    return next((str(each["url"]) for each in same), None)


def _key(server: Server, digest: str, announcement: dict[str, Any]) -> str:
    told = repr((server.site.url, digest, sorted(announcement.items(), key=lambda item: item[0])))
    return hashlib.sha256(told.encode()).hexdigest()[:32]
