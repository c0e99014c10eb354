"""A sandbox on this machine: an environment and folders of its own, but no isolation from the machine.

For recordings, tests and trusted agents. The cells run as the user who runs this; what must be kept from
an agent must not be readable by that user.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from runner.sandbox.base import Execution, Sandbox, SandboxError, Status
from runner.sandbox.environment import add_layer
from runner.sandbox.kernel import Kernel

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
INTERRUPT_SECONDS = 3.0
INTERRUPT_TIMES = 5


class LocalSandbox(Sandbox):
    """Runs cells in ``folder``: the working folder is work/, beside env/ and home/.

    Args:
        folder: must not exist, or be empty; stays after ``close``, for the caller to look at and remove.
        base_packages: what ``environment.prepare_base`` returned.
        variables: further environment variables. Nothing else is inherited: no PATH of the project, no keys.
    """

    def __init__(self, folder: Path, base_packages: Path, variables: Mapping[str, str] | None = None) -> None:
        self.working_folder = folder / "work"
        self._folder = folder
        self._base_packages = base_packages
        self._variables = dict(variables or {})
        self._kernel: Kernel | None = None
        self._closed = False
        self._running = ""

    def start(self) -> None:
        """See the contract."""
        if self._kernel or self._closed:
            raise SandboxError("a sandbox is started once")
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
        self._kernel = Kernel(python, self.working_folder, variables | self._variables)

    def execute(self, code: str, timeout: float) -> Execution:
        """See the contract."""
        kernel = self._live_kernel()
        if self._running:
            raise SandboxError("a cell is still running")
        started = datetime.now(UTC)
        self._running = kernel.send(code)
        return self._collect(kernel, timeout, started)

    def keep_waiting(self, timeout: float) -> Execution:
        """See the contract."""
        return self._collect(self._kernel_of_running_cell(), timeout, datetime.now(UTC))

    def interrupt(self) -> Execution:
        """See the contract."""
        kernel = self._kernel_of_running_cell()
        started = datetime.now(UTC)
        output = ""
        for _ in range(INTERRUPT_TIMES):
            # One signal can be lost: a kernel ignores those that come just before it enters the cell.
            kernel.interrupt()
            part = self._collect(kernel, INTERRUPT_SECONDS, started)
            output += part.output
            if not part.timed_out:
                break
        return Execution(output, part.status, started, part.ended)

    def write_file(self, name: str, data: bytes) -> None:
        """See the contract."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def read_file(self, name: str) -> bytes:
        """See the contract."""
        return self._path(name).read_bytes()

    def close(self) -> None:
        """See the contract."""
        self._closed = True
        if self._kernel:
            self._kernel.close()
            self._kernel = None

    def _collect(self, kernel: Kernel, timeout: float, started: datetime) -> Execution:
        output, status = kernel.collect(self._running, timeout)
        if status is not Status.RUNNING:
            self._running = ""
        return Execution(output, status, started, datetime.now(UTC))

    def _live_kernel(self) -> Kernel:
        if not self._kernel:
            raise SandboxError("the sandbox is closed" if self._closed else "the sandbox was not started")
        if not self._kernel.alive:
            raise SandboxError("the kernel is dead")
        return self._kernel

    def _kernel_of_running_cell(self) -> Kernel:
        kernel = self._live_kernel()
        if not self._running:
            raise SandboxError("no cell is running")
        return kernel

    def _path(self, name: str) -> Path:
        if not self._kernel:
            raise SandboxError("the sandbox is closed" if self._closed else "the sandbox was not started")
        root = self.working_folder.resolve()
        # Resolved, so that a link which a cell left behind does not lead us out.
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise SandboxError(f"{name} is not in the working folder")
        return path
