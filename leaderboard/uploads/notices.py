"""Notify a submitter that checking has ended: by e-mail, and by webhook.

The upload's row says when its notice is due, so a lost message loses no notice. After a failed try, or the
death of a worker, it is due again later. So a notice may be sent twice.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any, Final

from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.core.addresses import absolute
from leaderboard.core.permissions import teams_of
from leaderboard.models import Upload
from leaderboard.uploads.webhooks import WebhookFailed, WebhookRefused, post, webhook_key

TELL_TASK: Final = "runner.worker.tasks.tell"
TRIES: Final = 8
"""Tries of a notice, over more than four hours in all."""
FIRST_PAUSE: Final = timedelta(minutes=1)

logger = logging.getLogger(__name__)


def due_notices() -> int:
    return Upload.objects.filter(notice_due__lte=timezone.now()).count()


def send_next_notice() -> bool:
    """Send the notice of one upload; False if none is due, or another worker sends it."""
    now = timezone.now()
    upload = Upload.objects.filter(notice_due__lte=now).order_by("notice_due").select_related("team").first()
    if upload is None:
        return False
    tries = upload.notice_tries + 1
    unclaimed = Upload.objects.filter(pk=upload.pk, notice_due=upload.notice_due)
    again = now + FIRST_PAUSE * 2 ** (tries - 1)
    if not unclaimed.update(notice_due=again, notice_tries=tries):
        return False
    if _notify(upload, tries):
        # Unless it was checked again in the meantime and another notice is due.
        Upload.objects.filter(pk=upload.pk, notice_due=again).update(notice_due=None)
    return True


def notice_data(upload: Upload) -> dict[str, Any]:
    """The body of a webhook; docs/submitting.md describes it."""
    return {
        "event": "upload.checked",
        "upload": str(upload.pk),
        "claim_number": upload.claim_number,
        "name": " ".join(upload.name.split()),
        "sha256": upload.digest,
        "state": upload.state,
        "totals": upload.summary,
        "page": absolute(upload.get_absolute_url()),
    }


def _notify(upload: Upload, tries: int) -> bool:
    """Send what was not sent yet; returns whether to stop trying. A failed e-mail delays no webhook."""
    sender = upload.created_by
    # Whoever has left the team learns nothing more of its uploads.
    is_member = sender is not None and teams_of(sender).filter(pk=upload.team_id).exists()
    email = sender.email if sender and is_member and upload.form.get("email") else ""
    failed = False
    for mark, send, address in (("mailed", _mail, email), ("posted", _post, upload.form.get("webhook"))):
        if not address or upload.progress.get(mark):
            continue
        try:
            send(upload, address)
        except (SMTPException, OSError, WebhookFailed) as error:
            logger.warning("upload %s: try %s to notify failed: %s", upload.pk, tries, error)
            failed = True
            continue
        # A further try leaves it out.
        upload.progress |= {mark: True}
        Upload.objects.filter(pk=upload.pk, claim_number=upload.claim_number).update(progress=upload.progress)
    return not failed or tries >= TRIES


def _mail(upload: Upload, address: str) -> None:
    # The template's first line is the subject.
    rendered = render_to_string("uploads/email/checked.txt", notice_data(upload))
    subject, _rule, text = rendered.partition("\n")
    send_mail(subject, text.lstrip("\n"), None, [address])


def _post(upload: Upload, url: str) -> None:
    try:
        post(url, notice_data(upload), key=webhook_key(upload.team))
    except WebhookRefused as error:
        logger.warning("upload %s: the webhook was refused: %s", upload.pk, error)
