"""A router for each kind of resource, which has all methods of an address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ninja import Router

from leaderboard.core.endpoints.queries import only_known_parameters

BENCHMARKS = Router(tags=["Benchmarks"])
ENTRIES = Router(tags=["Entries"])
ATTEMPTS = Router(tags=["Attempts"])
UPLOADS = Router(tags=["Uploads"])
RUNS = Router(tags=["Runs"])
ACCOUNT = Router(tags=["Account"])
ROUTERS = (BENCHMARKS, ENTRIES, ATTEMPTS, UPLOADS, RUNS, ACCOUNT)
"""In the order of the API reference."""
for _router in ROUTERS:
    _router.add_decorator(only_known_parameters, mode="view")


Operation = TypeVar("Operation", bound=Callable[..., Any])


def reads(router: Router, path: str, **options: Any) -> Callable[[Operation], Operation]:
    """Register a read operation for GET and HEAD."""
    return router.api_operation(["GET", "HEAD"], path, **options)
