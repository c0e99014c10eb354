"""Processor time of two ways of doing the same."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time


def alternate(first: Callable[[], object], second: Callable[[], object], *, runs: int) -> tuple[float, float]:
    """Median processor seconds of either, in turns. SQLite is part of the process, so its work counts."""
    times: tuple[list[float], list[float]] = ([], [])
    for call in (first, second):
        call()
    for _ in range(runs):
        for call, taken in zip((first, second), times, strict=True):
            start = process_time()
            call()
            taken.append(process_time() - start)
    return median(times[0]), median(times[1])
