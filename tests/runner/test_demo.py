"""`make demo`: one command from a checkout to a site in the browser, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management.base import CommandError
from pytest_django import Settings

from runner.management.commands.demo import check_port_is_free, wait_until
from runner.processes import ChildDied, ChildProcess
from runner.staticfiles import collect_static_files_if_stale


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@pytest.fixture
def demo(free_port: int, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A demo that has said where it is, with data of its own."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", str(free_port)],
        cwd=settings.BASE_DIR,
        env={**os.environ, "SUPERBOARD_VAR": str(tmp_path / "var")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        yield process
        process.terminate()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_board_until_it_is_stopped(
    demo: subprocess.Popen[str], free_port: int, stop: signal.Signals
) -> None:
    assert demo.stdout is not None
    said = ""
    for line in demo.stdout:
        said += line
        if "Ctrl-C stops" in line:
            break
    assert f"Superboard is at http://127.0.0.1:{free_port}/" in said

    assert get("/", free_port) == 200

    demo.send_signal(stop)
    assert demo.stdout.read().split() == ["Stopping.", "Stopped."]
    assert demo.wait() == 0
    check_port_is_free(free_port)


def get(path: str, port: int) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_taken_port_is_named_together_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(CommandError, match=rf"Port {port} of .* PORT={port + 1} make demo"):
            check_port_is_free(port)


def test_a_child_that_dies_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(*range(99), 'why it died', sep='\\n'); raise SystemExit(3)"]

    with (
        ChildProcess("worker", command, tmp_path / "log" / "worker.log") as child,
        pytest.raises(ChildDied) as error,
    ):
        wait_until(lambda: False, children=(child,))

    assert str(error.value).startswith(
        f"The worker ended with status 3.\nThe end of {tmp_path}/log/worker.log:\n"
    )
    assert str(error.value).splitlines()[-1] == "why it died"
    assert "\n5\n" not in str(error.value)


def test_a_child_ends_together_with_its_context(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import signal; signal.pause()"]

    with ChildProcess("worker", command, tmp_path / "worker.log") as child:
        child.check_it_lives()

    assert child.process.returncode == -signal.SIGTERM


def test_static_files_are_collected_when_there_is_something_new_and_only_then(
    settings: Settings, tmp_path: Path
) -> None:
    settings.VAR = tmp_path
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "one.css").write_text("a {}")

    assert collect_static_files_if_stale()
    assert not collect_static_files_if_stale()

    (tmp_path / "source" / "one.css").write_text("a { color: red }")
    assert collect_static_files_if_stale()
    assert (tmp_path / "collected" / "one.css").read_text() == "a { color: red }"
