"""A router for each kind of resource, which has all methods of an address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ninja import Router

BENCHMARKS = Router(tags=["Benchmarks"])
ENTRIES = Router(tags=["Entries"])
ATTEMPTS = Router(tags=["Attempts"])
UPLOADS = Router(tags=["Uploads"])
RUNS = Router(tags=["Runs"])
ACCOUNT = Router(tags=["Account"])
ROUTERS = (BENCHMARKS, ENTRIES, ATTEMPTS, UPLOADS, RUNS, ACCOUNT)
"""In the order of the API reference."""


Operation = TypeVar("Operation", bound=Callable[..., Any])


def reads(router: Router, path: str, **options: Any) -> Callable[[Operation], Operation]:
    """Register a read operation for GET and HEAD."""
    return router.api_operation(["GET", "HEAD"], path, **options)
