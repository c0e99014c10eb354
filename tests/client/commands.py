"""The `superboard` command, as the tests of this folder call it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from leaderboard.client.main import app
from tests.cast import history


@dataclass(frozen=True)
class Called:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def superboard(*arguments: str | Path, typed: str | None = None) -> Called:
    """Call the command in this process; a bug in it is raised."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], input=typed, catch_exceptions=True)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Called(result.exit_code, result.stdout, result.stderr)


def results(folder: Path, *task_ids: str, **files: bytes) -> Path:
    """A folder of results: a history.json for each of these tasks, and other files."""
    for task_id in task_ids:
        (folder / task_id).mkdir(parents=True)
        (folder / task_id / "history.json").write_text(json.dumps(history({"loss": 0.5}, prompt=task_id)))
    for name, data in files.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "history.json").write_bytes(data)
    return folder
