"""AutoExperiment: reproduce a paper's experiments in a code base with n functions masked."""

from __future__ import annotations

from leaderboard.scoring.autoexperiment.metrics import SCORING

__all__ = ["SCORING"]
