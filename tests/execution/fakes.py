"""A sandbox, a clock and an agent that do what they are told, without taking time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from leaderboard.domain.tasks import TaskSpec
from runner.agents.base import EDIT, EXECUTE, SUBMIT, Action, Agent, Assignment, Call, Past, Reply
from runner.execution.clock import Clock
from runner.execution.limits import Limits
from runner.execution.records import Recorder, StepBegun, StepRecord, Used
from runner.sandbox.base import Execution, OnOutput, Sandbox, SandboxError, Status

TASK = TaskSpec("t", "Find the accuracy.", gold="the gold", landmarks=("the landmark",), solution="secret")
MASKED = TaskSpec("m", "Find it.", pre_execute_cells=(("execute", "setup"), ("execute", "more")))


class FakeClock(Clock):
    """Stands still unless somebody moves it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


@dataclass
class Cell:
    """What a cell does: it says so much, takes so long, ends so; it says more each time it is waited for."""

    output: str = ""
    seconds: float = 1.0
    status: Status = Status.OK
    fails: str = ""
    further: str = ""
    whole: Path | None = None
    dropped: int = 0
    cut: bool = False
    infrastructure: bool = False
    images: tuple[str, ...] = ()


class FakeSandbox(Sandbox):
    """Runs the cells that it knows; others print their own code.

    Attributes:
        said: the names of the calls that came.
    """

    def __init__(
        self, clock: FakeClock, cells: Mapping[str, Cell] | None = None, *, starts: bool = True
    ) -> None:
        self.clock = clock
        self.cells = cells or {}
        self.files: dict[str, bytes] = {}
        self.said: list[str] = []
        self.closed = False
        self._starts = starts
        self._left = 0.0
        self._cell = Cell()

    def start(self) -> None:
        self.said.append("start")
        if not self._starts:
            raise SandboxError("no kernel came up")

    def execute(self, code: str, timeout: float, on_output: OnOutput | None = None) -> Execution:
        self.said.append(f"execute {code}")
        self._cell = self.cells.get(code, Cell(code))
        self._left = self._cell.seconds
        if self._cell.fails:
            raise SandboxError(self._cell.fails)
        return self._pass(timeout, self._cell.output)

    def keep_waiting(self, timeout: float, on_output: OnOutput | None = None) -> Execution:
        return self._pass(timeout, self._cell.further)

    def interrupt(self, on_output: OnOutput | None = None) -> Execution:
        self.said.append("interrupt")
        self._left = 0.0
        return self._pass(0.0, "KeyboardInterrupt")

    def write_file(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def read_file(self, name: str) -> bytes:
        if name == "locked.py":
            raise PermissionError(13, "Permission denied", "/somewhere/of/ours/locked.py")
        if name.startswith("/"):
            raise SandboxError(f"{name} is not in the working folder")
        try:
            return self.files[name]
        except KeyError:
            raise FileNotFoundError(name) from None

    def describe(self) -> dict[str, Any]:
        return {"kind": "fake"}

    def close(self) -> None:
        self.closed = True

    def _pass(self, timeout: float, output: str) -> Execution:
        started = self.clock.now()
        took = min(timeout, self._left)
        self.clock.seconds += took
        self._left -= took
        status = Status.RUNNING if self._left > 0 else self._cell.status
        cell, ended = self._cell, self.clock.now()
        more = {name: getattr(cell, name) for name in ("dropped", "whole", "cut", "infrastructure", "images")}
        return Execution(output, status, started, ended, **more)


class ListAgent(Agent):
    """Gives the replies of a list, whatever it sees; the last one again when there are no more."""

    name = "scripted"
    actions = (EXECUTE, EDIT, SUBMIT)

    def __init__(self, *replies: Reply | Exception | Callable[[], Reply]) -> None:
        self.replies = replies
        self.seen: list[tuple[Assignment, tuple[Past, ...]]] = []
        self.closed = False

    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        self.seen.append((task, tuple(history)))
        reply = self.replies[min(len(self.seen), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else reply()

    def close(self) -> None:
        self.closed = True


@dataclass
class Tape(Recorder):
    """Writes everything down, and raises when it is told to."""

    begun: list[StepBegun] = field(default_factory=list)
    finished: list[StepRecord] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    budgets: list[Used] = field(default_factory=list)
    at: str = ""
    error: Exception | None = None

    def step_started(self, step: StepBegun) -> None:
        self.begun.append(step)
        self._raise("step_started")

    def output(self, text: str) -> None:
        self.outputs.append(text)
        self._raise("output")

    def step_finished(self, step: StepRecord) -> None:
        self.finished.append(step)
        self._raise("step_finished")

    def budget(self, used: Used) -> None:
        self.budgets.append(used)
        if used.execution_seconds > 0:
            self._raise("budget")

    def _raise(self, where: str) -> None:
        if where == self.at and self.error:
            raise self.error


def call(prompt: int = 0, response: int = 0, cost: float = 0.0, *, estimated: bool = False) -> Call:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Call("act", "", prompt, response, cost, estimated, 1, now, now)


def act(kind: str, content: str = "", *calls: Call) -> Reply:
    return Reply("I think", Action(kind, content), text=f"raw {content}", calls=calls)


def run(content: str = "1", *calls: Call) -> Reply:
    return act(EXECUTE, content, *calls)


SUBMITS = act(SUBMIT, '{"a": 1}')
UNREADABLE = Reply("hm", None, "say it differently", "what?")
NO_LIMITS = Limits(execution_seconds=None, wall_seconds=None, prompt_tokens=None, steps=None)
