"""The processes of the web server: one that ends comes back, and none outlives the first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository.files import ROOT
from tests.test_supervisor import processes_that_name, until

PROGRAM = """
import signal
from leaderboard.serving.processes import keep_serving
keep_serving(signal.pause, processes=2)
"""


@pytest.fixture
def first(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The first process, with its two children; the folder in its command line tells them from others."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, tmp_path], cwd=ROOT)
    until(lambda: len(processes_that_name(tmp_path)) == 3, "they did not start")
    yield process
    process.kill()
    process.wait()


def children(of: subprocess.Popen[bytes], folder: Path) -> set[int]:
    return processes_that_name(folder) - {of.pid}


def test_one_that_is_killed_is_started_again(first: subprocess.Popen[bytes], tmp_path: Path) -> None:
    before = children(first, tmp_path)

    os.kill(min(before), signal.SIGKILL)

    until(lambda: len(children(first, tmp_path) - before) == 1, "no other was started")
    assert max(before) in children(first, tmp_path)


def test_none_is_left_when_the_first_is_killed(first: subprocess.Popen[bytes], tmp_path: Path) -> None:
    first.kill()

    first.wait()
    until(lambda: not processes_that_name(tmp_path), "processes are left")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_they_stop_together(number: signal.Signals, first: subprocess.Popen[bytes], tmp_path: Path) -> None:
    first.send_signal(number)

    assert first.wait(60) == 0
    assert not processes_that_name(tmp_path)
