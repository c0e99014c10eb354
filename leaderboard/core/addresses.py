"""Links that leave the site, in mails and to webhooks: from `SUPERBOARD_URL`, never from a request."""

from __future__ import annotations

from django.conf import settings


def absolute(path: str) -> str:
    """The whole address of a path on this site."""
    return f"{settings.SUPERBOARD_URL.rstrip('/')}{path}"
