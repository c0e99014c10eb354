"""What of a site belongs to one benchmark."""

from __future__ import annotations

from leaderboard.exporting.places import Bounds
from leaderboard.models import Attempt, Entry


def bounds_of(benchmark: str) -> Bounds:
    """The bounds of the benchmark with this slug. Two queries."""
    entries = Entry.objects.filter(task_set__benchmark__slug=benchmark)
    attempts = Attempt.objects.filter(entry__task_set__benchmark__slug=benchmark)
    return Bounds(
        benchmark,
        frozenset(entries.values_list("slug", flat=True)),
        frozenset(attempts.values_list("pk", flat=True)),
    )
