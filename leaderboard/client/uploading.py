"""What is said about results, and the upload of them: a new one, or the one that has the same bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from leaderboard.client.ending import RefusedByServer
from leaderboard.client.following import wait_until_checked
from leaderboard.client.packing import digest_of, pack
from leaderboard.client.sending import send_file
from leaderboard.client.server import Server
from leaderboard.client.show import bars, say

CONFLICT: Final = 409


@dataclass(frozen=True, slots=True)
class Said:
    """What the options say; what was left out is empty.

    Attributes:
        form: of benchmark, set, agent, model and notes what was said.
        team: the slug of the team that owns the entry.
        previous: the slug of the published entry that it is a new version of.
    """

    form: dict[str, str]
    team: str = ""
    previous: str = ""


def upload_path(server: Server, path: Path, said: Said, *, patience: float) -> Any:
    """Send what is at ``path`` and wait for the check of it.

    Raises:
        RefusedByServer: the site said no; or an entry that can't change has these bytes, under another name.
    """
    with _as_file(path) as file, bars() as begin:
        announcement = {
            "name": f"{path.resolve().name}.zip" if path.is_dir() else path.name,
            "size": file.stat().st_size,
            "form": said.form,
            "team": said.team,
            "previous": said.previous,
        }
        digest = digest_of(file)
        bar = begin("Uploading")
        sent = send_file(server, file, digest=digest, announcement=announcement, on_progress=bar)
    upload = server.get(sent.address)
    about = f"{upload['id']}, {server.site.url}{upload['page']}"
    if sent.known:
        say(f"The site has these bytes already: {about}")
        upload = _as_said(server, upload, said)
    else:
        say(f"Uploaded: {about}")
    return wait_until_checked(server, sent.address, patience=patience)


def _as_said(server: Server, upload: Any, said: Said) -> Any:
    """An upload that was here before with what is said now; raise `RefusedByServer` where that can't be."""
    entries = [one for one in (upload, *upload["parts"]) if one["entry"]]
    settled = [one for one in entries if one["entry_state"] != "draft"]
    if said.previous and said.previous != upload["previous"]:
        was = upload["previous"] or "no entry"
        other = f"a new version of {said.previous}, and before it was one of {was}"
        raise _refused(server, upload, settled, other)
    changes = _changes(upload, said.form, described=bool(upload["entry"]))
    if settled and changes:
        raise _refused(server, upload, settled, "; ".join(changes))
    # Without an entry (its draft was discarded) it is checked once more, and has one then.
    if changes or (upload["state"] in ("checked", "failed") and not entries and not upload["parts"]):
        return server.post(f"{upload['url']}/describe", {"form": said.form}).json()
    return upload


def _changes(upload: Any, form: dict[str, str], *, described: bool) -> list[str]:
    """What is said otherwise now: a clause for each field."""
    known = upload["description"] if described else upload["form"]
    found = []
    for what, now in form.items():
        before = known.get(what) or ""
        was = str(before.get("name", "") if isinstance(before, dict) else before)
        if was.strip() != now.strip():
            found.append(f"{what} “{now}”, and before it was “{was}”")
    return found


def _refused(server: Server, upload: Any, settled: list[Any], other: str) -> RefusedByServer:
    if settled:
        names = ", ".join(f"{one['entry']} ({one['entry_state']})" for one in settled)
        detail = (
            f"these bytes are an entry already, {names}, and it can't be described anew; now was said: "
            f"{other} (a new version needs other files; another team, --team, can send the same)"
        )
    else:
        detail = (
            f"these bytes are a draft already; now was said: {other} (discard its upload at "
            f"{server.site.url}{upload['page']}, and submit again)"
        )
    return RefusedByServer(CONFLICT, {"detail": detail})


@contextmanager
def _as_file(path: Path) -> Iterator[Path]:
    """One file to send: the path itself, or a folder packed."""
    if not path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="superboard-") as folder:
        archive = Path(folder, "upload.zip")
        with bars() as begin:
            pack(path, archive, on_progress=begin("Packing"))
        yield archive
