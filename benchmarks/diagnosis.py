"""Preparing an attempt with its diagnosis against without one, and a diagnosis of much output."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from unittest.mock import patch

from benchmarks.rendering import MEGABYTE, TASK, find_notebooks
from benchmarks.table import Row
from leaderboard import pipeline
from leaderboard.diagnosis import Diagnosis, diagnose
from leaderboard.domain.trajectory import Step, StepKind, Trajectory
from leaderboard.scoring.super import SCORING

BOUND = "at most 1.5 times as long: a ratio of 0.67"
ATTEMPTS = 40
LINE = "INFO step {:08} loss 0.1234 accuracy 0.8765 lr 2e-05\n"


def measure() -> list[Row]:
    notebooks = find_notebooks()
    some = notebooks[:: max(1, len(notebooks) // ATTEMPTS)]
    return [
        Row(
            f"preparing {len(some)} attempts with a diagnosis, against without",
            _prepare(some, diagnose),
            _prepare(some, lambda *_anything: Diagnosis()),
            "s",
            BOUND,
        ),
        Row(
            "the largest attempt, against without",
            _prepare(notebooks[-1:], diagnose),
            _prepare(notebooks[-1:], lambda *_anything: Diagnosis()),
            "s",
            BOUND,
        ),
        Row("a diagnosis of 10 MB of output", _grow(10), 3, "s", "at most 3 s"),
        Row("per MB: 10 MB and 1 MB", _grow(10) / 10, _grow(1), "s", "at least 1: it grows at most linearly"),
    ]


def _prepare(notebooks: Sequence[bytes], diagnosing: Callable[..., Diagnosis]) -> float:
    """Seconds of processor time: the shortest of a few times."""
    with patch("leaderboard.pipeline.diagnose", diagnosing):
        return min(_prepare_once(notebooks) for _ in range(3))


def _prepare_once(notebooks: Sequence[bytes]) -> float:
    start = time.process_time()
    for data in notebooks:
        pipeline.prepare(data, name="history.ipynb", task=TASK, scoring=SCORING, title="benchmark")
    return time.process_time() - start


def _grow(megabytes: int) -> float:
    text = "".join(map(LINE.format, range(megabytes * MEGABYTE // len(LINE.format(0)))))
    step = Step(1, StepKind.EXECUTE, "execute", "!python train.py", observation=text)
    made = Trajectory((step,), "benchmark", query='Report {"loss": 0.0}', answer={"loss": 0.4321})
    start = time.process_time()
    diagnose(made)
    return time.process_time() - start
