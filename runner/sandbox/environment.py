"""Python environments for kernels: a base with ipykernel, and a small one above it for each sandbox."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from runner.sandbox.base import SandboxError

INSIDE = Path(__file__).parent / "inside"
KERNEL_MODULE = "superboard_kernel"
KERNEL_PACKAGES = ("pip", "ipykernel")
READY = "superboard-ready"

# pip's own script would run the base's Python, and install into the base.
PIP_SCRIPT = '#!/bin/sh\nexec "$(dirname "$0")/python" -m pip "$@"\n'


def prepare_base(folder: Path, constraints: Path | None = None) -> Path:
    """Makes an environment with ipykernel in ``folder``, unless there is one, and returns its site-packages.

    There is one for each Python and each content of ``constraints``, and it never changes once it is made.
    A lock lets only one process make it. The first call needs a package index and 10 to 30 seconds.

    Raises:
        SandboxError: pip could not install the packages; the message has the end of its output.
    """
    pins = constraints.read_bytes() if constraints else b""
    environment = (
        folder / hashlib.sha256(f"{sys.version}\n{KERNEL_PACKAGES}\n".encode() + pins).hexdigest()[:12]
    )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (environment / READY).exists():
            shutil.rmtree(environment, ignore_errors=True)
            venv.EnvBuilder(with_pip=True, symlinks=True).create(environment)
            _install(environment / "bin" / "python", constraints)
            (environment / READY).touch()
    return _site_packages(environment)


def add_layer(base_packages: Path, folder: Path) -> Path:
    """Makes an empty environment that also sees ``base_packages``, and returns its Python.

    Packages installed into it do not change the base. Takes about 0.1 s and no network.
    """
    venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
    shutil.copy(INSIDE / f"{KERNEL_MODULE}.py", _site_packages(folder))
    (_site_packages(folder) / "kernel-base.pth").write_text(f"{base_packages}\n")
    for name in ("pip", "pip3"):
        script = folder / "bin" / name
        script.write_text(PIP_SCRIPT)
        script.chmod(0o755)
    return folder / "bin" / "python"


def _site_packages(folder: Path) -> Path:
    return folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def _install(python: Path, constraints: Path | None) -> None:
    options = ("--quiet", "--disable-pip-version-check")
    command = [str(python), "-m", "pip", "install", *options, *KERNEL_PACKAGES]
    if constraints:
        command += ["--constraint", str(constraints)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the command is ours
    if done.returncode:
        raise SandboxError(f"pip could not make the kernels' environment: {done.stderr[-2000:]}")
