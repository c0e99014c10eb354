"""A container's standard input, held open: a byte now and then tells it that its owner lives.

The other way round, its end is the quickest way to learn that the container, or the engine, is gone.
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
    """Writes from a thread of its own until ``close``; attaches again where the engine lets it.

    Args:
        client: of the engine.
        container: its id.
        alone_seconds: what the container waits for before it ends itself.
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
        """For how long it has been cut; None while it holds."""
        since = self._lost_since
        return None if since is None else time.monotonic() - since

    def close(self) -> None:
        """Ends the thread."""
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
        """Returns, or raises OSError, when the stream has ended."""
        due = 0.0
        while not self._closing.is_set():
            if time.monotonic() >= due:
                _write(stream, b".")
                due = time.monotonic() + self._beat_seconds
            if select.select([stream], [], [], SELECT_SECONDS)[0]:
                if not os.read(stream.fileno(), READ_SIZE):
                    return
            else:
                # Only now does it hold: a container that has stopped lets us attach, and ends the stream.
                self._lost_since = None

    def _attach(self) -> Any:
        return self._client.api.attach_socket(self._container, params={"stdin": 1, "stdout": 1, "stream": 1})


def _write(stream: Any, data: bytes) -> None:
    # With TLS it is a socket, without a file around one that is opened for reading.
    if hasattr(stream, "send"):
        stream.send(data)
    else:
        os.write(stream.fileno(), data)


def _close(stream: Any) -> None:
    # The client keeps the answer that the stream came with beside it, and that keeps the connection open.
    if answer := getattr(stream, "_response", None):
        answer.close()
    stream.close()
