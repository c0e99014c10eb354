"""Pages and API lists over 1,000,000 made attempts against 10,000, each in a PostgreSQL of its own.

Two sites are asked in turns, each in a process of its own with a database of its own; a row is the shortest
of several requests, the database's work included.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from benchmarks.made_site import ADDRESSES
from benchmarks.table import Row
from tests.servers import postgres_server

SMALL, LARGE = 1, 100
"""Times 10,000 attempts."""
RUNS = 12
BOUND = "at most twice as long (a ratio of 0.5 or more)"


def measure() -> list[Row]:
    """One row an address: milliseconds with 1,000,000 attempts, and with 10,000."""
    with ExitStack() as sites:
        large, small = (sites.enter_context(_site(size)) for size in (LARGE, SMALL))
        return [_row(name, address, large, small) for name, address in ADDRESSES.items()]


def _row(name: str, address: str, large: _Site, small: _Site) -> Row:
    times = [(large.ask(address), small.ask(address)) for _ in range(RUNS)]
    ours, against = (min(taken) for taken in zip(*times[1:], strict=True))
    return Row(f"{name}, 1,000,000 attempts against 10,000", ours, against, "ms", BOUND)


class _Site:
    """A site in another process."""

    def __init__(self, to: IO[str], back: IO[str]) -> None:
        self._to = to
        self._back = back

    def ask(self, address: str) -> float:
        """Milliseconds of a request."""
        self._to.write(f"{address}\n")
        self._to.flush()
        return float(self._back.readline())


@contextmanager
def _site(size: int) -> Iterator[_Site]:
    with postgres_server() as url:
        command = [sys.executable, "-m", "benchmarks.made_site", str(size)]
        environment = {**os.environ, "BENCH_DATABASE_URL": url}
        with subprocess.Popen(  # noqa: S603 - our own module
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stdout.readline() == "ready\n", "the site could not be made"
            yield _Site(process.stdin, process.stdout)
            process.stdin.close()
