"""What starts soon: no command imports at its start what only some of its work needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository.files import ROOT

SLOW = {
    *("bleach", "bs4", "datasets", "docker", "httpx", "jsonschema", "jupyter_client", "mistune"),
    *("nbclient", "nbconvert", "nbformat", "numpy", "openai", "pandas", "plotly", "pyarrow", "zmq"),
}
"""Packages that take long to import, and that neither a page nor a check of the settings needs."""
NOT_OF_A_CLIENT = {"allauth", "celery", "django", "ninja"}

LIST = """
import atexit, json, sys
atexit.register(lambda: print("\\n" + json.dumps(sorted(sys.modules)), file=sys.stderr))
"""
MANAGE = (
    LIST
    + """
import os, runpy
sys.path.insert(0, os.getcwd())
sys.argv[0] = "manage.py"
runpy.run_path("manage.py", run_name="__main__")
"""
)
CLIENT = (
    LIST
    + """
from leaderboard.client.main import main
main()
"""
)


def imported(tmp_path: Path, program: str, *arguments: str) -> set[str]:
    """Run a command and list the modules that it has imported by its end."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env={**os.environ, "SUPERBOARD_VAR": str(tmp_path), "DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    modules: list[str] = json.loads(done.stderr.splitlines()[-1])
    assert "leaderboard" in modules, done.stderr
    return set(modules)


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "migrate",
        "import_run --help",
        "import_tasks --help",
        "load_fixtures --help",
        "leaderboard --set masked",
        "operator nobody",
        "rescore --set masked",
        "run --help",
        "demo --help",
    ],
)
def test_a_command_of_the_site_imports_nothing_slow_at_its_start(tmp_path: Path, command: str) -> None:
    modules = imported(tmp_path, MANAGE, *command.split())

    assert packages(modules) & SLOW == set()


def test_the_web_server_imports_nothing_slow_at_its_start(tmp_path: Path) -> None:
    program = LIST + "import leaderboard.wsgi, leaderboard.urls"

    assert packages(imported(tmp_path, program)) & SLOW == set()


def test_the_worker_imports_what_every_job_needs_before_it_forks_and_no_client_of_a_model(
    tmp_path: Path,
) -> None:
    program = LIST + "from runner.worker.app import app; app.loader.import_default_modules()"

    modules = imported(tmp_path, program)

    assert "leaderboard.rendering.fragment" in modules
    assert packages(modules) & {"nbconvert", "openai"} == set()


@pytest.mark.parametrize("arguments", ["--version", "no-such-command"])
def test_the_client_imports_no_command_before_it_knows_which(tmp_path: Path, arguments: str) -> None:
    modules = imported(tmp_path, CLIENT, *arguments.split())

    ours = {name for name in modules if name.startswith("leaderboard")}
    assert ours == {"leaderboard", "leaderboard.client", "leaderboard.client.main"}
    assert packages(modules) & (SLOW | NOT_OF_A_CLIENT | {"rich", "yaml", "regex"}) == set()


def test_the_viewer_of_files_imports_nothing_that_only_a_site_needs(tmp_path: Path) -> None:
    modules = imported(tmp_path, CLIENT, "view", "--help")

    assert "leaderboard.viewing.command" in modules
    assert "leaderboard.models" not in modules
    slow = SLOW - {"jsonschema", "nbformat"}
    assert packages(modules) & (slow | NOT_OF_A_CLIENT - {"django"}) == set()


@pytest.mark.parametrize("command", ["validate", "submit", "status", "download", "board", "login", "logout"])
def test_the_client_imports_nothing_of_the_site_for_any_command(tmp_path: Path, command: str) -> None:
    modules = imported(tmp_path, CLIENT, command, "--help")

    assert f"leaderboard.client.{command}" in modules or command == "logout"
    assert packages(modules) & (SLOW - {"httpx"} | NOT_OF_A_CLIENT) == set()
