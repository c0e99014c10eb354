"""Where accounts differ from django-allauth's defaults."""

from __future__ import annotations

import logging
import math
import time
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django.urls import reverse

from leaderboard.core.addresses import absolute
from leaderboard.domain.durations import duration_text
from leaderboard.domain.name_keys import name_key

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

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse another attempt after too many wrong passwords, and say for how long."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as refusal:
            key = self._get_login_attempts_cache_key(request, **credentials)
            wait = duration_text(self._seconds_to_wait(request, key))
            raise ValidationError(
                f"Too many failed login attempts from your address. Try again in {wait}, or reset your "
                "password.",
                code=refusal.code,
            ) from None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count attempts by account and address: wrong passwords of others must not keep its owner out."""
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{ratelimit.get_ip(request)}"

    def _seconds_to_wait(self, request: HttpRequest, key: str) -> int:
        """Until the oldest of the attempts that are too many no longer counts."""
        waits = [1.0]
        where = {"app": "allauth.account", "action": "login_failed"}
        for rate in ratelimit.get_rates(**where):
            attempts = cache.get(ratelimit.get_cache_key(request, **where, rate=rate, key=key), [])
            if len(attempts) >= rate.amount:
                waits.append(attempts[-1] + rate.duration - time.time())
        return math.ceil(max(waits))

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """A new account's name; one that looks like another's is taken, as with the names of teams."""
        name: str = super().clean_username(username, shallow=shallow)
        key = name_key(name)
        names = User.objects.values_list("username", flat=True).iterator()
        if not shallow and any(name_key(other) == key for other in names):
            raise ValidationError("There is an account whose name looks like this one. Choose another.")
        return name

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
