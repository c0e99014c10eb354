"""Examines one trajectory for secrets, a missing answer, and format warnings, before others see it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.secrets import find_secrets
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import MISSING, JsonValue, Trajectory
from leaderboard.formats.documents import json_text
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Finding, note, warning

MAX_SECRETS: Final = 50
"""How many secrets of one trajectory are listed; the others are only counted."""


def examine(trajectory: Trajectory, *, name: str) -> tuple[Finding, ...]:
    """Findings on secrets, with step and part, on missing steps or answer, and the format's warnings.

    ``name`` is that of the trajectory's file.
    """
    return (
        *_secrets(trajectory, name),
        *_gaps(trajectory, name),
        *(note(problem) for problem in trajectory.warnings),
    )


def examine_description(description: Description, *, name: str) -> tuple[Finding, ...]:
    """Findings on secrets in an entry's description; ``name`` is that of the upload."""
    return tuple(
        warning(
            Problem(
                name,
                f"description, {place}",
                f"this looks like a secret ({secret.kind})",
                "revoke it, and leave it out; it is masked on pages",
            )
        )
        for place, text in _values(description.as_data(), "$")
        for secret in find_secrets(text)
    )


def _values(value: JsonValue, place: str) -> Iterator[tuple[str, str]]:
    """The texts in a value, each with its path."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _values(inner, f"{place}[{index}]")


def _gaps(trajectory: Trajectory, name: str) -> Iterator[Finding]:
    if not trajectory.steps and trajectory.answer is MISSING:
        yield warning(Problem(name, "", "there is no step in it", "check that the file is complete"))
    elif trajectory.answer is MISSING:
        reason = "it ends without an answer, which counts as failed"
        yield note(Problem(name, "", reason, "if there is one, give it in answers.json"))


def _secrets(trajectory: Trajectory, name: str) -> Iterator[Finding]:
    # One by one: a hostile file has millions.
    found = ((place, secret) for text, place in _texts(trajectory) for secret in find_secrets(text))
    for place, secret in islice(found, MAX_SECRETS):
        reason = f"this looks like a secret ({secret.kind})"
        remedy = "revoke it; it is masked on pages, but stays in the original file"
        yield warning(Problem(name, place, reason, remedy))
    unlisted = sum(1 for _ in found)
    if unlisted:
        rest = plural(unlisted, "{n} more secret is not listed", "{n} more secrets are not listed")
        yield warning(Problem(name, "", rest))


def _texts(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    yield trajectory.query, "query"
    yield trajectory.prompt, "prompt"
    for step in trajectory.steps:
        yield step.thought, f"step {step.number}, thought"
        yield step.action, f"step {step.number}, action"
        yield step.observation or "", f"step {step.number}, observation"
    if trajectory.answer is not MISSING:
        yield json_text(trajectory.answer), "answer"
