"""What a sandbox adds to a cell beyond jupyter_client alone, and how long each kind takes to start."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient

from benchmarks.table import Row
from runner.sandbox.base import Sandbox, SandboxError, Status
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels, connect
from runner.sandbox.environment import add_layer, prepare_base
from runner.sandbox.local import LocalSandbox

ROOT = Path(__file__).resolve().parent.parent
CELLS = 200
STARTS = 5
CELL = "1 + 1"
MOST_ADDED = 15.0
ADDED = "at most 15 ms added to a cell"
START_LOCAL, START_DOCKER = 3.0, 6.0

Open = Callable[[], Sandbox]


def measure() -> list[Row]:
    """Milliseconds a cell, as the median of 200, and seconds a start, as the median of 5."""
    base = prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        counter = iter(range(1000))

        def local() -> Sandbox:
            return LocalSandbox(Path(folder) / f"local-{next(counter)}", base)

        with client_alone(add_layer(base, Path(folder) / "alone")) as execute:
            rows = _rows("local", local, execute, START_LOCAL)
            if reason := no_engine():
                missing = float("nan")
                return [*rows, Row(f"docker: {reason}", missing, missing, "", "not measured")]
            rows += _rows("docker", docker, execute, START_DOCKER)
    return rows


def docker() -> Sandbox:
    return DockerSandbox(DockerConfig(), Labels("benchmarks", "run", "job"))


def no_engine() -> str:
    """What is missing for containers on this machine; empty where nothing is."""
    try:
        client = connect(DockerConfig())
    except SandboxError:
        return "no engine"
    with ExitStack() as stack:
        stack.callback(client.close)
        return "" if client.images.list(DockerConfig().image) else "no image"


def _rows(name: str, make: Open, alone: Callable[[], object], most_seconds: float) -> list[Row]:
    starts = []
    for _ in range(STARTS):
        sandbox = make()
        starts.append(_seconds(sandbox.start))
        sandbox.close()
    with make() as sandbox:
        # In turns, so that a slow moment of the machine hits both alike.
        pairs = [(_seconds(lambda: _execute(sandbox)), _seconds(alone)) for _ in range(CELLS)]
    ours, theirs = (median(times) * 1000 for times in zip(*pairs, strict=True))
    added = max(0.0, ours - theirs)
    return [
        Row(f"{name}: a cell, against the client alone", ours, theirs, "ms", "see below"),
        Row(f"{name}: added to a cell, against the bound", added, MOST_ADDED, "ms", ADDED),
        Row(f"{name}: start", median(starts), most_seconds, "s", f"at most {most_seconds:g} s"),
    ]


def _execute(sandbox: Sandbox) -> None:
    assert sandbox.execute(CELL, 60).status is Status.OK


def _seconds(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


@contextmanager
def client_alone(python: Path) -> Iterator[Callable[[], object]]:
    """A kernel of the same packages, and jupyter_client's own way to execute a cell in it."""
    with tempfile.TemporaryDirectory(prefix="alone-") as folder:
        client = BlockingKernelClient(connection_file=f"{folder}/c.json", transport="ipc", ip=f"{folder}/k")
        client.write_connection_file()
        command = [str(python), "-m", "ipykernel_launcher", "-f", client.connection_file]
        kernel = subprocess.Popen(  # noqa: S603 - our own words
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            yield lambda: client.execute_interactive(CELL, output_hook=lambda message: None, timeout=60)
        finally:
            client.stop_channels()
            kernel.kill()
            kernel.wait()
