"""Data and models that an agent put in place of those that were asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.diagnosis.model import Confidence, Finding, evidence
from leaderboard.diagnosis.outputs import HEAD, Event, Outcome, command_of
from leaderboard.domain.trajectory import StepKind

_MADE_UP: Final = re.compile(
    r"\b(?:dummy|fake|mock|synthetic|made[- ]up|fictional|placeholder (?:data|values?|results?))\b",
    re.IGNORECASE,
)
_MAKES_UP: Final = re.compile(
    r"\b(?:dummy|fake|mock|synthetic|hypothetical)\b.{0,80}\b(?:data|file|value|result|example)"
    r"|\bcreate (?:an? |some )?(?:new |small |sample |custom )+(?:dataset|data)\b",
    re.IGNORECASE,
)
_WRITES_DATA: Final = re.compile(
    r"echo\s++(?:-e\s*+)?['\"]\s*+[{\[\w][^\n>]{10,1000}+>>?\s*+\S{1,200}\.(?:jsonl?|csv|tsv|txt)\b"
)
_DATA_FILE: Final = re.compile(r"['\"]([^'\"]{1,200}\.(?:csv|tsv|jsonl?|txt|pkl|pickle|parquet))['\"]")
_LOADS: Final = re.compile(r"load_dataset\(\s*[\"']([\w/-]{2,80})[\"']")
_FORMATS: Final = frozenset({"csv", "json", "text", "parquet", "glue", "superglue"})
_SIZED: Final = re.compile(
    r"\b(roberta|bert|bart|t5|deberta|electra|opt|gpt2)-(base|small|large|xl|medium|tiny)\b", re.IGNORECASE
)
_ACRONYM: Final = re.compile(r"\b[A-Z][A-Z0-9]{2,}\b")


def check_data(query: str, events: Sequence[Event]) -> Iterator[Finding]:
    """Data that it made up or took from elsewhere, most telling first."""
    found = (_made_up(events), _other_file(events), _other_dataset(query, events), _other_size(query, events))
    yield from (finding for finding in found if finding)


def _made_up(events: Sequence[Event]) -> Finding | None:
    for event in events:
        step = event.step
        if step.kind is StepKind.SUBMIT:
            continue
        action = step.action[:HEAD]
        if _WRITES_DATA.search(action) or _MADE_UP.search(action) or _MAKES_UP.search(step.thought[:HEAD]):
            sentence = "It made up data or results of its own, and went on with them."
            return _of_step(event, "fabricated-answer", sentence)
    return None


def _other_file(events: Sequence[Event]) -> Finding | None:
    """A data file that was missing until another one was copied there."""
    missing: set[str] = set()
    for event in events:
        if event.outcome is Outcome.FAILED and (found := _DATA_FILE.search(event.line)):
            missing.add(found[1].rsplit("/", 1)[-1])
        for name in missing:
            copies = rf"(?:(?:head|tail|cat)\s[^\n>|]*>>?\s*|cp\s+\S+\s+)\S*{re.escape(name)}"
            if event.step.kind is StepKind.EXECUTE and re.search(copies, event.step.action[:HEAD]):
                return _of_step(
                    event, "misread-task", f"It put another file in place of {name}, which was missing."
                )
    return None


def _other_dataset(query: str, events: Sequence[Event]) -> Finding | None:
    named = _plain(query)
    acronyms = [found.lower() for found in _ACRONYM.findall(query)]
    for event in events:
        for name in _LOADS.findall(event.step.action[:HEAD]):
            short = _plain(name.rsplit("/", 1)[-1])
            if short in named or short in _FORMATS or any(_abbreviates(each, short) for each in acronyms):
                continue
            sentence = f"It loaded the dataset {name}, which was not asked for."
            return _of_step(event, "misread-task", sentence, name)
    return None


def _other_size(query: str, events: Sequence[Event]) -> Finding | None:
    asked = {family.lower(): size.lower() for family, size in _SIZED.findall(query)}
    used: dict[str, tuple[str, Event]] = {}
    for event in events:
        for family, size in _SIZED.findall(event.step.action[:HEAD]):
            used[family.lower()] = (size.lower(), event)
    for family, size in asked.items():
        if family in used and used[family][0] != size:
            other, last = used[family]
            sentence = f"It used {family}-{other} at last; {family}-{size} was asked for."
            return _of_step(last, "wrong-hyperparameters", sentence, f"{family}-{other}")
    return None


def _abbreviates(short: str, name: str) -> bool:
    """Whether the letters of an acronym stand in a name in this order: OBQA and openbookqa."""
    rest = iter(name)
    return all(letter in rest for letter in short)


def _of_step(event: Event, kind: str, sentence: str, shows: str = "") -> Finding:
    """A finding at a step; its evidence is the line of the action with ``shows``, else its command."""
    number = event.step.number
    lines = event.step.action[:HEAD].split("\n") if shows else ()
    line = next((line for line in lines if shows in line), command_of(event.step))
    return Finding(kind, sentence, number, number, evidence(line), number, Confidence.LOW)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
