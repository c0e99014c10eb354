"""Uploads results, or reuses the upload with the same bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from leaderboard.client.ending import RefusedByServer
from leaderboard.client.following import wait_until_checked
from leaderboard.client.packing import digest_of, pack
from leaderboard.client.sending import send_file
from leaderboard.client.server import Server
from leaderboard.client.show import bars, say

CONFLICT: Final = 409


def upload_path(
    server: Server, path: Path, form: dict[str, str], *, team: str, previous: str, patience: float
) -> Any:
    """Upload the file or folder at ``path`` and wait for the site's check.

    ``form`` has those given of benchmark, set, agent, model and notes. ``team`` is the slug of the team that
    owns the entry, ``previous`` that of the published entry that it is a new version of; each may be empty.

    Raises:
        RefusedByServer: the site refused; or a published entry has these bytes with a different description.
    """
    with _as_file(path) as file, bars() as begin:
        announcement = {
            "name": f"{path.resolve().name}.zip" if path.is_dir() else path.name,
            "size": file.stat().st_size,
            "form": form,
            "team": team,
            "previous": previous,
        }
        digest = digest_of(file)
        bar = begin("Uploading")
        sent = send_file(server, file, digest=digest, announcement=announcement, on_progress=bar)
    upload = server.get(sent.address)
    link = f"{upload['id']}, {server.site.url}{upload['page']}"
    if sent.known:
        say(f"The site already has these bytes: {link}")
        _update_description(server, upload, form, previous)
    else:
        say(f"Uploaded: {link}")
    return wait_until_checked(server, sent.address, patience=patience)


def _update_description(server: Server, upload: Any, form: dict[str, str], previous: str) -> None:
    """Give an earlier upload the new description; raise `RefusedByServer` if it can't change."""
    entries = [one for one in (upload, *upload["parts"]) if one["entry"]]
    settled = [one for one in entries if one["entry_state"] != "draft"]
    if previous and previous != upload["previous"]:
        was = upload["previous"] or "no entry"
        change = f"a new version of {previous}, before: of {was}"
        raise _refused(server, upload, settled, change)
    changes = _changes(upload, form, described=bool(upload["entry"]))
    if settled and changes:
        raise _refused(server, upload, settled, "; ".join(changes))
    # Without an entry (its draft was discarded) a new check creates one.
    if changes or (upload["state"] in ("checked", "failed") and not entries and not upload["parts"]):
        server.post(f"{upload['url']}/describe", {"form": form})


def _changes(upload: Any, form: dict[str, str], *, described: bool) -> list[str]:
    """A clause for each field that differs from the earlier upload."""
    known = upload["description"] if described else upload["form"]
    found = []
    for what, now in form.items():
        before = known.get(what) or ""
        was = str(before.get("name", "") if isinstance(before, dict) else before)
        if was.strip() != now.strip():
            found.append(f"{what} “{now}”, before: “{was}”")
    return found


def _refused(server: Server, upload: Any, settled: list[Any], changes: str) -> RefusedByServer:
    if settled:
        names = ", ".join(f"{one['entry']} ({one['entry_state']})" for one in settled)
        detail = (
            f"these bytes are already an entry, {names}, whose description can't change; the options differ: "
            f"{changes} (a new version needs other files; another team, --team, can send the same files)"
        )
    else:
        detail = (
            f"these bytes are already a draft; the options differ: {changes} (discard its upload at "
            f"{server.site.url}{upload['page']}, and submit again)"
        )
    return RefusedByServer(CONFLICT, {"detail": detail})


@contextmanager
def _as_file(path: Path) -> Iterator[Path]:
    """The file to send: the path itself, or a temporary zip of the folder."""
    if not path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="superboard-") as folder:
        archive = Path(folder, "upload.zip")
        with bars() as begin:
            pack(path, archive, on_progress=begin("Packing"))
        yield archive
