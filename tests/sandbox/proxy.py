"""A Docker engine that can go away and come back: what stands between a client and the real one."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path

READ_SIZE = 65_536


class EngineProxy:
    """Passes all on to ``engine``, until it is stopped; can be started again.

    It listens on ``path``, or on some port of 127.0.0.1 where that is None.
    """

    def __init__(self, path: Path | None, engine: Path) -> None:
        self._path = path
        self._engine = engine
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener: socket.socket | None = None
        self.url = f"unix://{path}"

    def start(self) -> None:
        """Answers from now on, at ``url``."""
        if self._path:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(self._path))
        else:
            self._listener = socket.socket()
            self._listener.bind(("127.0.0.1", 0))
            self.url = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._listener.listen()
        self._spawn(self._accept, self._listener)

    def stop(self) -> None:
        """Cuts every connection and takes no new ones."""
        if not self._listener:
            return
        for end in [self._listener, *self._ends]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in [self._listener, *self._ends]:
            end.close()
        if self._path:
            self._path.unlink()
        self._listener, self._ends, self._threads = None, [], []

    def _spawn(self, target: object, *sockets: socket.socket) -> None:
        thread = threading.Thread(target=target, args=sockets, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                engine = socket.socket(socket.AF_UNIX)
                engine.connect(str(self._engine))
                self._ends += [client, engine]
                self._spawn(self._pass_on, client, engine)
                self._spawn(self._pass_on, engine, client)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(READ_SIZE):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
