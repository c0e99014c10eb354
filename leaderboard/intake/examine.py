"""Examines one trajectory for secrets, a missing answer, and format warnings, before others see it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.secrets import find_secrets
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import MISSING, JsonValue, Trajectory
from leaderboard.formats.documents import json_text
from leaderboard.intake.findings import Finding, note, warning

if TYPE_CHECKING:  # It takes long to import.
    from leaderboard.intake.description import Description

MAX_VALUES: Final = 10_000
"""Values in an answer that are looked at for text that should be something else."""
MAX_TEXT: Final = 100_000
"""Characters of a text in an answer that is looked at for JSON in it."""
_BEGINNINGS: Final = ("{", "[", "-", *"0123456789")
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
        if isinstance(text, str)
        for secret in find_secrets(text)
    )


def _values(value: JsonValue, place: str) -> Iterator[tuple[str, JsonValue]]:
    """A value and all values in it, each with its path, in the order in which they are written."""
    # Without recursion: answers are nested as deep as somebody likes.
    waiting: list[Iterator[tuple[str, JsonValue]]] = [iter([(place, value)])]
    while waiting:
        for each in waiting[-1]:
            yield each
            waiting.append(_inner_values(*each))
            break
        else:
            waiting.pop()


def _inner_values(place: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        return ((f"{place}.{key[:40]}", inner) for key, inner in value.items())
    if isinstance(value, list):
        return ((f"{place}[{index}]", inner) for index, inner in enumerate(value))
    return iter(())


def reported_finding(reported: Mapping[str, float | None], *, name: str) -> Finding:
    """What was taken from a metrics file."""
    file = name.rpartition("/")[2]
    scores = ", ".join(
        f"{metric.replace('_', ' ')} {'none' if value is None else f'{value:.3g}'}"
        for metric, value in reported.items()
    )
    return note(Problem(name, "", f"the scores in {file} are taken as reported: {scores}"))


def _gaps(trajectory: Trajectory, name: str) -> Iterator[Finding]:
    if not trajectory.steps and trajectory.answer is MISSING:
        yield warning(Problem(name, "", "there is no step in it", "check that the file is complete"))
    elif trajectory.answer is not MISSING:
        yield from _values_as_text(trajectory.answer, name)
    else:
        reason = "it ends without an answer, which counts as failed"
        yield note(Problem(name, "", reason, "if there is one, give it in answers.json"))


def _values_as_text(answer: JsonValue, name: str) -> Iterator[Finding]:
    """A finding on the first text in an answer that has JSON, and on the first that has a number."""
    places: dict[type, str] = {}
    for place, value in islice(_values(answer, "answer"), MAX_VALUES):
        if isinstance(value, str) and (kind := _kind_of_text(value)):
            places.setdefault(kind, place)
    if dict in places:
        reason = "it is a text that holds JSON: compared as text, it scores 0 against an object or a list"
        remedy = 'write the value itself, such as {"a": 1} in place of "{\\"a\\": 1}"'
        yield warning(Problem(name, places[dict], reason, remedy))
    if float in places:
        reason = "it is a number written as text, which matches no number"
        yield note(Problem(name, places[float], reason, "write it without quotes if it is a number"))


def _kind_of_text(text: str) -> type | None:
    """Whether a text holds an object or a list (dict), or a number (float)."""
    if len(text) > MAX_TEXT or not text.strip().startswith(_BEGINNINGS):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return dict if isinstance(value, dict | list) else float


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
        yield step.agent, f"step {step.number}, agent"
        yield step.thought, f"step {step.number}, thought"
        yield step.action, f"step {step.number}, action"
        yield step.observation or "", f"step {step.number}, observation"
        for one in step.media:
            yield one.text, f"step {step.number}, {one.name}"
    if trajectory.answer is not MISSING:
        yield json_text(trajectory.answer), "answer"
    yield trajectory.agent, "agent"
    yield trajectory.model, "model"
    yield trajectory.patch, "patch"
    for name, value in trajectory.rewards:
        yield name, "reward"
        yield json_text(value), "reward"
