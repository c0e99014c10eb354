"""What a query names that no step has: the model, values, data, and the commands to execute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.diagnosis.model import Confidence, Finding
from leaderboard.diagnosis.outputs import Event, Outcome, program_of
from leaderboard.domain.trajectory import Step, StepKind

LONGEST_ACTION: Final = 20_000
MOST_NAMES: Final = 20
MOST_VALUES: Final = 50
"""Each is looked for in all actions, and a file brings its own query."""

_TEMPLATE: Final = re.compile(r"\{[^{}]*\}")
_ADDRESS: Final = re.compile(r"https?://[^\s)>\"']+")
_DATA: Final = re.compile(r"drive\.google\.com/[^\s]*?([\w-]{25,})")
_MODEL: Final = re.compile(
    r"\b(?:[\w-]+/)?(?:[a-z]+-)?(?:roberta|bert|deberta|bart|t5|opt|gpt2?|electra|albert|llama|xlnet)-[\w-]*\w",
    re.I,
)
_VALUE: Final = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?(?:e-\d+)?)(?![\w.]*\w)")
_SCRIPT: Final = re.compile(r"(?:python[\d.]*|bash|sh)\s+(?:-\S+\s+)*([\w./-]+\.(?:py|sh))\b")


def check_request(query: str, steps: Sequence[Step], events: Sequence[Event]) -> Iterator[Finding]:
    """What a query asks for and no action has, most telling first."""
    actions = "\n".join(step.action[:LONGEST_ACTION] for step in steps if step.kind is not StepKind.SUBMIT)
    plain = _TEMPLATE.sub(" ", query)
    for found in _DATA.findall(plain):
        if found not in actions:
            sentence = f"The data that were given ({found}) are in none of its commands."
            yield Finding("misread-task", sentence, confidence=Confidence.MEDIUM)
    text = _ADDRESS.sub(" ", plain)
    lower = actions.lower()
    dashed = lower.replace("_", "-")
    for model in list(dict.fromkeys(_MODEL.findall(text)))[:MOST_NAMES]:
        name = model.rsplit("/", 1)[-1].lower()
        short = rf"(?<![\w-]){re.escape(name.split('-')[0])}(?![\w-])"
        if name not in dashed and not re.search(short, lower):
            sentence = f"The model that was asked for, {model}, is in none of its commands and edits."
            yield Finding("misread-task", sentence, confidence=Confidence.MEDIUM)
    yield from _other_values(text, lower)
    yield from _not_executed(query, events)


def _other_values(text: str, actions: str) -> Iterator[Finding]:
    """Values of at least two digits that no action has; smaller ones are in any text."""
    missing = []
    for value in list(dict.fromkeys(_VALUE.findall(text)))[:MOST_VALUES]:
        if len(re.sub(r"\D", "", value).strip("0")) < 2 and "e-" not in value:
            continue
        ways = {value, f"{float(value):g}", str(float(value))}
        if not any(re.search(rf"(?<![\d.]){re.escape(way)}(?!\d)", actions) for way in ways):
            missing.append(value)
    if missing:
        names = ", ".join(missing[:3])
        sentence = f"Values that were asked for are in none of its commands and edits: {names}."
        yield Finding("wrong-hyperparameters", sentence, confidence=Confidence.LOW)


def _not_executed(query: str, events: Sequence[Event]) -> Iterator[Finding]:
    """The commands that a query says to execute, if none of them was."""
    asked = dict.fromkeys(script.rsplit("/", 1)[-1] for script in _SCRIPT.findall(query))
    ran = {program_of(event.step.action) for event in events if event.outcome is not Outcome.REFUSED}
    actions = "\n".join(event.step.action[:LONGEST_ACTION] for event in events)
    if asked and not any(script in ran or script in actions for script in asked):
        sentence = f"It was asked to execute {', '.join(list(asked)[:3])}, and never did."
        yield Finding("misread-task", sentence, confidence=Confidence.LOW)
