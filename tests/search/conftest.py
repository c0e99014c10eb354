"""Trajectories to search in."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.models import Attempt
from tests.cast import CET, NOVICE, PET, SOLVER, add_attempt, attempt_at, bring_in, history, make_set


@pytest.fixture
def attempts(db: None, tmp_path: Path) -> tuple[Attempt, Attempt]:
    """Solver's attempt at pet, and Novice's, which alone prints a zebra; Solver has one at cet, too."""
    task_set = make_set(PET, CET)
    add_attempt(
        tmp_path / "solver", "cet", history=history(0.25, observation="okapi <script>f1</script>\u202e")
    )
    bring_in(tmp_path / "solver", task_set)
    return (
        attempt_at(task_set, tmp_path / "solver-pet", agent=SOLVER, observation="loss 0.5\nokapi okapi"),
        attempt_at(task_set, tmp_path / "novice", agent=NOVICE, observation="a zebra and an okapi submitted"),
    )
