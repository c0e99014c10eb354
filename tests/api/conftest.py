"""A task set with what there is to read: figures of three entries, and one trajectory of Solver's."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import caches
from pytest_django import Settings

from leaderboard.models import Attempt, TaskSet
from tests.cast import CET, DPT, NOVICE, PET, RIVAL, attempt_at, make_set, report


@pytest.fixture(autouse=True)
def _counted_anew() -> None:
    caches["requests"].clear()


@pytest.fixture(autouse=True)
def _uploads_of_their_own(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    settings.SUPERBOARD_UPLOADS = tmp_path_factory.mktemp("uploads")
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0


@pytest.fixture
def task_set() -> TaskSet:
    """Rival leads Novice, who has no attempt at the task about goals."""
    task_set = make_set(PET, CET, DPT)
    report(task_set, NOVICE, {"pet": 0.0, "cet": 0.25}, model="llama-3")
    report(task_set, RIVAL, {"pet": 0.5, "cet": None, "dpt": 0.5}, model="a-model")
    return task_set


@pytest.fixture
def attempt(task_set: TaskSet, tmp_path: Path) -> Attempt:
    """Solver's at pet, with its trajectory: it hits the first of two landmarks."""
    return attempt_at(task_set, tmp_path)
