"""Files of runs for `superboard view`, and the command itself, asked over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.repository.files import ROOT

COMMAND = (sys.executable, "-c", "from leaderboard.client.main import main; main()", "view")


def history(*observations: str, query: str = "Report the accuracy.", answer: Any = None) -> bytes:
    """A SUPER history.json with a command for each observation, and a submission where there is an answer."""
    steps = [
        {"thought": f"Step {n}.", "action": {"type": "execute", "content": f"!run {n}"}, "observation": text}
        for n, text in enumerate(observations, start=1)
    ]
    if answer is not None:
        action = {"type": "submit", "content": answer}
        steps.append({"thought": "", "action": action, "observation": ""})
    return json.dumps({"query": query, "history": steps}).encode()


def put(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files by their names in a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@dataclass(frozen=True)
class Answer:
    status: int
    url: str
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


@dataclass(frozen=True)
class Served:
    """A command that serves at ``address``."""

    address: str
    process: subprocess.Popen[str]

    def get(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        request = urllib.request.Request(self.address.rstrip("/") + path, method=method)  # noqa: S310 - ours
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=60) as got:  # noqa: S310 - as above
                return Answer(got.status, got.url, dict(got.headers), got.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.url, dict(error.headers), error.read())

    def wait_for(self, path: str, wanted: str) -> str:
        """The page at ``path`` once it has a text: the command looks at the files each second."""
        for _ in range(5_000):
            text = self.get(path).text
            if wanted in text:
                return text
        raise AssertionError(f"{wanted!r} does not come: {text}")


@contextmanager
def serve(
    *arguments: str | Path, temporary: Path, ended_by: int = signal.SIGINT, ignored: bool = False
) -> Iterator[Served]:
    """The command with these arguments, until the block ends; its temporary files are in ``temporary``.

    ``ended_by`` a signal; with ``ignored``, as a shell starts it in the background, with SIGINT ignored.
    """
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--port", "0", "--no-browser"],
        cwd=ROOT, env=environment(temporary), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=_ignore_interrupts if ignored else None,
    ) as process:  # fmt: skip
        assert process.stdout
        address = process.stdout.readline().strip()
        try:
            assert address.startswith("http://127.0.0.1:"), process.communicate()[1]
            yield Served(address, process)
        finally:
            process.send_signal(ended_by)
            try:
                process.wait(timeout=60)
            finally:
                # Without effect on one that has ended; else the test would wait for it.
                process.kill()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run(*arguments: str | Path, temporary: Path) -> subprocess.CompletedProcess[str]:
    """The command to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT, env=environment(temporary), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def environment(temporary: Path) -> dict[str, str]:
    temporary.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return {**kept, "TMPDIR": str(temporary)}
