"""What a team may have and send. Only accepted uploads count; files that the site generates do not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.domain.durations import DAY, room_again_at
from leaderboard.domain.errors import InputError, Problem, QuotaExceeded
from leaderboard.domain.uploads import CHARGED
from leaderboard.models import AuditEvent, Entry, Team, Upload
from leaderboard.uploads.selectors import UNPUBLISHED
from leaderboard.uploads.storage import free_disk

DISCARD = "discard upload"
"""Action in the audit log; its detail has the bytes that a discarded upload still counts for."""


def check_room(team: Team, *, name: str, size: int, entry: Entry | None) -> None:
    """Check that ``team`` may send a file of ``size`` bytes, and that the disk has space for it.

    Call it with the team's row locked. A file that replaces those of the draft ``entry`` takes no additional
    place.

    Raises:
        InputError: the file is too large, or the disk too full.
        QuotaExceeded: a quota of the team is used up.
    """
    check_size(name, size)
    _check_open(team, name, entry)
    _check_day(team, name, size)
    if size > free_disk() - (settings.SUPERBOARD_MIN_FREE_DISK_MB << 20):
        reason = "there is not enough space on the disk (SUPERBOARD_MIN_FREE_DISK_MB stays free)"
        raise InputError(Problem(name, "", reason, "try again later, or tell the operators"))


def check_places(team: Team, upload: Upload, entries: int) -> None:
    """Check that ``team`` has places for all ``entries`` of an archive.

    Raises:
        QuotaExceeded: it has fewer places; the problem says how many.
    """
    most = settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM
    left = most - _open_uploads(team).exclude(pk=upload.pk).exclude(parent=upload).count()
    if entries > left:
        reason = (
            f"it holds {entries:,} entries, and {team} may have {max(left, 0):,} more that are not "
            f"published, of {most:,} (SUPERBOARD_OPEN_UPLOADS_PER_TEAM)"
        )
        raise QuotaExceeded(
            Problem(upload.name, "", reason, "publish or discard others first, or send fewer at once")
        )


def check_size(name: str, size: int) -> None:
    """Raise `InputError` unless a file of ``size`` bytes may be uploaded at all."""
    most = settings.SUPERBOARD_MAX_UPLOAD_MB
    if size <= 0:
        raise InputError(Problem(name, "size", "the file is empty", "pick another"))
    if size > most << 20:
        reason = f"it has {_mb(size):,} MB, more than {most:,} (SUPERBOARD_MAX_UPLOAD_MB)"
        raise InputError(Problem(name, "size", reason, "compress it more, or send it in several uploads"))


def _check_open(team: Team, name: str, entry: Entry | None) -> None:
    most = settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM
    uploads = _open_uploads(team)
    if entry is not None:
        uploads = uploads.exclude(entry=entry)
    if uploads.count() >= most:
        reason = f"{team} has {most:,} uploads that are not published (SUPERBOARD_OPEN_UPLOADS_PER_TEAM)"
        remedy = "there is room again as soon as one of them is published or discarded"
        raise QuotaExceeded(Problem(name, "", reason, remedy))


def _open_uploads(team: Team) -> QuerySet[Upload]:
    """A team's uploads that take a place: of an archive with several entries each entry, not the archive."""
    return Upload.objects.filter(UNPUBLISHED, team=team, state__in=CHARGED, parts=None)


def _check_day(team: Team, name: str, size: int) -> None:
    most = settings.SUPERBOARD_UPLOAD_MB_PER_DAY << 20
    charges = sorted(_charges(team, timezone.now() - DAY))
    used = sum(charged for _at, charged in charges)
    if used + size <= most:
        return
    reason = (
        f"with it {team} would send {_mb(used + size):,} MB within a day, more than {most >> 20:,} "
        "(SUPERBOARD_UPLOAD_MB_PER_DAY)"
    )
    for at, charged in charges:
        used -= charged
        if used + size <= most:
            raise QuotaExceeded(Problem(name, "", reason, room_again_at(at + DAY)))
    raise QuotaExceeded(Problem(name, "", reason, "a file of this size never fits: send a smaller one"))


def _charges(team: Team, since: datetime) -> Iterator[tuple[datetime, int]]:
    """Times and bytes that count since then: uploads not refused, and discarded ones that were accepted."""
    # An archive with several entries counts once, not for each entry.
    kept = Upload.objects.filter(team=team, created__gt=since, state__in=CHARGED, part="")
    yield from kept.values_list("created", "size")
    discarded = AuditEvent.objects.filter(action=DISCARD, at__gt=since, detail__team=team.pk)
    for detail in discarded.values_list("detail", flat=True):
        created = datetime.fromisoformat(detail["created"])
        if created > since:
            yield created, detail["charged"]


def _mb(size: int) -> int:
    """Megabytes, rounded up."""
    return -(-size >> 20)
