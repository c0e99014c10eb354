"""Telling a submitter that checking has ended: by e-mail, and at an address of theirs.

What is due is in the upload's row, so that nothing hangs on a message: a try that fails, or a worker that
dies over it, leaves it due again a while later. A notice may thus come twice.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any, Final

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.models import Upload
from leaderboard.uploads.webhooks import WebhookFailed, WebhookRefused, post, webhook_key

TELL_TASK: Final = "runner.worker.tasks.tell"
TRIES: Final = 8
"""How often an address is tried: over four hours in all."""
FIRST_PAUSE: Final = timedelta(minutes=1)

logger = logging.getLogger(__name__)


def due_notices() -> int:
    """How many uploads have something to tell now."""
    return Upload.objects.filter(notice_due__lte=timezone.now()).count()


def tell_next() -> bool:
    """Tell what is due of one upload; False where nothing is, or somebody else does it."""
    now = timezone.now()
    upload = Upload.objects.filter(notice_due__lte=now).order_by("notice_due").select_related("team").first()
    if upload is None:
        return False
    tries = upload.notice_tries + 1
    mine = Upload.objects.filter(pk=upload.pk, notice_due=upload.notice_due)
    again = now + FIRST_PAUSE * 2 ** (tries - 1)
    if not mine.update(notice_due=again, notice_tries=tries):
        return False
    if _told(upload, tries):
        # Unless it was checked once more meanwhile, and has something else to tell.
        Upload.objects.filter(pk=upload.pk, notice_due=again).update(notice_due=None)
    return True


def notice_data(upload: Upload) -> dict[str, Any]:
    """What an address is told; docs/submitting.md describes it."""
    return {
        "event": "upload.checked",
        "upload": str(upload.pk),
        "claim_number": upload.claim_number,
        "name": " ".join(upload.name.split()),
        "sha256": upload.digest,
        "state": upload.state,
        "totals": upload.summary,
        "page": settings.SUPERBOARD_URL.rstrip("/") + upload.get_absolute_url(),
    }


def _told(upload: Upload, tries: int) -> bool:
    """Whether all is told, or nothing more can be done. A mail that fails keeps no webhook waiting."""
    told = [tell(upload, tries) for tell in (_mail, _post)]
    return all(told) or tries >= TRIES


def _mail(upload: Upload, tries: int) -> bool:
    sender = upload.created_by
    if not upload.form.get("email") or upload.progress.get("mailed") or sender is None or not sender.email:
        return True
    # The template's first line is the subject.
    rendered = render_to_string("uploads/email/checked.txt", notice_data(upload))
    subject, _rule, text = rendered.partition("\n")
    try:
        send_mail(subject, text.lstrip("\n"), None, [sender.email])
    except (SMTPException, OSError) as error:
        return _failed(upload, tries, error)
    _note(upload, "mailed")
    return True


def _post(upload: Upload, tries: int) -> bool:
    url = upload.form.get("webhook")
    if not url or upload.progress.get("posted"):
        return True
    try:
        post(url, notice_data(upload), key=webhook_key(upload.team))
    except WebhookRefused as error:
        logger.warning("upload %s: its address is not told: %s", upload.pk, error)
    except WebhookFailed as error:
        return _failed(upload, tries, error)
    _note(upload, "posted")
    return True


def _note(upload: Upload, what: str) -> None:
    """Have what is tried again be the rest alone."""
    upload.progress |= {what: True}
    Upload.objects.filter(pk=upload.pk, claim_number=upload.claim_number).update(progress=upload.progress)


def _failed(upload: Upload, tries: int, error: Exception) -> bool:
    logger.warning("upload %s: telling failed in try %s: %s", upload.pk, tries, error)
    return False
