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
from leaderboard.services.webhooks import WebhookFailed, WebhookRefused, post, webhook_key

TELL_TASK: Final = "runner.tasks.tell"
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
        "take": upload.take,
        "name": " ".join(upload.name.split()),
        "sha256": upload.digest,
        "state": upload.state,
        "totals": upload.summary,
        "page": settings.SUPERBOARD_URL.rstrip("/") + upload.get_absolute_url(),
    }


def _told(upload: Upload, tries: int) -> bool:
    """Whether all is told, or nothing more can be done."""
    try:
        if upload.form.get("email") and not upload.progress.get("mailed"):
            _mail(upload)
            # What is tried again is the address alone.
            Upload.objects.filter(pk=upload.pk, take=upload.take).update(progress={"mailed": True})
        if url := upload.form.get("webhook"):
            post(url, notice_data(upload), key=webhook_key(upload.team))
    except WebhookRefused as error:
        logger.warning("upload %s: its address is not told: %s", upload.pk, error)
    except (WebhookFailed, SMTPException, OSError) as error:
        logger.warning("upload %s: telling failed in try %s: %s", upload.pk, tries, error)
        return tries >= TRIES
    return True


def _mail(upload: Upload) -> None:
    # The template's first line is the subject.
    sender = upload.created_by
    if sender is None or not sender.email:
        return
    subject, _rule, text = render_to_string("leaderboard/email/checked.txt", notice_data(upload)).partition(
        "\n"
    )
    send_mail(subject, text.lstrip("\n"), None, [sender.email])
