"""What is wrong with an answer itself: its form, missing values, numbers seen in no output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from leaderboard.diagnosis.model import Confidence, Finding, evidence
from leaderboard.diagnosis.numbers import Number, leaves
from leaderboard.domain.trajectory import JsonValue, Missing, StepKind, Trajectory, is_answer

LONGEST_TEXT: Final = 500
"""Characters at the beginning of an answer that is a text: there it says if it failed."""
MOST_TEMPLATES: Final = 50
"""Braces of a query that are tried as the beginning of an answer's form."""
LONGEST_NAMES: Final = 3
"""Keys that a sentence names."""
_GIVES_UP: Final = re.compile(
    r"\b(?:unable|could ?n[o']t|cannot|can't|not available|fail(?:ed|ure)|error|n/?a|none|null|unknown)\b",
    re.I,
)


def check_answer(
    answer: JsonValue | Missing, template: JsonValue | None, numbers: Sequence[Number], *, all_searched: bool
) -> Iterator[Finding]:
    """What is wrong with an answer as far as it and the outputs tell, most telling first.

    Without ``all_searched``, that a number is in no output is not known.
    """
    found = (
        _wrong_form(answer, template),
        _missing_values(answer, template, numbers) if all_searched else None,
        _unseen(numbers) if all_searched else None,
    )
    yield from (finding for finding in found if finding)


def has_result(answer: JsonValue | Missing) -> bool:
    """Whether an answer has a value: not if all are null or empty, or it says that it failed."""
    if not is_answer(answer):
        return False
    if isinstance(answer, str):
        beginning = answer[:LONGEST_TEXT]
        return any(character.isdigit() for character in beginning) or not _GIVES_UP.search(beginning)
    return any(leaf is not None and leaf not in ("", "N/A", "null", "None") for _, leaf in leaves(answer))


def find_given_up(trajectory: Trajectory) -> Finding | None:
    """Whether it submitted no result."""
    submits = [step for step in trajectory.steps if step.kind is StepKind.SUBMIT]
    if not submits or has_result(trajectory.answer):
        return None
    step = submits[-1].number
    sentence = "It gave up: it submitted no result."
    return Finding("gave-up", sentence, step, step, evidence(submits[-1].action), step)


def template_of(query: str) -> JsonValue | None:
    """The JSON object that a query shows as the form of the answer; None without one."""
    decoder = json.JSONDecoder()
    start = query.find("{")
    for _ in range(MOST_TEMPLATES):
        if start < 0:
            break
        try:
            value, _end = decoder.raw_decode(query[start:])
        except (ValueError, RecursionError):
            start = query.find("{", start + 1)
            continue
        return value if isinstance(value, dict) and value else None
    return None


def _wrong_form(answer: JsonValue | Missing, template: JsonValue | None) -> Finding | None:
    if template is None:
        return None
    if isinstance(answer, str) and ":" in answer:
        sentence = "Its answer has values, but is a text and not the JSON object that was asked for."
        return Finding("answer-format", sentence, evidence=evidence(answer))
    asked, given = dict(leaves(template)), dict(leaves(answer))
    if given and not asked.keys() & given.keys():
        sentence = f"Its answer has other keys than were asked for: {_names(given)}."
        return Finding("answer-format", sentence, confidence=Confidence.MEDIUM)
    return None


def _missing_values(
    answer: JsonValue | Missing, template: JsonValue | None, numbers: Sequence[Number]
) -> Finding | None:
    """Values that are null or absent, or still those of the query's example and seen in no output."""
    given = dict(leaves(answer))
    asked = dict(leaves(template)) if template is not None else {}
    absent = [path for path in asked if path not in given] if asked.keys() & given.keys() else []
    empty = [path for path, value in given.items() if value is None or value == ""]
    if absent or empty:
        sentence = f"Some of the values that were asked for are missing: {_names([*absent, *empty])}."
        return Finding("partial-results", sentence)
    unseen = {number.path for number in numbers if not number.seen}
    if given and given == asked and len(unseen) == len(numbers):
        sentence = "Its values are those of the query's example, and seen in no output."
        return Finding("fabricated-answer", sentence, confidence=Confidence.MEDIUM)
    left = [
        path for path, value in given.items() if path in asked and value == asked[path] and path in unseen
    ]
    others = [number for number in numbers if number.path not in left and number.is_telling]
    if not left or not others:
        return None
    sentence = f"Some values are still those of the query's example, and seen in no output: {_names(left)}."
    return Finding("partial-results", sentence, confidence=Confidence.MEDIUM)


def _unseen(numbers: Sequence[Number]) -> Finding | None:
    unseen = [number for number in numbers if number.is_telling and not number.as_it_is]
    if not unseen:
        return None
    names = ", ".join(
        f"{number.name or 'the answer'} = {number.value:g}" for number in unseen[:LONGEST_NAMES]
    )
    if all(number.seen for number in unseen):
        seen = unseen[0].seen[0]
        sentence = f"Outputs show it a hundred times larger or smaller: {names}."
        return Finding(
            "wrong-scale", sentence, seen.step, seen.step, evidence(seen.line), seen.step, Confidence.LOW
        )
    sentence = f"Not seen in any output, neither as printed nor rounded: {names}."
    return Finding("fabricated-answer", sentence, confidence=Confidence.MEDIUM)


def _names(paths: Mapping[tuple[str, ...], JsonValue] | Sequence[tuple[str, ...]]) -> str:
    names = [".".join(path) or "the answer" for path in paths]
    more = len(names) - LONGEST_NAMES
    return ", ".join(names[:LONGEST_NAMES]) + (f" and {more} more" if more > 0 else "")
