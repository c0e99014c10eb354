"""A sandbox on this machine: it has its own environment and folders, but no isolation.

For recordings, tests and trusted agents. The cells run as this process's user and can read all its files.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runner.sandbox import hardware
from runner.sandbox.base import Limits, SandboxError
from runner.sandbox.channels import Channels, ipc_connection
from runner.sandbox.environment import KERNEL_MODULE, add_layer
from runner.sandbox.kernel import KernelSandbox, Wire
from runner.sandbox.process import KernelProcess

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
LONGEST_NAME = 4096
PRIVATE_PREFIX = "kernel-"
PRIVATE_LINK = "private"
"""A link in a sandbox's folder to the folder of its sockets, for removing both after a worker's death."""


class LocalSandbox(KernelSandbox):
    """Runs cells in ``folder``: the working folder is workspace/, beside env/ and home/.

    The folder must not exist, or be empty. It stays after ``close``; the caller removes it. ``base_packages``
    are from ``environment.prepare_base``. No environment variable is inherited from this process.
    """

    def __init__(
        self,
        folder: Path,
        base_packages: Path,
        variables: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(limits or Limits())
        self.working_folder = folder / "workspace"
        self._folder = folder
        self._base_packages = base_packages
        self._variables = dict(variables or {})
        self._process: KernelProcess | None = None
        self._channels: Channels | None = None
        self._versions: dict[str, str] = {}

    def write_file(self, name: str, data: bytes) -> None:
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise SandboxError(f"{name} is not a file")
            path.write_bytes(data)
        except (NotADirectoryError, FileExistsError) as error:
            raise SandboxError(f"{name} leads through something that is not a folder") from error

    def read_file(self, name: str) -> bytes:
        try:
            # Non-blocking, as opening a named pipe would wait for ever.
            descriptor = os.open(self._path(name), os.O_RDONLY | os.O_NONBLOCK)
        except NotADirectoryError as error:
            raise SandboxError(f"{name} leads through something that is not a folder") from error
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise SandboxError(f"{name} is not a file")
            if about.st_size > self.limits.file:
                raise SandboxError(f"{name} has more bytes than the limit of {self.limits.file:,}")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(self.limits.file)
        finally:
            os.close(descriptor)

    def describe(self) -> dict[str, Any]:
        self._open_wire()
        return {
            "kind": "local",
            **self._versions,
            "limits": asdict(self.limits),
            "hardware": hardware.of_this_machine(),
        }

    def _launch(self) -> Wire:
        self._folder.mkdir(parents=True, exist_ok=True)
        if any(self._folder.iterdir()):
            raise SandboxError(f"{self._folder} is not empty")
        home = self._folder / "home"
        for folder in (self.working_folder, home):
            folder.mkdir()
        python = add_layer(self._base_packages, self._folder / "env")
        variables = {
            "PATH": f"{python.parent}:{SYSTEM_PATH}",
            "VIRTUAL_ENV": str(self._folder / "env"),
            "HOME": str(home),
            "IPYTHONDIR": str(home / ".ipython"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        # Sockets are files in a private folder: other users could connect to ports.
        self._private = Path(tempfile.mkdtemp(prefix=PRIVATE_PREFIX))
        (self._folder / PRIVATE_LINK).symlink_to(self._private)
        connection = ipc_connection(self._private / "socket")
        file = self._private / "connection.json"
        file.write_text(json.dumps(connection))
        self._process = KernelProcess(
            [str(python), "-P", "-m", KERNEL_MODULE, "-f", str(file)],
            self.working_folder,
            variables | self._variables,
        )
        self._channels = Channels(connection)
        self._versions = self._channels.wait_until_ready(self.limits.start_seconds, self._death)
        return self._channels

    def _death(self) -> str | None:
        return self._process.death() if self._process else None

    def _ask_to_stop(self) -> None:
        if self._process:
            self._process.interrupt()

    def _kill(self) -> None:
        if self._process:
            self._process.kill()

    def _end(self) -> None:
        self._kill()
        if self._channels:
            self._channels.close()

    def _path(self, name: str) -> Path:
        self._open_wire()
        if "\0" in name or len(name) > LONGEST_NAME:
            raise SandboxError("that is not a file name")
        root = self.working_folder.resolve()
        # Resolved, so that a link made by a cell can't lead out of the folder.
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise SandboxError(f"{name} is not in the working folder")
        return path
