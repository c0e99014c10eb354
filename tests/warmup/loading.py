"""Warm-up on the site, without the other bundled benchmarks, which take longer."""

from __future__ import annotations

from pathlib import Path

from leaderboard.operating.fixtures import load_fixtures
from tests.warmup.places import WARMUP


def load_warm_up(folder: Path) -> None:
    """Load Warm-up with its recordings; ``folder`` is an empty one."""
    (folder / "warmup").symlink_to(WARMUP)
    load_fixtures(folder, say=lambda line: None)
