"""The processes of the web server: one that binds the socket, and children that serve it.

A child that ends is started again. Children end with their parent, however that ends.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Final, NoReturn

from leaderboard.core.restarts import Restarts

BACKLOG: Final = 1024
SECONDS_BETWEEN_LOOKS: Final = 0.1
SECONDS_TO_STOP: Final = 10

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Child:
    """A place for a child process; ``pid`` is 0 while there is none."""

    pid: int = 0
    started: float = 0.0
    due: float = 0.0
    restarts: Restarts = field(default_factory=Restarts)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; OSError if the address can't be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.create_server((host, port), family=family, backlog=BACKLOG)
    # Of the processes that wake up for a new connection, all but one find none.
    sock.setblocking(False)
    return sock


def keep_serving(serve: Callable[[], None], *, processes: int) -> None:
    """Run ``serve`` in child processes until SIGTERM, SIGINT or SIGHUP.

    ``serve`` returns at SystemExit, which SIGTERM raises in a child.
    """
    # No child holds its writing end, so the reading end ends with this process.
    lifeline, end = os.pipe()
    children = [_Child() for _ in range(processes)]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        while True:
            _start_due(children, serve, lifeline, end)
            _note_ended(children)
            time.sleep(SECONDS_BETWEEN_LOOKS)
    except SystemExit:
        logger.info("Stopping.")
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _stop_children(children)
        os.close(end)
        os.close(lifeline)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _start_due(children: list[_Child], serve: Callable[[], None], lifeline: int, end: int) -> None:
    for child in children:
        if child.pid or child.due > time.monotonic():
            continue
        child.started = time.monotonic()
        # A signal between the fork and the note of its pid would leave the child behind.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        child.pid = os.fork()
        if not child.pid:
            _be_child(serve, lifeline, end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        logger.info("Web process %d started.", child.pid)


def _be_child(serve: Callable[[], None], lifeline: int, end: int) -> NoReturn:
    """Serve, and end this process: nothing of the parent's stack may go on in it."""
    status = 1
    try:
        os.close(end)
        # Ctrl-C reaches the whole group; the parent stops its children.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, _stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
        serve()
        status = 0
    except SystemExit:
        status = 0
    except BaseException:
        logger.exception("A web process failed")
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _end_with_parent(lifeline: int) -> NoReturn:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_STOP)
    os._exit(1)


def _note_ended(children: list[_Child]) -> None:
    for child in children:
        status = _status_if_ended(child.pid)
        if status is None:
            continue
        pause = child.restarts.pause_after(time.monotonic() - child.started)
        logger.error("Web process %d ended (%s). Another starts in %.0f s.", child.pid, status, pause)
        child.pid, child.due = 0, time.monotonic() + pause


def _status_if_ended(pid: int) -> str | None:
    """How a child ended; None while it runs, or where there is none."""
    if not pid:
        return None
    ended, status = os.waitpid(pid, os.WNOHANG)
    if not ended:
        return None
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"status {code}"


def _stop_children(children: list[_Child]) -> None:
    deadline = time.monotonic() + SECONDS_TO_STOP
    left = [child.pid for child in children if child.pid]
    for pid in left:
        os.kill(pid, signal.SIGTERM)
    while left:
        left = [pid for pid in left if _status_if_ended(pid) is None]
        if left and time.monotonic() > deadline:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
        time.sleep(SECONDS_BETWEEN_LOOKS / 5)
