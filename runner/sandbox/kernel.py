"""A kernel process and the messages of one cell after another, over sockets in a private folder."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from runner.sandbox.base import SandboxError, Status

START_SECONDS = 60.0
STOP_SECONDS = 5.0
POLL_SECONDS = 0.1
OUTPUT_LIMIT = 20_000_000
"""Characters kept of one call's output; the count of the rest is said at its end."""

Message = dict[str, Any]


class Kernel:
    """An ipykernel of the given interpreter. Started by the constructor, ended by ``close``.

    Raises:
        SandboxError: it did not answer in time; nothing is left running.
    """

    def __init__(self, python: Path, cwd: Path, variables: Mapping[str, str]) -> None:
        # Sockets are files in a folder of our own: no port that others on the machine could connect to.
        self._folder = Path(tempfile.mkdtemp(prefix="kernel-"))
        connection, _ = write_connection_file(
            str(self._folder / "connection.json"),
            transport="ipc",
            ip=str(self._folder / "socket"),
            key=secrets.token_hex(32).encode(),
        )
        self._process = subprocess.Popen(  # noqa: S603 - the interpreter is ours
            [str(python), "-m", "ipykernel_launcher", "-f", connection],
            cwd=cwd,
            env={**variables, "JPY_PARENT_PID": str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._client = BlockingKernelClient(connection_file=connection)
        self._client.load_connection_file()
        self._client.start_channels(stdin=False, hb=False)
        self._messages: SimpleQueue[Message] = SimpleQueue()
        self._closing = threading.Event()
        self._failed = False
        # Read at once, whatever the caller does meanwhile: a reader that lags loses messages.
        self._reader = threading.Thread(target=self._read, name="kernel-reader", daemon=True)
        self._reader.start()
        try:
            self._wait_until_ready(START_SECONDS)
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    def send(self, code: str) -> str:
        """Starts a cell and returns its message's id, for ``collect``."""
        self._failed = False
        message: str = self._client.execute(code, allow_stdin=False, stop_on_error=False)
        return message

    def collect(self, cell: str, timeout: float) -> tuple[str, Status]:
        """The output of a cell until it ends, ``timeout`` seconds are over, or the kernel dies."""
        deadline = time.monotonic() + timeout
        texts: list[str] = []
        kept = dropped = 0
        status = Status.RUNNING
        # Looked at before every message: a cell that never stops printing never leaves the queue empty.
        while (left := deadline - time.monotonic()) > 0:
            try:
                message = self._messages.get(timeout=min(POLL_SECONDS, left))
            except Empty:
                if self.alive:
                    continue
                status = Status.DEAD
                break
            if message["parent_header"].get("msg_id") != cell:
                continue
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                status = Status.ERROR if self._failed else Status.OK
                break
            self._failed = self._failed or kind == "error"
            text = _text_of(kind, content)
            texts.append(text[: max(0, OUTPUT_LIMIT - kept)])
            kept += len(texts[-1])
            dropped += len(text) - len(texts[-1])
        if dropped:
            texts.append(
                f"\n[{dropped} more characters, beyond the limit of {OUTPUT_LIMIT}, were left out]\n"
            )
        return "".join(texts), status

    def interrupt(self) -> None:
        """Asks the running cell to stop."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Ends the process and its group, and removes the sockets."""
        if self._closing.is_set():
            return
        # The shell commands of a cell have sessions of their own; they go when an interrupted cell ends them
        # or when the kernel's end hangs up their terminal.
        self.interrupt()
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._closing.set()
        self._reader.join()
        self._client.stop_channels()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(Empty):
                self._messages.put(self._client.iopub_channel.get_msg(timeout=POLL_SECONDS))

    def _wait_until_ready(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while self.alive and time.monotonic() < deadline:
            self._client.kernel_info()
            try:
                # An answer on iopub shows that outputs arrive; a reply on the shell channel would not.
                self._messages.get(timeout=0.5)
            except Empty:
                continue
            return
        raise SandboxError(
            "the kernel died at its start" if not self.alive else "the kernel did not start in time"
        )


def _text_of(kind: str, content: Message) -> str:
    if kind == "stream":
        return str(content["text"])
    if kind in ("execute_result", "display_data"):
        return f"{content['data'].get('text/plain', '')}\n"
    if kind == "error":
        return "\n".join(content["traceback"]) + "\n"
    return ""
