"""How long pages take while clients hold 500 connections, held against the same pages of an idle site."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from statistics import median

from django.urls import reverse

from benchmarks.table import Row
from benchmarks.temporary_site import MANAGE, ROOT, VAR, client
from leaderboard.models import Attempt

CONNECTIONS = 500
SECONDS = 30.0
"""How long each kind of client is there."""
BETWEEN = 0.1
LARGE_FILE = "/static/plotly/plotly.min.js"
BOUND = "at most 1 s, whoever else is connected"
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
FORM = (
    b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nlogin="
)


def measure() -> list[Row]:
    client()
    large = Attempt.objects.filter(has_trajectory=True).latest("step_count")
    pages = [reverse("home"), reverse("about"), large.get_absolute_url()]
    asked = f"GET {LARGE_FILE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    subprocess.run([*MANAGE, "collectstatic", "--no-input", "--verbosity=0"], cwd=ROOT, check=True)  # noqa: S603
    with serving() as port:
        for page in pages:
            ask(port, page)
        idle = times(port, pages, SECONDS)
        rows = _rows("nobody else", idle, idle)
        for name, first, drip, reads in (
            ("who send half a header", HEAD, b"", False),
            ("who send a byte of a header now and then", HEAD, b"x", False),
            ("who send half a form", FORM, b"", False),
            ("who send a byte of a form now and then", FORM, b"x", False),
            ("who read a large file slowly", asked, b"", True),
        ):
            with Crowd(port, first, drip, reads=reads):
                rows += _rows(f"{CONNECTIONS} {name}", times(port, pages, SECONDS), idle)
    return rows


def _rows(name: str, taken: list[float], idle: list[float]) -> list[Row]:
    return [
        Row(f"{name}: median", median(taken) * 1000, median(idle) * 1000, "ms", "against the idle site"),
        Row(f"{name}: slowest of {len(taken)}", max(taken) * 1000, 1000, "ms", BOUND),
    ]


@contextmanager
def serving() -> Iterator[int]:
    """The web server on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    with (VAR / "web.log").open("wb") as log:
        web = subprocess.Popen(  # noqa: S603 - the command is ours
            [*MANAGE, "serve", "--port", str(port)], cwd=ROOT, stdout=log, stderr=log
        )
    try:
        for _ in range(600):
            with suppress(OSError):
                ask(port, reverse("about"))
                break
            time.sleep(0.1)
        yield port
    finally:
        web.terminate()
        web.wait()


def ask(port: int, path: str) -> float:
    """Seconds from a new connection to the last byte of a page."""
    start = time.perf_counter()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Host": "localhost"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
    finally:
        connection.close()
    return time.perf_counter() - start


def times(port: int, pages: list[str], seconds: float) -> list[float]:
    """How long pages take, one after the other, for some seconds."""
    taken: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        taken.append(ask(port, pages[len(taken) % len(pages)]))
        time.sleep(BETWEEN)
    return taken


class Crowd:
    """Clients that send ``first`` and then each second ``drip``, or read 100 bytes; they come again."""

    def __init__(self, port: int, first: bytes, drip: bytes, *, reads: bool) -> None:
        self._port, self._first, self._drip, self._reads = port, first, drip, reads
        self._leaving = threading.Event()
        self._sockets: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        while len(self._sockets) < CONNECTIONS:
            self._connect()
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._leaving.set()
        self._thread.join()
        for each in self._sockets:
            each.close()

    def _connect(self) -> None:
        each = socket.socket()
        each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Another client than the one who is timed, where this machine has such an address.
        with suppress(OSError):
            each.bind(("127.0.0.2", 0))
        each.connect(("127.0.0.1", self._port))
        each.sendall(self._first)
        self._sockets.append(each)

    def _run(self) -> None:
        act: Callable[[socket.socket], bool] = self._read if self._reads else self._send
        while not self._leaving.wait(1):
            for each in list(self._sockets):
                if not act(each):
                    each.close()
                    self._sockets.remove(each)
                    self._connect()

    def _send(self, each: socket.socket) -> bool:
        """Send a little; False if the server closed the connection."""
        try:
            if self._drip:
                each.send(self._drip)
            return each.recv(1000, socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _read(self, each: socket.socket) -> bool:
        with suppress(BlockingIOError, OSError):
            return each.recv(100, socket.MSG_DONTWAIT) != b""
        return True
