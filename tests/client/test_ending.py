"""How the command ends as a program of its own: stopped from outside, or read no further."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.client.commands import results, superboard
from tests.repository.files import ROOT

COMMAND = (sys.executable, "-c", "from leaderboard.client.main import main; main()")


def test_sigterm_ends_it_as_ctrl_c_does_and_leaves_no_file(home: Path, tmp_path: Path) -> None:
    folder, temporary = results(tmp_path / "run", "pet"), tmp_path / "tmp"
    temporary.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        environment = {**os.environ, "TMPDIR": str(temporary), "SUPERBOARD_TOKEN": "x", "SUPERBOARD_URL": url}
        arguments = ("submit", str(folder), "--no-validate")
        with subprocess.Popen(
            (*COMMAND, *arguments), cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
        ) as process:
            silent.settimeout(60)
            connection, _address = silent.accept()
            with connection:
                # It has packed, and waits for what the site says.
                assert list(temporary.iterdir())
                process.send_signal(signal.SIGTERM)
                _out, err = process.communicate(timeout=60)

    assert (process.returncode, "Run the same command again" in err) == (143, True)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("arguments", [("--help",), ("validate", "run", "--json")])
def test_a_reader_that_has_enough_is_no_error(arguments: tuple[str, ...], tmp_path: Path) -> None:
    results(tmp_path / "run", "amrbart_data")
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        (*COMMAND, *arguments),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)

    assert (ended.returncode, ended.stderr) == (1, b"")


def test_it_says_its_version() -> None:
    called = superboard("--version")

    assert (called.code, called.out) == (0, f"superboard {metadata.version('superboard')}\n")
