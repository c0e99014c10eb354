"""A kernel's process on this machine, with all processes that it starts."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

MARK = "SUPERBOARD_SANDBOX"
KILL_SECONDS = 5.0
POLL_SECONDS = 0.02


class KernelProcess:
    """A process with its own process group; its descendants inherit a variable that marks them."""

    def __init__(self, command: list[str], cwd: Path, variables: Mapping[str, str]) -> None:
        self._mark = secrets.token_hex(8)
        self._process = subprocess.Popen(  # noqa: S603 - the command is ours
            command,
            cwd=cwd,
            env={**variables, MARK: self._mark, "JPY_PARENT_PID": str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def death(self) -> str | None:
        """How it ended; None while it runs."""
        status = self._process.poll()
        if status is None:
            return None
        return f"it died of signal {-status}" if status < 0 else f"it ended with status {status}"

    def interrupt(self) -> None:
        """Sends SIGINT to the kernel, which passes it on to a cell's shell commands."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Kills it and all its descendants, also those in other sessions."""
        # Not after it has ended: another process may have its id by now.
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        deadline = time.monotonic() + KILL_SECONDS
        # Repeated, as a process may fork between the search and the kill.
        while kill_processes_with(f"{MARK}={self._mark}") and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)


def kill_processes_with(variable: str) -> bool:
    """Kills the processes with ``NAME=value`` in their environment; returns whether there were any."""
    found = False
    # Only Linux has /proc; elsewhere none is found.
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if variable.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found = True
                os.kill(int(folder.name), signal.SIGKILL)
    return found
