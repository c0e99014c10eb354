"""Test data: teams, and uploads in every state of being sent and checked."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from leaderboard.core.teams import personal_team
from leaderboard.models import Team, Upload
from leaderboard.uploads.check_writes import claim_upload
from leaderboard.uploads.checking import check_upload
from leaderboard.uploads.services import append_chunk, start_upload
from leaderboard.uploads.storage import content_path
from tests.cast import MODEL, SOLVER, history
from tests.people import person


def team_of(name: str = "alice") -> Team:
    """A user's personal team."""
    return personal_team(person(name))


def start(data: bytes = b"0123456789", *, name: str = "run.zip", who: str = "alice", **fields: Any) -> Upload:
    """An upload that was started with the size of ``data``; no bytes were sent."""
    team = fields.pop("team", None) or team_of(who)
    form = fields.pop("form", {})
    return start_upload(team=team, user=person(who), name=name, size=len(data), form=form, **fields)


def send(data: bytes, **fields: Any) -> Upload:
    """An upload that was sent completely."""
    return append_chunk(start(data, **fields), offset=0, chunks=[data])


def stored(upload: Upload) -> bytes:
    """The bytes of an upload on disk."""
    return content_path(upload.pk).read_bytes()


def packed(**files: Any) -> bytes:
    """A zip of these files by path; dicts and lists become JSON."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            data = content if isinstance(content, (bytes, str)) else json.dumps(content)
            # Without the current time, so that the same files make the same bytes.
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def run_zip(*task_ids: str, answer: Any = None, **files: Any) -> bytes:
    """A zip with a history.json in a folder for each of these tasks, and other files by path."""
    histories = {f"{task}/history.json": history(answer or {"loss": 0.5}, prompt=task) for task in task_ids}
    return packed(**{**histories, **files})


def described(**changes: Any) -> dict[str, Any]:
    """A form with all fields that an entry needs."""
    return {"benchmark": "super", "set": "masked", "agent": SOLVER, "model": MODEL, **changes}


def check(upload: Upload) -> Upload:
    """Check a queued upload in this process."""
    claim = claim_upload()
    assert claim
    assert claim.upload_id == upload.pk
    check_upload(claim, isolated=False)
    upload.refresh_from_db()
    return upload


def checked(data: bytes, **fields: Any) -> Upload:
    """An upload that was sent and checked."""
    return check(send(data, **{"form": described(), **fields}))
