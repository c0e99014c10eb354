"""What an attempt was stuck at: its steps, each given to the error that it was working on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.diagnosis.outputs import Event, Outcome, program_of
from leaderboard.domain.trajectory import Ending, StepKind

SLOW: Final = "slow-execution"
READING: Final = "context-exhausted-reading"
WEIGHTS: Final = {READING: 0.5, "format-error": 0.5}
"""Reading and replies in a wrong form are mostly on the way to something else."""
SECONDS_A_STEP: Final = 100.0
"""Seconds of waiting for a command that count as much as a step."""
LONGEST_WAIT: Final = 600.0
_FETCHES: Final = re.compile(
    r"wget|curl .*-[oOL]|gdown|git clone|load_dataset|from_pretrained|snapshot_download|hf_hub"
)


@dataclass(slots=True)
class Obstacle:
    """The ``steps`` that were spent on one class of error.

    ``effort`` counts late ones more; ``share`` is that part of the whole attempt's effort. ``times``
    counts the errors, ``seconds`` their execution; ``line`` is the last one, of the step ``line_step``.
    """

    kind: str
    effort: float = 0.0
    share: float = 0.0
    steps: int = 0
    times: int = 0
    seconds: float = 0.0
    first_step: int = 0
    last_step: int = 0
    line: str = ""
    line_step: int = 0


def find_obstacles(events: Sequence[Event], ending: Ending) -> list[Obstacle]:
    """The obstacles of an attempt, the one that took most of its last part first."""
    found: dict[str, Obstacle] = {}
    owners = _owners(events)
    by_time = ending is Ending.TIME
    total = 0.0
    for number, (event, owner) in enumerate(zip(events, owners, strict=True), start=1):
        weight = (event.step.duration or 0.0) if by_time else _weight(event, owner, number / len(events))
        total += weight
        if by_time and event.outcome is Outcome.DONE and weight:
            owner = SLOW
        if not owner:
            continue
        obstacle = found.setdefault(owner, Obstacle(owner, first_step=event.step.number))
        obstacle.effort += weight
        obstacle.steps += 1
        obstacle.seconds += event.step.duration or 0.0
        # How the attempt ended is no step of its work.
        if event.step.kind is not StepKind.EXCEPTION or not obstacle.last_step:
            obstacle.last_step = event.step.number
        if event.kind == owner:
            obstacle.times += 1
            obstacle.line, obstacle.line_step = event.line, event.step.number
    for obstacle in found.values():
        obstacle.share = obstacle.effort / total if total else 0.0
    return sorted(found.values(), key=lambda each: -each.effort)


def _weight(event: Event, owner: str, position: float) -> float:
    """How much a step counts, by its position in (0, 1]: what it was stuck at in the end counts most."""
    weight = 0.2 + 0.8 * position * position
    if event.outcome is Outcome.SLOW:
        weight *= 1 + min(event.step.duration or 0.0, LONGEST_WAIT) / SECONDS_A_STEP
    return weight * WEIGHTS.get(owner, 1.0)


def _owners(events: Sequence[Event]) -> list[str]:
    """For each step the class of the error that it works on; empty where it works on none.

    An error of a script holds until that script runs without one, or fails otherwise: what is installed,
    written and looked at between belongs to it. So does the error of a smaller command, until one succeeds.
    """
    owners: list[str] = []
    main = program = smaller = refusal = ""
    refused = 0
    for event in events:
        if event.outcome is Outcome.REFUSED:
            refused = refused + 1 if event.kind == refusal else 1
            refusal = event.kind
            owners.append(event.kind)
            continue
        if event.outcome is not Outcome.LOOKED:
            refused, refusal = 0, ""
        runs = program_of(event.step.action)
        if event.outcome is Outcome.FAILED and runs:
            main, program, smaller = event.kind, runs, ""
        elif event.outcome is Outcome.FAILED:
            smaller = event.kind
        elif event.outcome is Outcome.DONE and event.step.kind is StepKind.EXECUTE:
            if smaller != "download-failed" or _FETCHES.search(event.step.action):
                smaller = ""
            main = "" if runs == program else main
        elif event.outcome is Outcome.SLOW:
            smaller = ""
            owners.append(event.kind)
            continue
        stuck = refusal if refused > 1 else smaller or main
        owners.append(stuck or (READING if event.outcome is Outcome.LOOKED else ""))
    return owners
