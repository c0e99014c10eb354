"""How soon commands begin: processor seconds of a process, against one that only sets up a bare Django."""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median

from benchmarks.table import Row
from benchmarks.temporary_site import MANAGE, ROOT, client

RUNS = 5
MANAGE_SECONDS = 1.5
CLIENT_SECONDS = 0.4
FLOOR = (
    *(sys.executable, "-c"),
    "import django; from django.conf import settings; "
    "settings.configure(INSTALLED_APPS=['django.contrib.contenttypes', 'django.contrib.auth']); "
    "django.setup()",
)
CLIENT = (sys.executable, "-c", "from leaderboard.client.main import main; main()")
COMMANDS = (
    ("manage.py check", (*MANAGE, "check"), MANAGE_SECONDS),
    ("manage.py migrate --check", (*MANAGE, "migrate", "--check"), MANAGE_SECONDS),
    ("manage.py leaderboard", (*MANAGE, "leaderboard", "--set", "super/masked"), MANAGE_SECONDS),
    ("manage.py run --help", (*MANAGE, "run", "--help"), MANAGE_SECONDS),
    ("superboard --version", (*CLIENT, "--version"), CLIENT_SECONDS),
)


def measure() -> list[Row]:
    """Medians of 5, taken in turns; the ratio holds each against bare Django, the bound is in its words."""
    client()
    taken: dict[str, list[float]] = {}
    for _ in range(RUNS):
        taken.setdefault("", []).append(_processor_seconds(FLOOR))
        for name, command, _most in COMMANDS:
            taken.setdefault(name, []).append(_processor_seconds(command))
    floor = median(taken[""])
    return [
        Row(f"{name}, against a bare django.setup()", median(taken[name]), floor, "s", f"at most {most:g} s")
        for name, _command, most in COMMANDS
    ]


def _processor_seconds(command: tuple[str, ...]) -> float:
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - ours
        # Unlike Popen.wait, this tells what the process used.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime
