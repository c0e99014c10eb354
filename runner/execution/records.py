"""What an attempt tells while it goes on, and what is left of it in the end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from leaderboard.domain.texts import Text
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step
from leaderboard.formats.documents import json_text
from leaderboard.formats.super_steps import kind_of
from runner.agents.base import Call, Past
from runner.execution.limits import Limits
from runner.execution.whole import WholeOutput


class Cancelled(Exception):
    """Raised by a recorder: somebody wants the attempt to end."""


class Fenced(Exception):
    """Raised by a recorder: the attempt is somebody else's by now; nothing more of ours is recorded."""


class OutcomeKind(StrEnum):
    """How an attempt ended.

    SUBMITTED: with an answer. STOPPED: at a limit. FAILED: by the agent's doing (its kernel died, its replies
    could not be read, it gave up). INFRASTRUCTURE: by ours; not to be held against the agent.
    """

    SUBMITTED = "submitted"
    STOPPED = "stopped"
    FAILED = "failed"
    CANCELLED = "cancelled"
    FENCED = "fenced"
    INFRASTRUCTURE = "infrastructure"


@dataclass(frozen=True, slots=True)
class Used:
    """What an attempt has used of its budgets.

    Attributes:
        steps: of the agent.
        cost: US dollars.
        estimated: some endpoint did not count the tokens.
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
    """A step before anything came of it.

    Attributes:
        number: counted from 1, pre-executed ones included.
        action_type, content: as in ``StepRecord``.
    """

    number: int
    thought: str
    action_type: str
    content: str
    started: datetime
    pre_executed: bool = False


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step that was taken.

    Attributes:
        action_type: empty where the reply could not be read; ``exception`` where the attempt was ended.
        content: the action's; where the reply could not be read, all of it.
        observation: what the agent is shown of it, before older ones are cut short.
        started, ended: of the execution, not of the thinking before it.
        seconds: of executing a cell; 0 for other actions.
        timed_out: the cell was still running when its time was up.
        dropped: characters left out of the middle of the observation, where a line says so.
        whole: then all that the cell said, where such outputs are kept.
        incomplete: the kernel never said that the cell had ended, so some output may be missing.
        calls: of the model, before the action.
        reply: all that the model wrote, where it is more than thought and action tell.
        answer: of a submission.
    """

    number: int
    thought: str
    action_type: str
    content: str
    observation: str
    started: datetime
    ended: datetime
    seconds: float = 0.0
    pre_executed: bool = False
    timed_out: bool = False
    dropped: int = 0
    incomplete: bool = False
    calls: tuple[Call, ...] = ()
    reply: str = ""
    answer: JsonValue | Missing = MISSING
    whole: WholeOutput | None = None

    def past(self) -> Past:
        """The step as agents look back on it."""
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
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that is left of an attempt.

    Attributes:
        reason: one sentence; names the limit, or what failed.
        retry: for an infrastructure failure, whether it may help to try again.
        ending: why it ended, in the words of the domain.
        agent, settings: what makes the same agent again; no secrets.
        sandbox: what it says of itself; empty where it did not start.
    """

    kind: OutcomeKind
    reason: Text
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


class Recorder(Protocol):
    """Is told what happens, from the thread that called ``execute_attempt``.

    Any method may raise `Cancelled` or `Fenced` to end the attempt; a running cell is then ended with its
    sandbox, within a second. Any other exception ends it too, and comes out of ``execute_attempt``. After
    `Cancelled` what was begun is still told, after `Fenced` nothing.
    """

    def step_started(self, step: StepBegun) -> None:
        """A step begins. Each is followed by its ``step_finished``, unless the attempt is fenced."""

    def output(self, text: str) -> None:
        """The running cell said something more."""

    def step_finished(self, step: StepRecord) -> None:
        """A step has ended; its observation replaces what ``output`` told."""

    def budget(self, used: Used) -> None:
        """What is used by now: several times a second while a cell runs or the agent thinks."""


class SilentRecorder:
    """Records nothing."""

    def step_started(self, step: StepBegun) -> None:
        """See the contract."""

    def output(self, text: str) -> None:
        """See the contract."""

    def step_finished(self, step: StepRecord) -> None:
        """See the contract."""

    def budget(self, used: Used) -> None:
        """See the contract."""


class DeafRecorder:
    """A recorder that can't cancel any more."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def step_started(self, step: StepBegun) -> None:
        """See the contract."""
        self._tell(self._recorder.step_started, step)

    def output(self, text: str) -> None:
        """See the contract."""
        self._tell(self._recorder.output, text)

    def step_finished(self, step: StepRecord) -> None:
        """See the contract."""
        self._tell(self._recorder.step_finished, step)

    def budget(self, used: Used) -> None:
        """See the contract."""
        self._tell(self._recorder.budget, used)

    @staticmethod
    def _tell(method: Any, what: Any) -> None:
        with suppress(Cancelled):
            method(what)


def clock_text(moment: datetime) -> str:
    """A moment as SUPER's files write it: in UTC, without saying so."""
    return str(moment.astimezone(UTC).replace(tzinfo=None))
