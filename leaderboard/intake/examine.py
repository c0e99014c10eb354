"""Examines one trajectory for secrets, a missing answer, and format warnings, before others see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.secrets import find_secrets
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import MISSING, Trajectory
from leaderboard.formats.documents import json_text
from leaderboard.intake.findings import Finding, note, warning

MAX_SECRETS: Final = 50
"""How many secrets of one trajectory are listed; the others are only counted."""


def examine(trajectory: Trajectory, *, name: str) -> tuple[Finding, ...]:
    """Findings on secrets, with step and part, on missing steps or answer, and the format's warnings.

    Args:
        trajectory: from `formats.read`.
        name: of its file, for problems.
    """
    return (
        *_secrets(trajectory, name),
        *_gaps(trajectory, name),
        *(note(problem) for problem in trajectory.warnings),
    )


def _gaps(trajectory: Trajectory, name: str) -> Iterator[Finding]:
    if not trajectory.steps and trajectory.answer is MISSING:
        yield warning(Problem(name, "", "there is no step in it", "check that the file is complete"))
    elif trajectory.answer is MISSING:
        reason = "it ends without an answer, which counts as failed"
        yield note(Problem(name, "", reason, "if there is one, give it in answers.json"))


def _secrets(trajectory: Trajectory, name: str) -> Iterator[Finding]:
    unlisted = 0
    for index, (place, kind) in enumerate(_found_secrets(trajectory)):
        if index < MAX_SECRETS:
            reason = f"this looks like a secret ({kind})"
            remedy = "revoke it; it is masked on pages, but stays in the original file"
            yield warning(Problem(name, place, reason, remedy))
        else:
            unlisted += 1
    if unlisted:
        rest = plural(unlisted, "{n} more secret is not listed", "{n} more secrets are not listed")
        yield warning(Problem(name, "", rest))


def _found_secrets(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """Every secret: its place and its kind."""
    for text, place in _texts(trajectory):
        for secret in find_secrets(text):
            yield place, secret.kind


def _texts(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    yield trajectory.query, "query"
    yield trajectory.prompt, "prompt"
    for step in trajectory.steps:
        yield step.thought, f"step {step.number}, thought"
        yield step.action, f"step {step.number}, action"
        yield step.observation or "", f"step {step.number}, observation"
    if trajectory.answer is not MISSING:
        yield json_text(trajectory.answer), "answer"
