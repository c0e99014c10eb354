"""The trajectory: what an agent thought, did and saw, step by step, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final, Literal

from leaderboard.domain.errors import Problem

JsonValue = Any
"""A value as ``json.loads`` gives it; NaN and infinities included."""


class _Missing(Enum):
    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


Missing = Literal[_Missing.MISSING]
MISSING: Final = _Missing.MISSING
"""Stands for "there is none" where ``None`` is a possible value (an answer can be null)."""


class StepKind(StrEnum):
    """What a step did, over all formats. The agent's own word for it stays in ``Step.action_type``."""

    EXECUTE = "execute"
    EDIT = "edit"
    CREATE = "create"
    VIEW = "view"
    SEARCH = "search"
    SUBMIT = "submit"
    INTERRUPT = "interrupt"
    WAIT = "wait"
    FORMAT_ERROR = "format-error"
    EXCEPTION = "exception"
    OTHER = "other"


class Ending(StrEnum):
    """Why a trajectory ended."""

    SUBMITTED = "submitted"
    EXCEPTION = "exception"
    CONTEXT = "context"
    COST = "cost"
    TIME = "time"
    STEPS = "steps"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Step:
    """One thought, action and observation.

    Attributes:
        number: counted from 1, without gaps; ``#step-12`` on a page.
        kind: what it did.
        action_type: the action's type exactly as the file has it (``None``, an empty string, a sentence).
        action: the action's content, exactly as the file has it; JSON text where it was not a string. Of a
            tool's call, what is executed, and an edit in SUPER's form (file, before and after).
        thought: exactly as the file has it.
        observation: raw, colour codes and carriage returns included; None where the file has none.
        duration: seconds of execution; None where unknown.
        started: clock or ISO time as the file gives it (``06:15:34``; dates are often missing), or empty.
        pre_executed: run before the agent took over, so not the agent's work.
    """

    number: int
    kind: StepKind
    action_type: str
    action: str
    thought: str = ""
    observation: str | None = None
    duration: float | None = None
    started: str = ""
    pre_executed: bool = False


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All that one attempt's file says.

    Attributes:
        steps: in order; may be empty.
        format: the name of the format module that read it.
        query: what the agent was asked, or empty.
        prompt: the system prompt or prompt log, or empty.
        answer: the parsed content of the submission, of any JSON type, or MISSING.
        ending: why it ended; ``ending_detail`` is the file's own word for it.
        cost: US dollars; prompt_tokens and response_tokens are totals. None where unknown.
        warnings: what was odd but readable.
    """

    steps: tuple[Step, ...]
    format: str
    query: str = ""
    prompt: str = ""
    answer: JsonValue | Missing = MISSING
    ending: Ending = Ending.UNKNOWN
    ending_detail: str = ""
    cost: float | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    warnings: tuple[Problem, ...] = field(default=())

    @property
    def duration(self) -> float | None:
        """Seconds of execution over all steps that tell, or None where none does."""
        known = [step.duration for step in self.steps if step.duration is not None]
        return sum(known) if known else None
