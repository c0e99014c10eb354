"""A kernel's messages, by jupyter_client over ZMQ."""

from __future__ import annotations

import ast
import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import KernelConnectionInfo

from runner.sandbox.base import SandboxError
from runner.sandbox.cell import Cell
from runner.words import gettext_noop as _

POLL_MILLISECONDS = 100
ASK_AGAIN_SECONDS = 0.25
MESSAGE_LIMIT = 10_000_000
"""Bytes of the largest message; a larger one is never read, and its connection is made anew."""
QUEUE_LIMIT = 16
"""Messages that wait in our memory; more of them wait in the kernel's."""

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
MALFORMED = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""What a message that a cell made up by itself can raise."""

VERSIONS = {
    "python": "__import__('platform').python_version()",
    "ipykernel": "__import__('ipykernel').__version__",
}

Connection = dict[str, Any]
Message = Mapping[str, Any]


def ipc_connection(prefix: Path | str, key: str) -> Connection:
    """A connection whose sockets are files called ``prefix`` and a number."""
    ports = dict(zip(PORTS, range(1, 6), strict=True))
    return {
        "transport": "ipc",
        "ip": str(prefix),
        "key": key,
        "signature_scheme": "hmac-sha256",
        "kernel_name": "",
        **ports,
    }


def new_key() -> str:
    """A key that messages are signed with."""
    return secrets.token_hex(32)


class Channels:
    """The channels to one kernel. One thread of ours reads output all the time; the rest is the caller's.

    A reader that lags loses messages, and whoever waits for nothing still must not fill the memory: what
    belongs to no current cell is read and forgotten.
    """

    def __init__(self, connection: Connection) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, MESSAGE_LIMIT)
        self._context.setsockopt(zmq.RCVHWM, QUEUE_LIMIT)
        self._client = BlockingKernelClient(context=self._context)
        self._client.load_connection_info(cast("KernelConnectionInfo", connection))
        self._client.start_channels(stdin=False, hb=False)
        self._cell: tuple[str, Cell] | None = None
        self._heard = threading.Event()
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._read, name="kernel-reader", daemon=True)
        self._reader.start()

    def wait_until_ready(self, timeout: float, death: Callable[[], str | None]) -> dict[str, str]:
        """Waits for the kernel's first answers, and returns the versions of what it runs on.

        Raises:
            SandboxError: it died, or ``timeout`` seconds are over.
        """
        deadline = time.monotonic() + timeout
        question = self._client.session.msg("kernel_info_request", {})
        while not self._heard.is_set():
            _check(deadline, death)
            # An answer on iopub shows that outputs arrive; a reply on the shell channel would not.
            self._client.shell_channel.send(question)
            self._heard.wait(ASK_AGAIN_SECONDS)
        asked = self._client.execute("", silent=True, user_expressions=VERSIONS)
        while True:
            _check(deadline, death)
            for parent, content in self._replies(POLL_MILLISECONDS):
                if parent == asked and "user_expressions" in content:
                    return {
                        name: str(ast.literal_eval(value["data"]["text/plain"]))
                        for name, value in content["user_expressions"].items()
                    }

    def send(self, code: str, cell: Cell) -> None:
        """Starts a cell; its messages go to ``cell`` from now on, the previous one's nowhere."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        message = self._client.session.msg("execute_request", content)
        self._cell = (message["header"]["msg_id"], cell)
        self._client.shell_channel.send(message)

    def read_replies(self) -> None:
        """Hands the current cell its reply, if it is there; forgets others."""
        for parent, content in self._replies(0):
            if self._cell and parent == self._cell[0]:
                self._cell[1].reply(failed=content.get("status") != "ok")

    def interrupt(self) -> None:
        """Asks the running cell to stop, over the control channel."""
        self._client.control_channel.send(self._client.session.msg("interrupt_request", {}))
        while self._receive(self._client.control_channel.socket, 0):
            pass

    def close(self) -> None:
        """Ends the thread and closes the sockets. The second time nothing happens."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._reader.join()
        self._client.stop_channels()
        self._context.destroy(linger=0)

    def _read(self) -> None:
        socket = self._client.iopub_channel.socket
        while not self._closing.is_set():
            message = self._receive(socket, POLL_MILLISECONDS)
            current = self._cell
            with contextlib.suppress(*MALFORMED):
                if message:
                    self._heard.set()
                    if current and message["parent_header"].get("msg_id") == current[0]:
                        current[1].feed(message["header"]["msg_type"], message["content"])

    def _replies(self, milliseconds: int) -> list[tuple[str, dict[str, Any]]]:
        replies = []
        while message := self._receive(self._client.shell_channel.socket, milliseconds):
            milliseconds = 0
            content = message.get("content")
            replies.append(
                (str(message["parent_header"].get("msg_id")), content if isinstance(content, dict) else {})
            )
        return replies

    def _receive(self, socket: Any, milliseconds: int) -> Message | None:
        """The next message; an empty one if it is no message at all, None if there is none in time."""
        if not socket.poll(milliseconds):
            return None
        message: Message | None = {"parent_header": {}}
        with contextlib.suppress(*MALFORMED):
            _, message = self._client.session.recv(socket)
        return message


def _check(deadline: float, death: Callable[[], str | None]) -> None:
    if why := death():
        raise SandboxError(_("the kernel died at its start: {why}"), why=why)
    if time.monotonic() > deadline:
        raise SandboxError(_("the kernel did not start in time"))
