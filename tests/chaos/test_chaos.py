"""A short round of what `make chaos` does for long, on the database that the other tests use."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

# The embedded pair, and the pair of a larger site.
BROKERS = {"sqlite": "files", "postgresql": "redis"}
SEED = 9


@pytest.mark.slow
@pytest.mark.django_db
def test_processes_are_killed_and_everything_ends_with_the_right_figures_and_nothing_left() -> None:
    options = {
        "broker": BROKERS[connection.vendor],
        "database": connection.vendor.replace("postgresql", "postgres"),
        "sandbox": "local",
        "seed": str(SEED),
        "minutes": "0.2",
        "pause": "1.5",
        "jobs": "3",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]

    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", *words],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-10_000:]}"
