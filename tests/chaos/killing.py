"""Kills a random process of a site every few seconds, and notes when the site could not answer for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from runner.sandbox.environment import KERNEL_MODULE
from tests.chaos.site import Site

WEB, WEB_CHILD = "web server", "web process"
GUARD = "guard"
"""What starts web server and worker for `make demo`."""
WORKER, HELPER, POOL_CHILD, KERNEL = "worker", "helper of a check", "process of a helper", "kernel"
OTHER = "other"
"""What a cell has started, or what is about to end as its parent was killed."""
POOL = "leaderboard.intake.pool"
PAUSES_OF_A_WORKER = 5
"""Kills of other processes between two of a worker."""
SECONDS_TO_END = 60
"""For a process whose parent was killed."""


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    command: str


@dataclass(slots=True)
class Outage:
    """The time of a kill of a process that serves, until requests must be answered again."""

    start: float
    end: float = float("inf")


class Killer(threading.Thread):
    """Every ``pause`` seconds, more or less, kills a process of a random kind, until stopped."""

    def __init__(self, site: Site, random: Random, *, pause: float) -> None:
        super().__init__(name="killer")
        self._site = site
        self._random = random
        self._pause = pause
        self._over = threading.Event()
        self._watches: list[threading.Thread] = []
        self.kills: Counter[str] = Counter()
        self.outages: list[Outage] = []
        self.problems: list[str] = []

    def stop(self) -> None:
        """Kill no more, and wait until the site answers."""
        self._over.set()
        self.join()
        for watch in self._watches:
            watch.join()

    def run(self) -> None:
        while not self._over.wait(self._pause * self._random.uniform(0.5, 1.5)):
            self.kill_one()

    def kill_one(self) -> None:
        """Kill a process of a random kind."""
        kinds = by_kind(self._site)
        fair = sorted(kind for kind, processes in kinds.items() if self._is_fair(kind, processes))
        if not fair:
            return
        kind = self._random.choice(fair)
        victim = self._random.choice(sorted(kinds[kind], key=lambda each: each.pid))
        if kind in (GUARD, WEB, WEB_CHILD):
            # Noted first: requests fail from now on.
            self.outages.append(outage := Outage(time.monotonic()))
        with suppress(ProcessLookupError):
            os.kill(victim.pid, signal.SIGKILL)
            self.kills[kind] += 1
        if kind == WEB_CHILD:
            # Others go on answering: only what this one was at is lost.
            outage.end = time.monotonic()
        elif kind in (GUARD, WEB):
            watch = threading.Thread(target=self._watch, args=(outage, kinds.get(WEB_CHILD, [])))
            watch.start()
            self._watches.append(watch)

    def _is_fair(self, kind: str, processes: list[Process]) -> bool:
        """Whether a process of a kind may be killed now: a site that is always starting does nothing else."""
        if kind in (GUARD, WEB):
            return all(outage.end < float("inf") for outage in self.outages)
        return kind != WORKER or min(map(_age, processes)) > PAUSES_OF_A_WORKER * self._pause

    def _watch(self, outage: Outage, others: list[Process]) -> None:
        """Note when a site whose web server was killed answers again."""
        # What it had started may answer until it ends.
        deadline = time.monotonic() + SECONDS_TO_END
        while {process.pid for process in others} & {*self._site.processes()}:
            if time.monotonic() > deadline:
                self.problems.append("web processes go on without the one that started them")
                return
            time.sleep(0.05)
        try:
            self._site.wait_until_it_answers()
        except AssertionError as error:
            self.problems.append(str(error))
        outage.end = time.monotonic()

    def excuses(self, start: float, end: float) -> bool:
        """Whether a request in this time may fail: its server process was killed."""
        return any(outage.start <= end and start <= outage.end for outage in self.outages)


def by_kind(site: Site) -> dict[str, list[Process]]:
    """The site's processes by what they are."""
    known = {process.pid: process for pid in site.processes() if (process := _look(pid))}
    # `make demo` itself is what `make chaos` is for a site without it.
    known = {pid: process for pid, process in known.items() if " manage.py demo " not in process.command}
    kinds: dict[str, list[Process]] = defaultdict(list)
    for process in known.values():
        kinds[_kind(process, known.get(process.parent))].append(process)
    return dict(kinds)


def _kind(process: Process, parent: Process | None) -> str:
    if "/guard.py " in process.command:
        return GUARD
    above = "" if parent is None or "/guard.py " in parent.command else parent.command
    if " manage.py serve " in process.command:
        return WEB_CHILD if " manage.py serve " in above else WEB
    if " celery " in process.command:
        return OTHER if " celery " in above else WORKER
    if KERNEL_MODULE in process.command:
        return KERNEL
    if POOL in process.command:
        return POOL_CHILD if parent and POOL in parent.command else HELPER
    return OTHER


def _age(process: Process) -> float:
    """Seconds since its start; 0 if it has ended."""
    try:
        return time.time() - Path(f"/proc/{process.pid}").stat().st_mtime
    except OSError:
        return 0.0


def _look(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    # "pid (name) state parent …"; the name may have spaces and brackets.
    return Process(pid, int(stat.rpartition(")")[2].split()[1]), command)
