"""The web server of `superboard view`: on loopback, a thread for each request."""

from __future__ import annotations

import errno
import sys
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from leaderboard.domain.errors import InputError, Problem

ADDRESS: Final = "127.0.0.1"
FIRST_PORT: Final = 7575
TRIES: Final = 20
"""Ports after the first that are tried where none was asked for."""


class Handler(WSGIRequestHandler):
    """Says nothing of requests, and does not look up the client's name, which would ask the network."""

    timeout = 60

    def address_string(self) -> str:
        return str(self.client_address[0])

    def log_message(self, *args: Any) -> None:
        pass


class Server(ThreadingMixIn, WSGIServer):
    """Serves the pages; a browser that does not read its answer keeps nothing else waiting."""

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"
    request_queue_size = 50

    def server_bind(self) -> None:
        # Not as HTTPServer: it looks up the name of the address.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, int(self.server_address[1])
        self.setup_environ()

    def handle_error(self, *args: Any) -> None:
        """A browser that goes away in the middle of an answer is no fault; Django logs those of pages."""


def listen(port: int | None) -> Server:
    """A server that accepts connections from now on; they wait until it serves.

    Raises:
        InputError: the port is taken; without one, so are `TRIES` ports.
    """
    ports = [port] if port is not None else range(FIRST_PORT, FIRST_PORT + TRIES)
    for each in ports:
        try:
            return Server((ADDRESS, each), Handler)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    tried = f"port {port} is" if port is not None else f"ports {ports[0]} to {ports[-1]} are"
    remedy = "give another with --port; --port 0 takes any that is free"
    raise InputError(Problem("the command", "", f"{tried} taken or not allowed", remedy))
