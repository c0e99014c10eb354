"""How often a caller may ask: counted in the cache, minute by minute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import time

from django.conf import settings
from django.core.cache import caches
from django.http import HttpResponseBase

from leaderboard.core.endpoints.problems import Refusal
from leaderboard.domain.text import plural

WINDOW = 60
"""Seconds in which requests are counted together."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a caller has asked in this window; ``reset`` is the number of seconds to the next."""

    limit: int
    used: int
    reset: int

    @property
    def exceeded(self) -> bool:
        return self.used > self.limit


def count_request(*, name: str, known: bool) -> Usage:
    """Count one more request of the caller called ``name``; more are allowed to one whom we know.

    Processes that share no cache each count on their own.
    """
    limit = settings.SUPERBOARD_API_RATE if known else settings.SUPERBOARD_API_RATE_ANONYMOUS
    window, passed = divmod(time(), WINDOW)
    # A name can hold anything that a proxy passed on; a key can't.
    key = f"api-rate:{name.encode().hex()[:150]}:{int(window)}"
    cache = caches["requests"]
    cache.add(key, 0, timeout=2 * WINDOW)
    try:
        used = cache.incr(key)
    except ValueError:
        # Thrown out between the two calls: the cache is full, and counting starts anew.
        used = 1
    return Usage(limit, used, math.ceil(WINDOW - passed))


def too_many(usage: Usage) -> Refusal:
    """The refusal of one request too many."""
    limit = plural(usage.limit, "{n} request", "{n} requests")
    detail = f"More than {limit} a minute. Try again in {usage.reset} seconds."
    headers = {"Retry-After": str(usage.reset)}
    return Refusal("too-many-requests", detail, headers=headers)


def add_headers(response: HttpResponseBase, usage: Usage) -> None:
    """Say how much is left."""
    response["RateLimit-Limit"] = str(usage.limit)
    response["RateLimit-Remaining"] = str(max(0, usage.limit - usage.used))
    response["RateLimit-Reset"] = str(usage.reset)
