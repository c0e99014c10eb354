"""Display names of step kinds, groups of kinds, step marks and landmark statuses."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.domain.scores import LandmarkStatus
from leaderboard.domain.trajectory import StepKind

KINDS: dict[str, str] = {kind: kind.replace("-", " ") for kind in StepKind}
KIND_GROUPS: dict[str, str] = {
    StepKind.EXECUTE: "execute",
    StepKind.EDIT: "edit",
    StepKind.CREATE: "edit",
    StepKind.VIEW: "look",
    StepKind.SEARCH: "look",
    StepKind.SUBMIT: "submit",
    StepKind.INTERRUPT: "wait",
    StepKind.WAIT: "wait",
    StepKind.FORMAT_ERROR: "failure",
    StepKind.EXCEPTION: "failure",
    StepKind.OTHER: "other",
}
"""The kinds that share a colour, by the group's name; static/css/head.css has ``--kind-<group>``."""
GROUPS: dict[str, str] = {
    "execute": "execute",
    "edit": "edit or create",
    "look": "view or search",
    "submit": "submit",
    "wait": "wait or interrupt",
    "failure": "exception or format error",
    "other": "other",
}
MARKS: dict[str, str] = {
    "error": "error",
    "refused": "refused",
    "no-match": "no match",
    "timeout": "timeout",
    "format-error": "format error",
    "submit": "submit",
    "pre-executed": "pre-executed",
    "repeated": "repeated",
}
"""In the order in which a step's marks are shown."""
LANDMARK_STATUSES: dict[str, str] = {
    LandmarkStatus.HIT: "hit",
    LandmarkStatus.GIVEN: "given by a pre-executed cell",
    LandmarkStatus.MISSED: "missed",
    LandmarkStatus.TIMED_OUT: "pattern timed out",
    LandmarkStatus.INVALID: "pattern is invalid",
}


def shown_marks(kind: str, marks: Iterable[str]) -> list[str]:
    """The marks to show beside a step's kind: none that says the same as the kind or as another mark.

    Repeated steps are put together (`rendering.repeats`), which says it.
    """
    said = {kind, "repeated"}
    if kind == StepKind.EXCEPTION or "refused" in marks:
        said.add("error")
    return [mark for mark in marks if mark not in said]
