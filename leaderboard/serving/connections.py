"""Connections: an event loop reads requests whole and sends answers, and threads only work on them.

Whatever a client does with its connections, no thread waits for it. What connections hold is bounded: their
number, the pace of a request that arrives, the silence in between, the bytes of bodies and answers. Beyond a
bound, the connection that has been silent the longest is closed, never one that the site is working on.
"""

from __future__ import annotations

import logging
import resource
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from leaderboard.serving.requests import Answer, Refusal, Request
from leaderboard.serving.turns import Turns

THREADS: Final = 4
HEAD_BYTES: Final = 32 << 10
SILENT_SECONDS: Final = 120
"""How long a connection may be silent between requests, or read nothing of its answer."""
PACE_SECONDS: Final = 30
PACE_BYTES: Final = PACE_SECONDS << 10
"""A request that sends less than this in `PACE_SECONDS` before it is complete is given up."""
LINGER_SECONDS: Final = 30
"""How long what a refused sender still sends is read and dropped, so that it comes to read the refusal."""
UNSENT_BYTES: Final = 128 << 10
"""What the system holds of an answer beyond what is on its way to the client."""
MEMORY_OF_BODY: Final = 16 << 10
MEMORY_OF_ANSWER: Final = 128 << 10
"""Larger ones are on disk."""
FILES_OF_CONNECTION: Final = 3
"""Its socket, a body and an answer."""
FILES_OF_SITE: Final = 200
ACCEPTED_AT_ONCE: Final = 32

Site = Callable[..., Iterable[bytes]]
"""A WSGI application."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for one web process."""

    connections: int
    body_bytes: int
    held_bytes: int
    """What all bodies that arrive and answers that are read may hold together, on disk and in memory."""
    behind_proxy: bool = False
    """Whether `X-Forwarded-…` headers reach the site."""


class Connection(HTTPChannel):  # type: ignore[misc]
    parser_class = Request
    task_class = Answer
    error_task_class = Refusal

    # Declared by waitress, without types.
    close_when_flushed: bool
    unread = False
    """Whether the sender of the last request may still be sending what nobody reads."""
    lingering_since = 0.0
    pace_since = 0.0
    pace_bytes = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Bytes of an answer that are read to be sent; otherwise as many as the system's buffer takes.
        self.sendbuf_len = UNSENT_BYTES

    def received(self, data: bytes) -> bool:
        if self.lingering_since:
            return False
        if self.request is None:
            self.pace_since, self.pace_bytes = time.time(), 0
        self.pace_bytes += len(data)
        return bool(super().received(data))

    def handle_write(self) -> None:
        if self.unread and self.close_when_flushed and not self.total_outbufs_len:
            # To close a connection with bytes that nobody has read resets it, and the refusal may be lost.
            self.close_when_flushed = False
            self.lingering_since = time.time()
            self.socket.shutdown(socket.SHUT_WR)
            return
        super().handle_write()

    @property
    def client(self) -> str:
        """Who sent the request: an address; of a proxy's, the last forwarded one, as others can be forged."""
        forwarded = self.requests[0].headers.get("X_FORWARDED_FOR", "") if self.requests else ""
        if forwarded and self.server.limits.behind_proxy:
            return str(forwarded.rpartition(",")[2].strip())
        return str(self.addr[0])

    @property
    def is_served(self) -> bool:
        """Whether the site is working on its request."""
        return bool(self.requests)

    @property
    def held_bytes(self) -> int:
        request = self.request
        return int(self.total_outbufs_len + (request.body_bytes_received if request else 0))

    def is_slow(self, now: float) -> bool:
        """Whether it may be closed. Called by the event loop each second."""
        if self.is_served:
            return False
        if self.lingering_since and now - self.lingering_since > LINGER_SECONDS:
            return True
        if self.request is not None and now - self.pace_since > PACE_SECONDS:
            enough = self.pace_bytes >= PACE_BYTES
            self.pace_since, self.pace_bytes = now, 0
            return not enough
        return bool(now - self.last_activity > SILENT_SECONDS)

    def handle_close(self) -> None:
        """Close it at once: `will_close` waits until the client has read."""
        self.will_close = True
        super().handle_close()
        if self.request is not None:
            self.request.close()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Accepts connections from a socket that several processes may share."""

    channel_class = Connection

    def __init__(self, site: Site, sock: socket.socket, limits: Limits) -> None:
        self.limits = limits
        adjustments = Adjustments(
            sockets=[sock],
            # Waitress would stop accepting; `handle_accept` closes another connection.
            connection_limit=limits.connections + 2 * ACCEPTED_AT_ONCE,
            cleanup_interval=1,
            asyncore_use_poll=True,
            max_request_header_size=HEAD_BYTES,
            max_request_body_size=limits.body_bytes + 1,
            inbuf_overflow=MEMORY_OF_BODY,
            outbuf_overflow=MEMORY_OF_ANSWER,
            # Never reached: a thread would wait there until the client has read.
            outbuf_high_watermark=1 << 62,
            recv_bytes=64 << 10,
            clear_untrusted_proxy_headers=not limits.behind_proxy,
            log_socket_errors=False,
            ident="superboard",
        )
        threads = ThreadedTaskDispatcher()
        threads.queue = Turns()
        threads.set_thread_count(THREADS)
        super().__init__(
            site,
            map={},
            _sock=sock,
            dispatcher=threads,
            adj=adjustments,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            bind_socket=False,
        )

    def set_socket_options(self, conn: socket.socket) -> None:
        super().set_socket_options(conn)
        # The system would take some megabytes for each client that doesn't read.
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_BYTES)

    def handle_accept(self) -> None:
        """Accept several connections: for one at a time, a thousand would wait for a thousand polls."""
        for _ in range(ACCEPTED_AT_ONCE):
            before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) == before:
                break
            if len(self.active_channels) > self.limits.connections:
                _close_most_silent(self._closable())

    def maintenance(self, now: float) -> None:
        """Close the connections that are beyond a bound. Called by the event loop each second."""
        for connection in list(self.active_channels.values()):
            if connection.is_slow(now):
                connection.handle_close()
        holding = [each for each in self._closable() if each.held_bytes]
        held = sum(each.held_bytes for each in holding)
        while held > self.limits.held_bytes:
            held -= _close_most_silent(holding)

    def _closable(self) -> list[Connection]:
        return [each for each in self.active_channels.values() if not each.is_served]


def _close_most_silent(connections: list[Connection]) -> int:
    """Close one of the connections, unless there is none, and return what it held."""
    if not connections:
        return 0
    longest = min(connections, key=lambda each: float(each.last_activity))
    connections.remove(longest)
    held = longest.held_bytes
    longest.handle_close()
    return held


def raise_file_limit(connections: int) -> int:
    """Let this process open as many files as connections need; returns how many connections there may be."""
    needed = connections * FILES_OF_CONNECTION + FILES_OF_SITE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < needed:
        soft = needed if hard == unlimited else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == unlimited or soft >= needed:
        return connections
    possible = max(1, (soft - FILES_OF_SITE) // FILES_OF_CONNECTION)
    logger.warning(
        "This process may open %d files, enough for %d connections; SUPERBOARD_MAX_CONNECTIONS is %d. "
        "Raise the limit of open files (ulimit -n, or LimitNOFILE= of systemd)",
        soft,
        possible,
        connections,
    )
    return possible
