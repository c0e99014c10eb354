"""The loop of an attempt: ask the agent, execute its action, record the step, until something ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import is_answer
from runner.agents.base import (
    EDIT,
    EXECUTE,
    INTERRUPT,
    SUBMIT,
    WAIT,
    WHILE_RUNNING,
    Action,
    Agent,
    AgentUnavailable,
    Assignment,
    PromptTooLong,
    Reply,
)
from runner.agents.replies import Unreadable, parse_answer
from runner.execution import limits as stops
from runner.execution.background import in_background
from runner.execution.clock import Clock
from runner.execution.edits import make_edit
from runner.execution.ending import AttemptEnded
from runner.execution.journal import Journal
from runner.execution.limits import Limits
from runner.execution.records import Cancelled, Fenced, Outcome, OutcomeKind, Recorder
from runner.execution.whole import WholeOutputs
from runner.sandbox.base import Execution, Sandbox, SandboxError, Status

PRE_EXECUTED = "[pre-executed by user]"
SLICE_SECONDS = 0.25
"""How often a cancellation is looked for while a cell runs or the model answers."""


def execute_attempt(
    task: TaskSpec,
    agent: Agent,
    sandbox: Sandbox,
    limits: Limits,
    recorder: Recorder,
    clock: Clock | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    prepare: Callable[[Sandbox], None] = lambda sandbox: None,
    outputs: WholeOutputs | None = None,
) -> Outcome:
    """Lets an agent work on a task in a sandbox, from the start of the sandbox to its end.

    Sandbox and agent are always closed when this returns or raises.

    Args:
        task: only its query and its pre-executed cells are used; the agent sees only the query.
        agent: used for this attempt only.
        sandbox: not started yet.
        limits: see ``Limits.for_task``.
        recorder: is told what happens, and can end the attempt.
        clock: this machine's unless given.
        cancelled: called several times a second; True ends the attempt. May raise what a recorder may.
        prepare: puts the task's files into the started sandbox, before the first cell.
        outputs: keeps outputs that are too large for their step; without it their middle is lost.
    """
    journal = Journal(task, agent, limits, recorder, clock or Clock(), outputs)
    attempt = _Attempt(task, agent, sandbox, journal, cancelled)
    try:
        end = attempt.run(lambda: _start(sandbox, prepare, journal))
    except BaseException:
        journal.abandon()
        raise
    finally:
        # Before the end is recorded, so that no cell runs on while a slow recorder works.
        try:
            sandbox.close()
        finally:
            agent.close()
    return journal.close(end)


def work_on(task: TaskSpec, agent: Agent, sandbox: Sandbox, limits: Limits, recorder: Recorder) -> Outcome:
    """As ``execute_attempt``, in a sandbox that is started and prepared. It stays open."""
    journal = Journal(task, agent, limits, recorder, Clock())
    return journal.close(_Attempt(task, agent, sandbox, journal, lambda: False).run(lambda: None))


def _start(sandbox: Sandbox, prepare: Callable[[Sandbox], None], journal: Journal) -> None:
    sandbox.start()
    journal.sandbox = sandbox.describe()
    prepare(sandbox)


@dataclass(slots=True)
class _Attempt:
    _task: TaskSpec
    _agent: Agent
    _sandbox: Sandbox
    _journal: Journal
    _cancelled: Callable[[], bool]
    _running: bool = False
    _format_errors: int = 0

    def run(self, start: Callable[[], None]) -> AttemptEnded:
        """Takes steps until something ends the attempt; returns that."""
        try:
            start()
            self._pre_execute()
            while True:
                self._take_step()
        except AttemptEnded as end:
            return end
        except Cancelled:
            return AttemptEnded(OutcomeKind.CANCELLED, stops.CANCELLED, "It was cancelled.")
        except Fenced:
            return AttemptEnded.fenced()
        except SandboxError as error:
            return AttemptEnded.infrastructure(f"The sandbox failed: {error}", retry=True)
        except AgentUnavailable as error:
            return AttemptEnded.infrastructure(f"The agent could not answer: {error}", retry=error.retry)
        except PromptTooLong as error:
            reason = f"The prompt no longer fits into the model's context window: {error}"
            return AttemptEnded(OutcomeKind.STOPPED, stops.WINDOW, reason)

    def _pre_execute(self) -> None:
        for number, (kind, content) in enumerate(self._task.pre_execute_cells, start=1):
            self._look_up()
            self._journal.begin(PRE_EXECUTED, kind, content, pre_executed=True)
            if kind == EDIT:
                self._journal.finish(make_edit(self._sandbox, content))
                continue
            if kind != EXECUTE:
                reason = f"Pre-executed cell {number:,} is of a type that can't be executed: {kind}."
                raise AttemptEnded.infrastructure(reason, retry=False)
            seconds = self._journal.limits.pre_execute_seconds
            status = self._run(partial(self._sandbox.execute, content), seconds)
            if status is Status.RUNNING:
                reason = f"Pre-executed cell {number:,} did not end within its limit of {seconds:g} seconds."
                raise AttemptEnded.infrastructure(reason, retry=True)
            if status is Status.DEAD:
                reason = f"The kernel died in pre-executed cell {number:,}."
                raise AttemptEnded.infrastructure(reason, retry=True)
            self._journal.finish()

    def _take_step(self) -> None:
        self._look_up()
        self._journal.check_before_step()
        history = [step.past() for step in self._journal.steps]
        assignment = Assignment(self._task.task_id, self._task.query)
        reply = in_background(lambda: self._agent.next(assignment, history), self._look_up, SLICE_SECONDS)
        self._journal.spend(reply)
        self._look_up()
        if reply.done:
            reason = "The agent had nothing more to do, and submitted no answer."
            raise AttemptEnded(OutcomeKind.FAILED, None, reason)
        problem = self._problem(reply)
        if problem or not reply.action:
            self._answer_unreadable(reply, problem)
        else:
            self._format_errors = 0
            self._act(reply, reply.action)

    def _problem(self, reply: Reply) -> str:
        """Tells the agent why its reply can't be used; empty if it can."""
        if reply.action is None:
            return f"The reply could not be read: {reply.problem}"
        kind = reply.action.kind
        if self._running and kind not in WHILE_RUNNING:
            return f"Nothing was done: a cell is still running. Answer with {WAIT} or {INTERRUPT}."
        if not self._running and kind in WHILE_RUNNING:
            return f"Nothing was done: no cell is running, so there is nothing for {kind} to do."
        if kind == SUBMIT:
            try:
                parse_answer(reply.action.content)
            except Unreadable as error:
                return f"The answer was not submitted: {error}"
        return ""

    def _answer_unreadable(self, reply: Reply, problem: str) -> None:
        self._journal.begin(reply.thought, "", reply.text, reply=reply)
        self._journal.finish(problem)
        self._format_errors += 1
        most = self._journal.limits.format_errors
        if self._format_errors >= most:
            reason = f"The limit of {most:,} replies in a row that can't be used was reached."
            raise AttemptEnded(OutcomeKind.FAILED, stops.FORMAT, reason)

    def _act(self, reply: Reply, action: Action) -> None:
        self._journal.begin(reply.thought, action.kind, action.content, reply=reply)
        if action.observation is not None:
            self._journal.finish(action.observation)
        elif action.kind == SUBMIT:
            answer = parse_answer(action.content)
            self._journal.finish("The answer was submitted.", answer=answer)
            reason = "An answer was submitted." if is_answer(answer) else "An empty answer was submitted."
            raise AttemptEnded(OutcomeKind.SUBMITTED, None, reason)
        elif action.kind == EDIT:
            self._journal.finish(make_edit(self._sandbox, action.content))
        elif action.kind == INTERRUPT:
            self._after_cell(self._one_call(lambda seconds: self._sandbox.interrupt(), 0))
        else:
            call = partial(self._sandbox.execute, action.content)
            seconds = min(self._journal.limits.cell_seconds, self._journal.execution_left())
            self._after_cell(self._run(self._sandbox.keep_waiting if action.kind == WAIT else call, seconds))

    def _after_cell(self, status: Status) -> None:
        self._running = status is Status.RUNNING
        if self._running:
            self._journal.check_time()
        if status is Status.DEAD:
            self._journal.finish(note="[The kernel died. The attempt ends here.]")
            reason = "The kernel died while it ran the agent's code."
            raise AttemptEnded(OutcomeKind.FAILED, stops.DEAD, reason)
        if self._running:
            note = (
                f"[{self._journal.limits.cell_seconds:g} seconds are over and the cell is "
                "still running. You can continue to wait or interrupt it.]"
            )
            self._journal.finish(note=note, timed_out=True)
        else:
            self._journal.finish()

    def _run(self, call: Callable[[float], Execution], seconds: float) -> Status:
        """Waits for a cell up to ``seconds``, and looks for a cancellation in between."""
        deadline = self._journal.clock.monotonic() + seconds
        left = seconds
        while True:
            status = self._one_call(call, max(0.0, min(SLICE_SECONDS, left)))
            left = deadline - self._journal.clock.monotonic()
            if status is not Status.RUNNING or left <= 0:
                return status
            call = self._sandbox.keep_waiting

    def _one_call(self, call: Callable[[float], Execution], seconds: float) -> Status:
        begun = self._journal.clock.monotonic()
        execution = call(seconds)
        try:
            self._journal.add(execution, self._journal.clock.monotonic() - begun)
        finally:
            if execution.whole:
                # Every slice of a large output leaves a file.
                execution.whole.unlink(missing_ok=True)
        if execution.infrastructure:
            reason = "The sandbox was lost while a cell ran, and the cell can't have caused it."
            raise AttemptEnded.infrastructure(reason, retry=True)
        self._look_up()
        return execution.status

    def _look_up(self) -> None:
        self._journal.tell_budget()
        if self._cancelled():
            raise Cancelled
        self._journal.check_wall()
