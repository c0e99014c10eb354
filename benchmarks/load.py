"""`python -m benchmarks.load PORT PATH CONNECTIONS SECONDS`: ask for one page again and again.

A process of its own, and as little of Python as will do: it runs on the processors that the site runs on.
Prints JSON: requests a second, and the milliseconds within which 95 of 100 were answered.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time


class _Client:
    """A connection that waits for the answer to its request."""

    def __init__(self, port: int, request: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self._request = request
        self.ask()

    def ask(self) -> None:
        self._answer = bytearray()
        self._length = -1
        self._asked = time.perf_counter()
        self.socket.sendall(self._request)

    def read(self) -> float | None:
        """Seconds since the request, once its answer is complete."""
        data = self.socket.recv(1 << 20)
        assert data, "the site closed a connection"
        self._answer += data
        if self._length < 0:
            head, end, _ = self._answer.partition(b"\r\n\r\n")
            if not end:
                return None
            assert head.startswith(b"HTTP/1.1 200 "), bytes(head)
            size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            self._length = len(head) + len(end) + int(size.partition(b":")[2])
        return time.perf_counter() - self._asked if len(self._answer) >= self._length else None


def ask_for_a_while(port: int, path: str, connections: int, seconds: float) -> list[float]:
    """How long each answer took, in seconds."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    taken: list[float] = []
    with selectors.DefaultSelector() as ready:
        for _ in range(connections):
            client = _Client(port, request)
            ready.register(client.socket, selectors.EVENT_READ, client)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for key, _ in ready.select():
                if (passed := key.data.read()) is not None:
                    taken.append(passed)
                    key.data.ask()
    return taken


def main(port: str, path: str, connections: str, seconds: str) -> None:
    taken = sorted(ask_for_a_while(int(port), path, int(connections), float(seconds)))
    print(json.dumps({"a_second": len(taken) / float(seconds), "p95": taken[len(taken) * 95 // 100] * 1000}))


if __name__ == "__main__":
    main(*sys.argv[1:])
