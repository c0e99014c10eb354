"""Rate limits: requests of each caller, counted in the cache, minute by minute."""

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
"""Seconds over which requests are counted together."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A caller's requests in this window; ``reset`` is the number of seconds until the next window."""

    limit: int
    used: int
    reset: int

    @property
    def exceeded(self) -> bool:
        return self.used > self.limit


def count_request(*, name: str, authenticated: bool) -> Usage:
    """Count a request of the caller ``name``; authenticated callers have a higher limit.

    Processes without a shared cache count separately.
    """
    limit = settings.SUPERBOARD_API_RATE if authenticated else settings.SUPERBOARD_API_RATE_ANONYMOUS
    window, passed = divmod(time(), WINDOW)
    # A name can contain any characters that a proxy forwarded; a cache key can't.
    key = f"api-rate:{name.encode().hex()[:150]}:{int(window)}"
    cache = caches["requests"]
    cache.add(key, 0, timeout=2 * WINDOW)
    try:
        used = cache.incr(key)
    except ValueError:
        # The full cache evicted the key between the two calls: counting starts again.
        used = 1
    return Usage(limit, used, math.ceil(WINDOW - passed))


def rate_limit_refusal(usage: Usage) -> Refusal:
    limit = plural(usage.limit, "{n} request", "{n} requests")
    detail = f"More than {limit} a minute. Try again in {usage.reset} seconds."
    headers = {"Retry-After": str(usage.reset)}
    return Refusal("too-many-requests", detail, headers=headers)


def add_rate_limit_headers(response: HttpResponseBase, usage: Usage) -> None:
    response["RateLimit-Limit"] = str(usage.limit)
    response["RateLimit-Remaining"] = str(max(0, usage.limit - usage.used))
    response["RateLimit-Reset"] = str(usage.reset)
