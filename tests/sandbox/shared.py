"""Sandboxes that tests share: a kernel takes seconds to start, to clean up after a test some milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from runner.sandbox.base import Sandbox, SandboxError, Status
from tests.sandbox.cells import LONG

CLEAN = "%cd -q {folder}\n!find . -mindepth 1 -delete\n%reset -f"


class SharedSandboxes:
    """One sandbox of each kind, cleaned before a test gets it.

    Variables, files, the working folder and a cell that still runs are the last test's, and go. What it has
    installed, and hooks and handlers of signals that it has set, would stay: such a test makes a sandbox of
    its own. One that was closed, or whose kernel is dead or does not come clean, is replaced.
    """

    def __init__(self, makers: dict[str, Callable[[], Sandbox]]) -> None:
        self._makers = makers
        self._started: dict[str, tuple[Sandbox, str]] = {}

    def get(self, kind: str) -> Sandbox:
        if kind in self._started:
            sandbox, folder = self._started[kind]
            if _comes_clean(sandbox, folder):
                return sandbox
            sandbox.close()
        sandbox = self._makers[kind]()
        sandbox.start()
        folder = sandbox.execute("import os\nprint(os.getcwd())", LONG).output.strip()
        self._started[kind] = sandbox, folder
        assert _comes_clean(sandbox, folder)
        return sandbox

    def close(self) -> None:
        for sandbox, _ in self._started.values():
            sandbox.close()


def _comes_clean(sandbox: Sandbox, folder: str) -> bool:
    # If no cell is running, it says so.
    with suppress(SandboxError):
        sandbox.interrupt()
    try:
        cleaned = sandbox.execute(CLEAN.format(folder=folder), LONG)
    except SandboxError:
        return False
    return (cleaned.status, cleaned.output) == (Status.OK, "")
