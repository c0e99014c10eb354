"""A Docker engine of a test's own, which can be restarted without costing anybody else's containers."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from runner.sandbox.base import SandboxError
from runner.sandbox.engine import DockerConfig, connect

SECONDS = 60
DAEMON = ("unshare", "--net", "dockerd", "--bridge", "none", "--iptables=false", "--ip6tables=false")
"""In a network of its own: without a bridge dockerd would take that of the machine's engine down."""


class OwnEngine:
    """Needs root. Its containers have no network, and its images are in memory: they go in no time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://{folder / 'engine'}"
        (folder / "data").mkdir()
        subprocess.run(("mount", "-t", "tmpfs", "-o", "size=3g", "images", folder / "data"), check=True)

    def close(self) -> None:
        """Nothing of it stays."""
        self.stop()
        subprocess.run(("umount", "--lazy", self._folder / "data"), check=True)
        shutil.rmtree(self._folder)

    def start(self) -> None:
        """Returns when it answers."""
        places = {"data-root": "data", "exec-root": "exec", "pidfile": "pid"}
        options = [f"--{option}={self._folder / name}" for option, name in places.items()]
        log = self._folder / "log"
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [*DAEMON, *options, f"--host={self.url}"], stdin=subprocess.DEVNULL, stdout=file, stderr=file
            )
        deadline = time.monotonic() + SECONDS
        while not self._answers():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)

    def stop(self) -> None:
        """As the machine's service manager does; it takes its containers along."""
        if self._process:
            self._process.terminate()
            self._process.wait()

    def load(self, image: str) -> None:
        """Takes an image over from the machine's engine."""
        with subprocess.Popen(("docker", "save", image), stdout=subprocess.PIPE) as saved:
            subprocess.run(("docker", "--host", self.url, "load", "--quiet"), stdin=saved.stdout, check=True)
        assert saved.returncode == 0

    def _answers(self) -> bool:
        try:
            connect(DockerConfig(engine=self.url)).close()
        except SandboxError:
            return False
        return True
