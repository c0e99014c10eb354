"""A web server in a thread of the tests, and clients that speak HTTP by the byte."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from waitress import wasyncore

from leaderboard.serving.connections import Limits, Server, raise_file_limit
from leaderboard.serving.processes import listen

SECONDS = 60


class Serving:
    """A running server."""

    def __init__(self, server: Server, port: int) -> None:
        self.server, self.port = server, port

    def connect(self, sent: bytes = b"") -> socket.socket:
        """A connection that has sent this."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)
        client.sendall(sent)
        return client

    def ask(self, sent: bytes) -> bytes:
        """All that comes back until the server closes the connection."""
        with self.connect(sent) as client:
            return read_all(client)

    def page(self) -> bytes:
        return self.ask(b"GET /page HTTP/1.1\r\nConnection: close\r\n\r\n")

    def in_loop(self, act: Callable[[], object]) -> None:
        """Have the event loop do something, and wait until it is done."""
        done = threading.Event()

        def act_and_tell() -> None:
            act()
            done.set()

        self.server.trigger.pull_trigger(act_and_tell)
        assert done.wait(SECONDS)

    def wait_for_connections(self, number: int) -> None:
        """Wait until so many have sent what they send, or have an answer that they don't read."""
        found = 0
        while found < number:
            channels: list[Any] = []
            self.in_loop(lambda: channels.extend(self.server.active_channels.values()))  # noqa: B023
            found = sum(
                1 for each in channels if each.request or (each.total_outbufs_len and not each.requests)
            )


def read_all(client: socket.socket) -> bytes:
    """What comes until the end of the connection."""
    return b"".join(iter(lambda: client.recv(1 << 16), b""))


def is_closed(client: socket.socket) -> bool:
    """Wait until the server closes a connection on which it has sent nothing."""
    try:
        return read_all(client) == b""
    except ConnectionResetError:
        return True


@contextmanager
def serving(site: Callable[..., Iterable[bytes]], **limits: Any) -> Iterator[Serving]:
    wanted = {"connections": 1000, "body_bytes": 1 << 20, "held_bytes": 1 << 30, **limits}
    raise_file_limit(wanted["connections"])
    with listen("127.0.0.1", 0) as sock:
        server = Server(site, sock, Limits(**wanted))
        running = Serving(server, sock.getsockname()[1])
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield running
        finally:
            server.trigger.pull_trigger(lambda: _end(server))
            thread.join(SECONDS)
            server.task_dispatcher.shutdown()


def _end(server: Server) -> None:
    """Without anything to poll the event loop ends."""
    for channel in list(server.active_channels.values()):
        channel.handle_close()
    wasyncore.close_all(server._map)  # noqa: SLF001
