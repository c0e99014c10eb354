"""Alice's team, and what it sends."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from leaderboard.models import Membership, Team, Upload
from leaderboard.services.upload_files import content_path
from leaderboard.services.uploads import append_chunk, start_upload


def team_of(name: str = "alice") -> Team:
    """A team with one member of that name."""
    user, _ = User.objects.get_or_create(username=name, defaults={"email": f"{name}@example.org"})
    team, added = Team.objects.get_or_create(name=f"{name}'s", slug=f"{name}-s")
    if added:
        Membership.objects.create(team=team, user=user, role=Membership.Role.OWNER)
    return team


def start(data: bytes = b"0123456789", *, name: str = "run.zip", who: str = "alice", **fields: Any) -> Upload:
    """An upload that is announced, of as many bytes as ``data`` has."""
    team = team_of(who)
    form = fields.pop("form", {})
    user = User.objects.get(username=who)
    return start_upload(team=team, user=user, name=name, size=len(data), form=form, **fields)


def send(data: bytes, **fields: Any) -> Upload:
    """An upload that is all there."""
    return append_chunk(start(data, **fields), offset=0, chunks=[data])


def stored(upload: Upload) -> bytes:
    """What is on disk of an upload."""
    return content_path(upload.pk).read_bytes()
