"""Nothing that a test run has started outlives it, even if the run is killed.

The run is three processes. The first is the one that was started, the last runs pytest:

    first ── second ── pytest ── xdist's workers, Chromium, Celery, Redis, kernels, …

Linux hands the orphans below a "child subreaper" to it. First and second are subreapers, so whatever pytest's
descendants do (sessions of their own, daemons, an empty environment), they become children of a process that
waits for pytest to end and then kills what is left:

- pytest is killed: the second kills the rest, and the first passes the exit status on.
- The first is killed, alone or with its process group: the second is in another group, and is sent SIGTERM.
- The second is killed: the rest are now the first's, which kills them.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest

# Of <sys/prctl.h>.
SET_PARENT_DEATH_SIGNAL = 1
SET_CHILD_SUBREAPER = 36


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main() -> None:
    """Begin each run so; a worker of xdist is within one. Only Linux has subreapers."""
    if sys.platform == "linux" and "PYTEST_XDIST_WORKER" not in os.environ:
        supervise()


def supervise() -> None:
    """Go on in a child process, and kill what it leaves behind when it ends."""
    _set(SET_CHILD_SUBREAPER, 1)
    group = os.getpgrp()
    if second := os.fork():
        # Ctrl-C in the terminal is for pytest, which then ends by itself.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _end_with(second)
    signal.signal(signal.SIGTERM, _end_at_once)
    _set(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    _set(SET_CHILD_SUBREAPER, 1)
    os.setpgid(0, 0)
    if third := os.fork():
        _end_with(third)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # The terminal's foreground group: Ctrl-C and the debugger's prompt work as they would without us.
    os.setpgid(0, group)


def _set(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _end_with(child: int) -> NoReturn:
    """Wait for a child, kill the rest, and end with the child's status (128 + n if signal n killed it)."""
    while True:
        # Orphans too: one that has ended must not stay as a zombie.
        ended, status = os.waitpid(-1, 0)
        if ended == child:
            break
    _kill_children()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _end_at_once(number: int, _frame: object) -> NoReturn:
    _kill_children()
    os._exit(128 + number)


def _kill_children() -> None:
    """Kill until there is none: the children of each become ours when it ends."""
    with suppress(ChildProcessError):
        while True:
            for child in _children():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # "pid (name) state parent …"; the name may have spaces and brackets.
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                yield int(stat.parent.name)
