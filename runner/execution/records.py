"""What an attempt reports while it runs, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from leaderboard.domain.media import from_url
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step
from leaderboard.formats.documents import json_text
from leaderboard.formats.super_steps import kind_of
from runner.agents.base import Call, Past
from runner.execution.limits import Limits
from runner.execution.whole import WholeOutput


class Cancelled(Exception):
    """Raised by a recorder: the attempt was cancelled."""


class Fenced(Exception):
    """Raised by a recorder: another worker has claimed the attempt, so we record nothing more."""


class OutcomeKind(StrEnum):
    """How an attempt ended.

    SUBMITTED: with an answer. STOPPED: at a limit. FAILED: because of the agent (its kernel died, its replies
    could not be read, it gave up). CANCELLED: by a person. FENCED: another worker has claimed it.
    INFRASTRUCTURE: by an infrastructure error; does not count against the agent.
    """

    SUBMITTED = "submitted"
    STOPPED = "stopped"
    FAILED = "failed"
    CANCELLED = "cancelled"
    FENCED = "fenced"
    INFRASTRUCTURE = "infrastructure"


@dataclass(slots=True)
class Used:
    """What an attempt has used of its limits.

    Attributes:
        steps: of the agent.
        cost: US dollars.
        estimated: the endpoint did not count all tokens.
    """

    steps: int = 0
    prompt_tokens: int = 0
    response_tokens: int = 0
    cost: float = 0.0
    execution_seconds: float = 0.0
    wall_seconds: float = 0.0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class StepBegun:
    """A step at its start.

    Attributes:
        number: counted from 1, pre-executed ones included.
        action_type: empty where the reply could not be read; ``exception`` where the attempt was ended.
        content: the action's; where the reply could not be read, the whole reply.
        started: when the execution began, after the thinking.
    """

    number: int
    thought: str
    action_type: str
    content: str
    started: datetime
    pre_executed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord(StepBegun):
    """A finished step.

    Attributes:
        observation: as the agent gets it; older ones are shortened in later prompts.
        ended: of the execution.
        seconds: how long a cell ran; 0 for other actions.
        timed_out: the cell was still running at its time limit.
        dropped: characters left out of the middle of the observation; a line in it says so.
        whole: the cell's whole output if some was left out and such outputs are kept.
        images: those that the cell displayed, as data URLs; the agent does not get them.
        incomplete: the kernel never reported the end of the cell, so some output may be missing.
        calls: calls of the model for this step.
        reply: the model's whole reply, if it differs from ``content``.
        answer: the parsed answer of a submission.
    """

    observation: str
    ended: datetime
    seconds: float = 0.0
    timed_out: bool = False
    dropped: int = 0
    incomplete: bool = False
    calls: tuple[Call, ...] = ()
    reply: str = ""
    answer: JsonValue | Missing = MISSING
    whole: WholeOutput | None = None
    images: tuple[str, ...] = ()

    def past(self) -> Past:
        return Past(self.thought, self.action_type, self.content, self.observation, self.pre_executed)

    def to_step(self) -> Step:
        """The step as it is scored, rendered and read back from ``history_json``."""
        return Step(
            number=self.number,
            kind=kind_of(self.action_type, self.thought),
            action_type=self.action_type,
            action=self.content if self.answer is MISSING else json_text(self.answer),
            thought=self.thought,
            observation=self.observation,
            duration=(self.ended - self.started).total_seconds(),
            started=clock_text(self.started),
            pre_executed=self.pre_executed,
            media=tuple(from_url(image) for image in self.images),
            prompt_tokens=sum(call.prompt_tokens for call in self.calls) if self.calls else None,
            response_tokens=sum(call.response_tokens for call in self.calls) if self.calls else None,
            cost=float(sum(call.cost for call in self.calls)) if self.calls else None,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an attempt.

    Attributes:
        reason: one sentence; names the limit, or what failed.
        retry: for an infrastructure error, whether trying again may help.
        ending: why it ended, as the leaderboard classifies it.
        agent, settings: make the same agent again; no secrets.
        sandbox: its description; empty if it did not start.
    """

    kind: OutcomeKind
    reason: str
    ending: Ending
    task_id: str
    query: str
    agent: str
    settings: Mapping[str, Any]
    limits: Limits
    steps: tuple[StepRecord, ...]
    used: Used
    started: datetime
    ended: datetime
    retry: bool = False
    answer: JsonValue | Missing = MISSING
    sandbox: Mapping[str, Any] = field(default_factory=dict)


class Recorder:
    """Is told what happens, in the thread that called ``execute_attempt``. This one records nothing.

    Any method may raise `Cancelled` or `Fenced` to end the attempt; a running cell then ends with its sandbox
    within a second. Any other exception ends it too, and is raised by ``execute_attempt``. After `Cancelled`
    the open step and the end are still reported, after `Fenced` nothing.
    """

    def step_started(self, step: StepBegun) -> None:
        """A step begins. Its ``step_finished`` follows, unless the attempt is fenced."""

    def output(self, text: str) -> None:
        """The running cell has printed more."""

    def step_finished(self, step: StepRecord) -> None:
        """A step has ended; its observation replaces the text of ``output``."""

    def budget(self, used: Used) -> None:
        """What has been used so far: several times a second while a cell runs or the agent thinks."""


def clock_text(moment: datetime) -> str:
    """A time as SUPER's files write it: in UTC, without a time zone."""
    return str(moment.astimezone(UTC).replace(tzinfo=None))
