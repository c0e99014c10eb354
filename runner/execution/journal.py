"""Keeps the steps and the usage of an attempt, reports them to the recorder and checks the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.text import left_out_line, plural
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing
from runner.agents.base import Agent, Reply
from runner.execution import limits as stops
from runner.execution.clock import Clock
from runner.execution.ending import AttemptEnded
from runner.execution.limits import Limits, Stop
from runner.execution.records import (
    Cancelled,
    Fenced,
    Outcome,
    OutcomeKind,
    Recorder,
    StepBegun,
    StepRecord,
    Used,
)
from runner.execution.whole import OutputWriter, WholeOutputs
from runner.sandbox.base import Execution
from runner.sandbox.output import HeadTail, gap


@dataclass(slots=True)
class _OpenStep:
    begun: StepBegun
    output: HeadTail
    reply: Reply
    whole: OutputWriter | None = None
    seconds: float = 0.0
    incomplete: bool = False
    images: tuple[str, ...] = ()


IMAGE_CHARACTERS = 20_000_000
"""What an attempt keeps of images, in base64, so that its file stays within what a site reads."""


class Journal:
    """What has happened in an attempt.

    Attributes:
        steps: the finished ones; at most one more is open.
        sandbox: the sandbox's description, once it has started.
    """

    def __init__(
        self,
        task: TaskSpec,
        agent: Agent,
        limits: Limits,
        recorder: Recorder,
        clock: Clock,
        outputs: WholeOutputs | None = None,
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.steps: list[StepRecord] = []
        self.sandbox: Mapping[str, Any] = {}
        self._task = task
        self._agent = agent
        self._recorder = recorder
        self._outputs = outputs
        self._open: _OpenStep | None = None
        self._unspent: Reply | None = None
        self._used = Used()
        self._image_room = IMAGE_CHARACTERS
        self._ending = False
        self._started = clock.now()
        self._origin = clock.monotonic()

    @property
    def used(self) -> Used:
        return replace(self._used, wall_seconds=self.clock.monotonic() - self._origin)

    def begin(
        self, thought: str, kind: str, content: str, *, reply: Reply | None = None, pre_executed: bool = False
    ) -> None:
        """Opens a step; ``reply`` is the agent's, None for a step that it did not choose."""
        number, started = len(self.steps) + 1, self.clock.now()
        begun = StepBegun(number, thought, kind, content, started, pre_executed)
        self._unspent = None
        self._open = _OpenStep(
            begun, HeadTail(self.limits.observation_characters, _observation_gap), reply or Reply()
        )
        if reply:
            self._used.steps += 1
        self._tell(self._recorder.step_started, begun)

    def add(self, execution: Execution, seconds: float) -> None:
        """Adds a cell's output, and the seconds that it ran, to the open step."""
        step = self._open_step()
        self._keep_whole(step, execution)
        # The line that says how much was left out is part of the output.
        hidden = execution.dropped - len(gap(execution.dropped)) if execution.dropped else 0
        step.output.add(execution.output, hidden=hidden)
        step.incomplete = step.incomplete or execution.incomplete
        for image in execution.images:
            if len(image) <= self._image_room:
                self._image_room -= len(image)
                step.images += (image,)
        step.seconds += seconds
        if not step.begun.pre_executed:
            self._used.execution_seconds += seconds
        if execution.output:
            self._tell(self._recorder.output, execution.output)

    def finish(
        self,
        observation: str | None = None,
        *,
        note: str = "",
        timed_out: bool = False,
        answer: JsonValue | Missing = MISSING,
    ) -> None:
        """Closes the open step. Its observation is its cell's output unless given, with ``note`` below it."""
        step = self._open_step()
        said = step.output.text() if observation is None else observation
        record = StepRecord(
            **asdict(step.begun),
            observation=f"{said}\n{note}" if note else said,
            ended=self.clock.now(),
            seconds=step.seconds,
            timed_out=timed_out,
            dropped=step.output.missing(),
            whole=step.whole.finish() if step.whole else None,
            incomplete=step.incomplete,
            images=step.images,
            calls=step.reply.calls,
            reply=step.reply.text if step.reply.text != step.begun.content else "",
            answer=answer,
        )
        self._open = None
        self.steps.append(record)
        self._tell(self._recorder.step_finished, record)
        self.tell_budget()

    def spend(self, reply: Reply) -> None:
        """Counts the tokens and cost of a reply; raises AttemptEnded where they exceed a limit."""
        self._unspent = reply
        limits, used = self.limits, self._used
        for call in reply.calls:
            used.prompt_tokens += call.prompt_tokens
            used.response_tokens += call.response_tokens
            used.cost += call.cost
            used.estimated |= call.estimated
        if limits.prompt_tokens is not None and used.prompt_tokens > limits.prompt_tokens:
            limit = f"The limit of {limits.prompt_tokens:,} prompt tokens"
            raise _stopped(stops.CONTEXT, f"{limit} was reached: {used.prompt_tokens:,} were used.")
        if limits.cost is not None and used.cost > limits.cost:
            limit = f"The limit of {limits.cost:.2f} US dollars"
            raise _stopped(stops.COST, f"{limit} was reached: {used.cost:.4f} were spent.")

    def tell_budget(self) -> None:
        self._tell(self._recorder.budget, self.used)

    def check_before_step(self) -> None:
        """Raises AttemptEnded where no time or no step is left."""
        self.check_time()
        steps = self.limits.steps
        if steps is not None and self._used.steps >= steps:
            limit = plural(steps, "The limit of {n} step", "The limit of {n} steps")
            raise _stopped(stops.STEPS, f"{limit} was reached: {self._used.steps:,} were made.")

    def check_time(self) -> None:
        """Raises AttemptEnded where no time is left."""
        limit, used = self.limits.execution_seconds, self._used.execution_seconds
        if limit is not None and used >= limit:
            reason = f"The limit of {limit:g} seconds of execution was reached: {used:.0f} were used."
            raise _stopped(stops.TIME, reason)
        self.check_wall()

    def check_wall(self) -> None:
        """Raises AttemptEnded where the attempt took too long from start to end."""
        limit, used = self.limits.wall_seconds, self.used.wall_seconds
        if limit is not None and used >= limit:
            reason = f"The limit of {limit:g} seconds from start to end was reached: {used:.0f} have passed."
            raise _stopped(stops.TIME, reason)

    def execution_left(self) -> float:
        """Seconds that the agent's cells may still run; infinite without a limit."""
        limit = self.limits.execution_seconds
        return math.inf if limit is None else limit - self._used.execution_seconds

    def close(self, end: AttemptEnded) -> Outcome:
        if end.kind is OutcomeKind.FENCED:
            self.abandon()
        else:
            try:
                self._write_end(end)
            except Fenced:
                end = AttemptEnded.fenced()
        return Outcome(
            kind=end.kind,
            reason=end.reason,
            retry=end.retry,
            ending=end.ending,
            task_id=self._task.task_id,
            query=self._task.query,
            agent=self._agent.name,
            settings=self._agent.settings(),
            limits=self.limits,
            steps=tuple(self.steps),
            used=self.used,
            started=self._started,
            ended=self.clock.now(),
            answer=self.steps[-1].answer if self.steps else MISSING,
            sandbox=self.sandbox,
        )

    def abandon(self) -> None:
        """Closes open files, without recording an end."""
        if self._open and self._open.whole:
            self._open.whole.finish()

    def _write_end(self, end: AttemptEnded) -> None:
        self._ending = True
        if self._open:
            self.finish(note=f"[{end.reason}]")
        if end.stop:
            lost = self._unspent
            self.begin("", "exception", end.stop.content)
            if lost and self._open:
                self._open.reply = lost
            self.finish(end.reason)

    def _tell(self, report: Callable[[Any], None], what: Any) -> None:
        try:
            report(what)
        except Cancelled:
            # After a cancellation the recorder raises it at every call; the end must be recorded anyway.
            if not self._ending:
                raise

    def _keep_whole(self, step: _OpenStep, execution: Execution) -> None:
        """Writes the whole output of a step to disk where the observation is too short for it."""
        if not self._outputs:
            return
        if not step.whole:
            if not execution.whole and step.output.holds(len(execution.output)):
                return
            step.whole = self._outputs.begin(step.begun.number)
            step.whole.add(step.output.text().encode())
        if execution.whole:
            step.whole.add_file(execution.whole, cut=execution.cut)
        else:
            step.whole.add(execution.output.encode())

    def _open_step(self) -> _OpenStep:
        if self._open is None:
            raise RuntimeError("no step was begun")
        return self._open


def _observation_gap(missing: int) -> str:
    return f"\n{left_out_line(missing)}\n"


def _stopped(stop: Stop, reason: str) -> AttemptEnded:
    return AttemptEnded(OutcomeKind.STOPPED, stop, reason)
