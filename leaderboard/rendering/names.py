"""Display names of step kinds, step marks and landmark statuses."""

from __future__ import annotations

from leaderboard.domain.scores import LandmarkStatus
from leaderboard.domain.trajectory import StepKind

KINDS: dict[str, str] = {kind: kind.replace("-", " ") for kind in StepKind}
MARKS: dict[str, str] = {
    "error": "error",
    "timeout": "timeout",
    "format-error": "format error",
    "submit": "submit",
    "pre-executed": "pre-executed",
    "repeated": "repeated",
}
LANDMARK_STATUSES: dict[str, str] = {
    LandmarkStatus.HIT: "hit",
    LandmarkStatus.GIVEN: "given by a pre-executed cell",
    LandmarkStatus.MISSED: "missed",
    LandmarkStatus.TIMED_OUT: "pattern timed out",
    LandmarkStatus.INVALID: "pattern is invalid",
}
