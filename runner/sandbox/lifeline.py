"""A connection to a container's standard input: regular bytes tell it that its owner is alive.

The end of the connection is the quickest sign that the container or the engine has stopped.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from typing import Any

from runner.sandbox.engine import ENGINE_ERRORS

BEATS_IN_SILENCE = 10
SELECT_SECONDS = 0.5
READ_SIZE = 4096


class Lifeline:
    """Writes in its own thread until ``close``; attaches again after a lost connection.

    The container ends itself after ``alone_seconds`` without a byte.
    """

    def __init__(self, client: Any, container: str, alone_seconds: float) -> None:
        self._client = client
        self._container = container
        self._beat_seconds = alone_seconds / BEATS_IN_SILENCE
        self._closing = threading.Event()
        self._lost_since: float | None = None
        self._stream = self._attach()
        self._thread = threading.Thread(target=self._run, name="sandbox-lifeline", daemon=True)
        self._thread.start()

    def lost_seconds(self) -> float | None:
        """How long the connection has been lost; None while it holds."""
        since = self._lost_since
        return None if since is None else time.monotonic() - since

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(*ENGINE_ERRORS):
                stream, self._stream = self._stream or self._attach(), None
                try:
                    self._beat(stream)
                finally:
                    _close(stream)
            self._lost_since = self._lost_since or time.monotonic()
            self._closing.wait(SELECT_SECONDS)

    def _beat(self, stream: Any) -> None:
        """Writes until the stream has ended; then returns or raises OSError."""
        due = 0.0
        while not self._closing.is_set():
            if time.monotonic() >= due:
                _write(stream, b".")
                due = time.monotonic() + self._beat_seconds
            if select.select([stream], [], [], SELECT_SECONDS)[0]:
                if not os.read(stream.fileno(), READ_SIZE):
                    return
            else:
                # Only an open stream proves it: a stopped container lets us attach, then ends the stream.
                self._lost_since = None

    def _attach(self) -> Any:
        return self._client.api.attach_socket(self._container, params={"stdin": 1, "stdout": 1, "stream": 1})


def _write(stream: Any, data: bytes) -> None:
    # With TLS the stream is a socket; without, it is a file opened for reading around a socket.
    if hasattr(stream, "send"):
        stream.send(data)
    else:
        os.write(stream.fileno(), data)


def _close(stream: Any) -> None:
    # The client keeps the HTTP response with the stream, and it would keep the connection open.
    if answer := getattr(stream, "_response", None):
        answer.close()
    stream.close()
