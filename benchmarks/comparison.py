"""Two long attempts side by side: the page, against rendering both; and how aligning grows with the steps."""

from __future__ import annotations

from functools import partial
from random import Random

from django.db.models import Count, Q

from benchmarks.imports import import_runs
from benchmarks.table import Row
from benchmarks.temporary_site import client, get
from benchmarks.timing import alternate
from leaderboard import formats, rendering
from leaderboard.core import blobs
from leaderboard.domain.alignment import Acted, align
from leaderboard.models import Attempt, AttemptFile, Task

MILLISECONDS = 500
RUNS = 7
SHORT, LONG = 100, 1000
WORDS = ("pip", "install", "torch", "python", "train.py", "--lr", "0.1", "--epochs", "ls", "cat", "README.md")


def measure() -> list[Row]:
    client()
    import_runs()
    one, other = _longest_pair()
    name = f"{one.step_count} and {other.step_count} steps side by side"
    page, rendered = alternate(
        partial(get, f"{one.get_absolute_url()}?vs={other.pk}"), partial(_render, one, other), runs=RUNS
    )
    long, short = alternate(partial(align, *_made(LONG)), partial(align, *_made(SHORT)), runs=RUNS)
    return [
        Row(name, page * 1e3, MILLISECONDS, "ms", f"at most {MILLISECONDS} ms"),
        Row(
            f"{name}, against rendering both", page * 1e3, rendered * 1e3, "ms", "what a request must not do"
        ),
        Row(
            f"aligning {LONG:,} steps, against {SHORT}: a step",
            long / LONG * 1e6,
            short / SHORT * 1e6,
            "µs",
            "about 1: it grows linearly",
        ),
    ]


def _longest_pair() -> tuple[Attempt, Attempt]:
    """The two attempts at one task with the most steps."""
    attempts = Attempt.objects.filter(has_trajectory=True)
    tasks = Task.objects.annotate(n=Count("attempts", filter=Q(attempts__has_trajectory=True))).filter(
        n__gte=2
    )
    pairs = (attempts.filter(task=task).order_by("-step_count")[:2] for task in tasks)
    one, other = max(pairs, key=lambda pair: sum(each.step_count or 0 for each in pair))
    return one, other


def _render(*attempts: Attempt) -> None:
    for attempt in attempts:
        original = attempt.files.get(kind=AttemptFile.Kind.ORIGINAL)
        trajectory = formats.read(blobs.read(original.blob), name=original.name, sample=original.sample)
        rendering.render_attempt(trajectory, ())


def _made(steps: int) -> tuple[list[Acted], list[Acted]]:
    """Two attempts of random commands, of which few are the same."""
    random = Random(steps)  # noqa: S311 - commands to compare, not a secret
    one, other = (
        [Acted("execute", " ".join(random.choices(WORDS, k=12))) for _ in range(steps)] for _ in range(2)
    )
    return one, other
