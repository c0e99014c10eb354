"""The trajectory: what an agent thought, did and saw, step by step, in every file format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final, Literal

from leaderboard.domain.durations import seconds_across
from leaderboard.domain.errors import Problem
from leaderboard.domain.media import Media
from leaderboard.domain.values import value

JsonValue = Any
"""A value as ``json.loads`` gives it; NaN and infinities included."""


class _Missing(Enum):
    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


Missing = Literal[_Missing.MISSING]
MISSING: Final = _Missing.MISSING
"""Means "there is none" where ``None`` is a possible value (an answer can be null)."""


class StepKind(StrEnum):
    """What a step did, in the same terms for all formats; ``Step.action_type`` has the file's own term."""

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


def is_answer(value: JsonValue | Missing) -> bool:
    """Whether a submission is an answer: null and empty values are none; 0 and false are."""
    if isinstance(value, str):
        return bool(value.strip())
    return value is not MISSING and value is not None and value not in ([], {})


class Ending(StrEnum):
    """Why a trajectory ended. EMPTY: it submitted, but no answer (see `is_answer`)."""

    SUBMITTED = "submitted"
    EMPTY = "empty"
    EXCEPTION = "exception"
    CONTEXT = "context"
    COST = "cost"
    TIME = "time"
    STEPS = "steps"
    UNKNOWN = "unknown"


def ending_words(ending: str, detail: str) -> str:
    """The file's own term for an ending; empty if it says no more than ``ending``, as a tool's name does."""
    submitted = ending in (Ending.SUBMITTED, Ending.EMPTY)
    says_no_more = len(detail.split()) == 1 if submitted else detail.lower() == ending
    return "" if says_no_more else detail


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of an observation the model was shown, where that was not all of it.

    ``part`` of ``of`` characters or bytes (``unit``); ``where`` says which, such as "the last 50,000", empty
    where the file does not tell.
    """

    part: int
    of: int
    where: str = ""
    unit: str = "characters"


@value
class Step:
    """One thought, action and observation.

    Attributes:
        number: counted from 1, without gaps; ``#step-12`` on a page.
        kind: what it did.
        action_type: the action's type exactly as the file has it (``None``, an empty string, a sentence).
        action: the action's content, exactly as the file has it; JSON text if it was not a string. For a
            tool call: the code that is executed, or an edit in SUPER's form (file, before and after).
        thought: exactly as the file has it.
        observation: raw, colour codes and carriage returns included; None where the file has none.
        duration: seconds of execution; None where unknown.
        started: clock or ISO time as the file gives it (``06:15:34``; dates are often missing), or empty.
        pre_executed: it ran before the agent started, so it is not the agent's work.
        media: outputs that are no text, in order.
        prompt_tokens, response_tokens, cost: of the model's turn, the cost in US dollars; None where unknown.
            A turn of several steps has them on its first.
        shown: what the model was shown of the observation; None where that was all, or is unknown.
        agent: the name of the sub-agent whose step it is; empty for the attempt's own agent.
        cached_tokens: those of ``prompt_tokens`` that came from a cache; ``reasoning_tokens`` those of
            ``response_tokens`` that were reasoning. None where unknown.
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
    media: tuple[Media, ...] = ()
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    cost: float | None = None
    shown: Shown | None = None
    agent: str = ""
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The content of one attempt's file.

    Attributes:
        steps: in order; may be empty.
        format: the name of the format module that read it.
        query: what the agent was asked, or empty.
        prompt: the system prompt or prompt log, or empty.
        answer: the parsed content of the submission, of any JSON type, or MISSING.
        ending: why it ended; ``ending_detail`` is the file's own term for it.
        cost: US dollars; prompt_tokens and response_tokens are totals, those of sub-agents included. None
            where unknown. cached_tokens and reasoning_tokens are as in `Step`.
        warnings: unusual content that could be read.
        agent: the scaffold's name, with its version if the file has one; empty where unknown.
        model: the model's name exactly as the file has it; empty where unknown.
        elapsed: seconds from start to end as the file states them; None where it states none.
        rewards: name and value of each score that the tool which wrote the file gave; never one of ours.
        patch: the diff of what the agent changed, where the file keeps it beside the steps.
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
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    warnings: tuple[Problem, ...] = ()
    agent: str = ""
    model: str = ""
    elapsed: float | None = None
    rewards: tuple[tuple[str, JsonValue], ...] = ()
    patch: str = ""

    @property
    def shown_ending(self) -> Ending:
        """The ending that people read: a submission without an answer is not said to be one."""
        empty = self.ending is Ending.SUBMITTED and not is_answer(self.answer)
        return Ending.EMPTY if empty else self.ending

    @property
    def duration(self) -> float | None:
        """Seconds of execution."""
        return total_duration(self.steps)

    @property
    def wall_time(self) -> float | None:
        """Seconds as the file states them, else from the start of the first step to the end of the last."""
        if self.elapsed is not None:
            return self.elapsed
        across = seconds_across(step.started for step in self.steps)
        last = next((step for step in reversed(self.steps) if step.started), None)
        return None if across is None or last is None else across + (last.duration or 0)


def total_duration(steps: Iterable[Step]) -> float | None:
    """The sum of all known durations; None if no step has one."""
    known = [step.duration for step in steps if step.duration is not None]
    return sum(known) if known else None
