"""A test run that is killed leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.repository.files import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to a subreaper")

SECONDS = 120
RUN = """
import os, subprocess, sys
from pathlib import Path

WAIT = "import signal; signal.pause()"
# Like a shell command of a kernel: its parent has ended; it has a session and an environment of its own.
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {WAIT!r}, sys.argv[1]])"

def start(code):
    return subprocess.Popen([sys.executable, "-c", code, folder], start_new_session=True, env={})

folder = Path(__file__).parent

def test_that_never_ends():
    child, orphan = start(WAIT), start(ORPHAN)
    orphan.wait()
    (folder / "unready").write_text(f"{os.getpid()} {os.getppid()}")
    (folder / "unready").rename(folder / "ready")
    child.wait()
"""
HAS_STARTED = 2


def processes_that_name(folder: Path) -> set[int]:
    """Those with ``folder`` in their command line: a run, its test's children, and theirs."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if os.fsencode(folder) in path.read_bytes():
                found.add(int(path.parent.name))
    return found


def until(happens: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not happens():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


class Run:
    """A test run whose test has a child and an orphan, and waits for ever."""

    def __init__(self, folder: Path, workers: int, plugin: str) -> None:
        self.folder = folder
        self.log = folder / "log"
        (folder / "test_run.py").write_text(RUN)
        (folder / "pytest.ini").write_text("[pytest]")
        options = ["-p", plugin, "-p", "no:cacheprovider"]
        variables = {"DJANGO_SETTINGS_MODULE": "leaderboard.core.settings"}
        if plugin != "tests.conftest":
            # A run without Django starts in a fraction of the time.
            variables = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        if workers:
            options += ["-p", "xdist", f"--numprocesses={workers}", "--max-worker-restart=0"]
        # Not a worker's mark: it says that a run is within one that is supervised already.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
        with self.log.open("wb") as log:
            # A group of its own, as a shell gives to each command.
            self.first = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options, folder],
                cwd=ROOT,
                env=inherited | variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                # A shell starts what runs in its background with SIGINT ignored, and children inherit that.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        until(lambda: (folder / "ready").exists() or self.first.poll() is not None, "the run did not start")
        assert self.first.poll() is None, self.log.read_text()
        # The process that runs the test; its parent is the second, or pytest where there are workers.
        self.tester, self.testers_parent = map(int, (folder / "ready").read_text().split())

    def leaves_nothing(self) -> bool:
        self.first.wait(timeout=SECONDS)
        until(lambda: not processes_that_name(self.folder), "processes are left")
        return True

    def close(self) -> None:
        for process in processes_that_name(self.folder):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.first.wait()


Start = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(*, workers: int, plugin: str = "tests.supervisor") -> Run:
            run = Run(tmp_path, workers, plugin)
            stack.callback(run.close)
            return run

        yield begin


def test_one_that_is_not_killed_goes_on(start: Start) -> None:
    run = start(workers=0)

    assert len(processes_that_name(run.folder)) == 3 + HAS_STARTED
    assert run.first.poll() is None
    assert run.tester != run.first.pid


@pytest.mark.parametrize(("kill", "workers"), [(os.kill, 1), (os.killpg, 0)], ids=["alone", "with its group"])
def test_one_whose_first_process_is_killed(
    kill: Callable[[int, int], None], workers: int, start: Start
) -> None:
    run = start(workers=workers)

    kill(run.first.pid, signal.SIGKILL)

    assert run.leaves_nothing()
    assert run.first.returncode == -signal.SIGKILL


def test_one_whose_pytest_is_killed(start: Start) -> None:
    run = start(workers=1)

    os.kill(run.testers_parent, signal.SIGKILL)

    assert run.leaves_nothing()
    assert run.first.returncode == 128 + signal.SIGKILL


def test_our_own_runs_are_supervised(start: Start) -> None:
    run = start(workers=0, plugin="tests.conftest")

    os.kill(run.tester, signal.SIGKILL)

    assert run.leaves_nothing()


def test_one_whose_second_process_is_killed(start: Start) -> None:
    run = start(workers=0)

    os.kill(run.testers_parent, signal.SIGKILL)

    assert run.leaves_nothing()
    assert run.first.returncode == 128 + signal.SIGKILL


def test_one_whose_worker_is_killed_fails(start: Start) -> None:
    run = start(workers=1)

    os.kill(run.tester, signal.SIGKILL)

    assert run.leaves_nothing()
    assert run.first.returncode == 1, run.log.read_text()


def test_one_that_is_interrupted_in_the_terminal(start: Start) -> None:
    run = start(workers=0)

    os.killpg(run.first.pid, signal.SIGINT)

    assert run.leaves_nothing()
    assert run.first.returncode == 2, run.log.read_text()
