"""Where accounts differ from django-allauth's defaults."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from django.conf import settings
from django.contrib import messages
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django.urls import reverse

from leaderboard.core.addresses import absolute

logger = logging.getLogger(__name__)

# No “@”: people sign in with a name or an address, and a name must not look like another account's address.
username_validators = [
    RegexValidator(
        r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z",
        "Up to 40 letters, digits, dots, hyphens and underscores, with a letter or digit first.",
    )
]


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Mails link to the site's own address, whatever host and port the request named.

    A mail server that is down must not cause an error page, nor reveal which addresses have accounts.
    """

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        linked = {name: _own_address(value) for name, value in context.items()}
        own = urlsplit(settings.SUPERBOARD_URL).netloc
        linked["current_site"] = {"domain": own, "name": own}
        try:
            super().send_mail(template_prefix, email, linked)
        except (SMTPException, OSError):
            logger.exception("The mail %s could not be sent", template_prefix)
            text = "The mail could not be sent. Try again later, or tell an operator of this site."
            messages.error(current.request, text)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Only users with a password can type it again."""
        return bool(current.request.user.has_usable_password())


def _own_address(value: Any) -> Any:
    """A link that allauth made for the request's host as one of the site's own; anything else as it is."""
    if not isinstance(value, str):
        return value
    link = urlsplit(value)
    if not link.scheme or link.netloc != current.request.get_host():
        return value
    return absolute(link._replace(scheme="", netloc="").geturl())
