"""Requests a second of what readers without an account ask for, and what each page costs that is not kept."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time

from django.db.models import Count
from django.urls import reverse

from benchmarks.connections import serving
from benchmarks.imports import import_runs
from benchmarks.table import Row
from benchmarks.temporary_site import MANAGE, ROOT, get
from leaderboard.models import Attempt, Entry, TaskSet

CONNECTIONS, SECONDS = 8, 10
FAST = "at least 300 on two cores"
A_SECOND, P95, PROCESSOR = 300, 100, 60
RUNS = 15


def measure() -> list[Row]:
    import_runs()
    subprocess.run([*MANAGE, "collectstatic", "--no-input", "--verbosity=0"], cwd=ROOT, check=True)  # noqa: S603
    addresses = _addresses()
    with serving() as port:
        rows = [row for name, address in addresses.items() for row in _kept(name, port, address)]
    return rows + [_made(name, address) for name, address in addresses.items()]


def _addresses() -> dict[str, str]:
    """The largest of each."""
    task_set = TaskSet.objects.annotate(n=Count("tasks__attempts")).order_by("-n")[0]
    entry = Entry.objects.filter(task_set=task_set).order_by("-attempted")[0]
    task = task_set.tasks.annotate(n=Count("attempts")).order_by("-n")[0]
    steps = Attempt.objects.filter(has_trajectory=True).order_by("step_count").values_list("pk", flat=True)
    board = (task_set.benchmark.slug, task_set.slug)
    return {
        "board": reverse("board", args=board),
        "board by name": reverse("board", args=board) + "?sort=agent",
        "entry": entry.get_absolute_url(),
        "attempt, the median": reverse("attempt", args=(steps[len(steps) // 2],)),
        "attempt, the longest": reverse("attempt", args=(steps[len(steps) - 1],)),
        "task": task.get_absolute_url(),
        "list of tasks": reverse("tasks", args=board),
        "board as CSV": reverse("board-data", args=(*board, "csv")),
        "board as JSON": reverse("board-data", args=(*board, "json")),
    }


def _kept(name: str, port: int, address: str) -> list[Row]:
    command = [sys.executable, "-m", "benchmarks.load", *map(str, (port, address, CONNECTIONS, SECONDS))]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)  # noqa: S603
    connections = f"{name}: {CONNECTIONS} connections"
    return [
        Row(connections, found["a_second"], A_SECOND, "requests/s", FAST),
        Row(f"{name}: 95 of 100 within", found["p95"], P95, "ms", "at most 100 ms"),
    ]


def _made(name: str, address: str) -> Row:
    ask = partial(get, address)
    ask()
    return Row(f"{name}: made anew, processor", _processor(ask), PROCESSOR, "ms", "at most 60 ms")


def _processor(ask: Callable[[], object]) -> float:
    taken = []
    # As the web server does.
    gc.collect()
    gc.freeze()
    for _ in range(RUNS):
        start = process_time()
        ask()
        taken.append((process_time() - start) * 1000)
    return median(taken)
