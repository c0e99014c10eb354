"""SUPER: accuracy, landmarks, script executed, submitted; by two scorers."""

from __future__ import annotations

from leaderboard.scoring.super.rules import SCORING

__all__ = ["SCORING"]
