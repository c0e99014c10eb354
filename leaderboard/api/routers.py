"""A router for each kind of thing, whatever modules add to it: an address has one, for all of its methods."""

from __future__ import annotations

from ninja import Router

BENCHMARKS = Router(tags=["Benchmarks"])
ENTRIES = Router(tags=["Entries"])
ATTEMPTS = Router(tags=["Attempts"])
UPLOADS = Router(tags=["Uploads"])
RUNS = Router(tags=["Runs"])
ACCOUNT = Router(tags=["Account"])
ROUTERS = (BENCHMARKS, ENTRIES, ATTEMPTS, UPLOADS, RUNS, ACCOUNT)
"""In the order of the reference."""
