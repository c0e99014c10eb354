"""A way to the site that breaks off, as networks do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PIECE = 4096


class Cutter:
    """Passes connections on to ``port``; each of the first ones is cut when it has sent so many bytes."""

    def __init__(self, port: int, cuts: list[int]) -> None:
        self.cuts = cuts
        self.connections = 0
        self._port = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._threads: list[threading.Thread] = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _address = self._socket.accept()
                self.connections += 1
                thread = threading.Thread(target=self._pass_on, args=(client,))
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._port)) as site:
            back = threading.Thread(target=_copy, args=(site, client))
            back.start()
            sent = 0
            with suppress(OSError):
                while data := client.recv(PIECE):
                    site.sendall(data)
                    sent += len(data)
                    if self.cuts and sent > self.cuts[0]:
                        self.cuts.pop(0)
                        break
            for end in (site, client):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            back.join()


@contextmanager
def cutting(url: str, *cuts: int) -> Iterator[Cutter]:
    """A way to ``url`` that is cut after so many bytes, once for each of ``cuts``."""
    cutter = Cutter(urlsplit(url).port or 80, list(cuts))
    try:
        yield cutter
    finally:
        cutter.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(PIECE):
            target.sendall(data)
