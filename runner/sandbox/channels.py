"""Sends and receives a kernel's messages with jupyter_client over ZMQ."""

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

POLL_MILLISECONDS = 100
ASK_AGAIN_SECONDS = 0.25
MESSAGE_LIMIT = 10_000_000
"""Bytes of the largest message; for a larger one ZMQ drops the connection and connects again."""
QUEUE_LIMIT = 16
"""How many messages wait in our memory; further ones wait in the kernel's."""

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
MALFORMED = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""Errors that a message forged by a cell can cause."""

VERSIONS = {
    "python": "__import__('platform').python_version()",
    "ipykernel": "__import__('ipykernel').__version__",
}

Connection = dict[str, Any]
Message = Mapping[str, Any]


def ipc_connection(prefix: Path | str) -> Connection:
    """A connection with a new key for its messages; its sockets are files named ``prefix`` and a number."""
    return {
        "transport": "ipc",
        "ip": str(prefix),
        "key": secrets.token_hex(32),
        "signature_scheme": "hmac-sha256",
        "kernel_name": "",
        **dict(zip(PORTS, range(1, 6), strict=True)),
    }


class Channels:
    """The channels to one kernel. A thread reads the output; the caller's thread does the rest.

    The thread reads all the time, since a slow reader loses messages, and drops messages that do not belong
    to the current cell.
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
        """Waits for the kernel's first answers, and returns the versions of Python and ipykernel.

        Raises:
            SandboxError: it died, or did not answer within ``timeout`` seconds.
        """
        deadline = time.monotonic() + timeout
        question = self._client.session.msg("kernel_info_request", {})
        while not self._heard.is_set():
            _check(deadline, death)
            # Wait for iopub: only a message there shows that output arrives.
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
        """Starts a cell; its messages go to ``cell``, and those of the previous cell are dropped."""
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
        """Passes the reply, if there is one, to the current cell; drops others."""
        for parent, content in self._replies(0):
            if self._cell and parent == self._cell[0]:
                self._cell[1].reply(failed=content.get("status") != "ok")

    def interrupt(self) -> None:
        """Asks the running cell to stop, over the control channel."""
        self._client.control_channel.send(self._client.session.msg("interrupt_request", {}))
        while self._receive(self._client.control_channel.socket, 0):
            pass

    def close(self) -> None:
        """Ends the thread and closes the sockets. Can be called again."""
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
        """The next message; an empty one if it is malformed, None if none comes in time."""
        if not socket.poll(milliseconds):
            return None
        message: Message | None = {"parent_header": {}}
        with contextlib.suppress(*MALFORMED):
            _, message = self._client.session.recv(socket)
        return message


def _check(deadline: float, death: Callable[[], str | None]) -> None:
    if why := death():
        raise SandboxError(f"the kernel died at its start: {why}")
    if time.monotonic() > deadline:
        raise SandboxError("the kernel did not start in time")
