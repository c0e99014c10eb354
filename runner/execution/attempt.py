"""The loop: an agent is asked, what it wants is done, and what came of it is recorded, to some end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.texts import gettext as _
from leaderboard.domain.trajectory import Ending
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
from runner.execution.clock import Clock, SystemClock
from runner.execution.ending import AttemptEnded
from runner.execution.files import make_edit
from runner.execution.journal import Journal
from runner.execution.limits import Limits
from runner.execution.records import Cancelled, Fenced, Outcome, OutcomeKind, Recorder
from runner.execution.sentences import text_of
from runner.execution.whole import WholeOutputs
from runner.sandbox.base import Execution, Sandbox, SandboxError, Status

PRE_EXECUTED = "[pre-executed by user]"
SLICE_SECONDS = 0.25
"""How long a cell or a model is waited for before a cancellation is looked for again."""


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
    """Lets an agent work on a task in a sandbox, from the sandbox's start to its end.

    Whatever happens, sandbox and agent are closed when this returns or raises.

    Args:
        task: only its query and its pre-executed cells are used; the agent sees nothing else of it.
        agent: for this attempt alone.
        sandbox: not started yet.
        limits: see ``Limits.for_task``.
        recorder: is told what happens, and can end the attempt.
        clock: the machine's unless given.
        cancelled: asked several times a second whether somebody wants the attempt to end; may raise what a
            recorder may.
        prepare: puts what the task needs into the started sandbox, before its first cell.
        outputs: where outputs go that are too large for their step; without it their middle is lost.
    """
    journal = Journal(task, agent, limits, recorder, clock or SystemClock(), outputs)
    attempt = _Attempt(task, agent, sandbox, journal, cancelled)
    try:
        end = attempt.run(lambda: _start(sandbox, prepare, journal))
    except BaseException:
        journal.abandon()
        raise
    finally:
        # Before the end is written down, so that a slow recorder keeps no cell running.
        try:
            sandbox.close()
        finally:
            agent.close()
    return journal.close(end)


def work_on(task: TaskSpec, agent: Agent, sandbox: Sandbox, limits: Limits, recorder: Recorder) -> Outcome:
    """As ``execute_attempt``, in a sandbox that is started and laid out, and stays open."""
    journal = Journal(task, agent, limits, recorder, SystemClock())
    return journal.close(_Attempt(task, agent, sandbox, journal, lambda: False).run(lambda: None))


def _start(sandbox: Sandbox, prepare: Callable[[Sandbox], None], journal: Journal) -> None:
    sandbox.start()
    journal.sandbox = sandbox.describe()
    prepare(sandbox)


class _Attempt:
    def __init__(
        self, task: TaskSpec, agent: Agent, sandbox: Sandbox, journal: Journal, cancelled: Callable[[], bool]
    ) -> None:
        self._task = task
        self._assignment = Assignment(task.task_id, task.query)
        self._agent = agent
        self._sandbox = sandbox
        self._journal = journal
        self._limits = journal.limits
        self._cancelled = cancelled
        self._running = False
        self._format_errors = 0

    def run(self, start: Callable[[], None]) -> AttemptEnded:
        """Works until something ends the attempt, and says what did."""
        try:
            start()
            self._pre_execute()
            while True:
                self._take_step()
        except AttemptEnded as end:
            return end
        except Cancelled:
            return AttemptEnded(OutcomeKind.CANCELLED, stops.CANCELLED, _("It was cancelled."))
        except Fenced:
            return AttemptEnded.by_others()
        except SandboxError as error:
            return AttemptEnded.by_us(_("The sandbox failed: {why}", why=text_of(error)), retry=True)
        except AgentUnavailable as error:
            reason = _("The agent could not answer: {why}", why=text_of(error))
            return AttemptEnded.by_us(reason, retry=error.retry)
        except PromptTooLong as error:
            reason = _("The prompt did not fit into the model's window any more: {why}", why=text_of(error))
            return AttemptEnded(OutcomeKind.STOPPED, stops.WINDOW, reason)

    def _pre_execute(self) -> None:
        for number, (kind, content) in enumerate(self._task.pre_execute_cells, start=1):
            self._look_up()
            self._journal.begin(PRE_EXECUTED, kind, content, pre_executed=True)
            if kind == EDIT:
                self._journal.finish(make_edit(self._sandbox, content))
                continue
            if kind != EXECUTE:
                reason = _(
                    "Pre-executed cell {number} is of a type that can't be executed: {kind}.",
                    number=number,
                    kind=kind,
                )
                raise AttemptEnded.by_us(reason, retry=False)
            status = self._run(partial(self._sandbox.execute, content), self._limits.pre_execute_seconds)
            if status is Status.RUNNING:
                reason = _(
                    "Pre-executed cell {number} did not end within its limit of {seconds} seconds.",
                    number=number,
                    seconds=f"{self._limits.pre_execute_seconds:g}",
                )
                raise AttemptEnded.by_us(reason, retry=True)
            if status is Status.DEAD:
                reason = _("The kernel died in pre-executed cell {number}.", number=number)
                raise AttemptEnded.by_us(reason, retry=True)
            self._journal.finish()

    def _take_step(self) -> None:
        self._look_up()
        self._journal.check_before_step()
        history = [step.past() for step in self._journal.steps]
        reply = in_background(
            lambda: self._agent.next(self._assignment, history), self._look_up, SLICE_SECONDS
        )
        self._journal.spend(reply)
        self._look_up()
        if reply.done:
            reason = _("The agent had nothing to do any more, and had submitted no answer.")
            raise AttemptEnded(OutcomeKind.FAILED, None, reason)
        problem = self._problem(reply)
        if problem or not reply.action:
            self._answer_unreadable(reply, problem)
        else:
            self._format_errors = 0
            self._act(reply, reply.action)

    def _problem(self, reply: Reply) -> str:
        """Why nothing can be done with a reply, in words for the agent; or nothing."""
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
        if self._format_errors >= self._limits.format_errors:
            reason = _(
                "The limit of {most} replies in a row that can't be used was reached.",
                most=self._limits.format_errors,
            )
            raise AttemptEnded(OutcomeKind.FAILED, stops.FORMAT, reason)

    def _act(self, reply: Reply, action: Action) -> None:
        self._journal.begin(reply.thought, action.kind, action.content, reply=reply)
        if action.observation is not None:
            self._journal.finish(action.observation)
        elif action.kind == SUBMIT:
            self._journal.finish("The answer was submitted.", answer=parse_answer(action.content))
            reason = _("An answer was submitted.")
            raise AttemptEnded(OutcomeKind.SUBMITTED, None, reason, ending=Ending.SUBMITTED)
        elif action.kind == EDIT:
            self._journal.finish(make_edit(self._sandbox, action.content))
        elif action.kind == INTERRUPT:
            self._after_cell(self._one_call(lambda seconds: self._sandbox.interrupt(), 0))
        else:
            call = partial(self._sandbox.execute, action.content)
            seconds = min(self._limits.cell_seconds, self._journal.execution_left())
            self._after_cell(self._run(self._sandbox.keep_waiting if action.kind == WAIT else call, seconds))

    def _after_cell(self, status: Status) -> None:
        self._running = status is Status.RUNNING
        if self._running:
            self._journal.check_time()
        if status is Status.DEAD:
            self._journal.finish(note="[The kernel died. The attempt ends here.]")
            reason = _("The kernel died while it ran the agent's code.")
            raise AttemptEnded(OutcomeKind.FAILED, stops.DEAD, reason)
        if self._running:
            note = (
                f"[{self._limits.cell_seconds:g} seconds are over and the cell is "
                "still running. You can continue to wait or interrupt it.]"
            )
            self._journal.finish(note=note, timed_out=True)
        else:
            self._journal.finish()

    def _run(self, call: Callable[[float], Execution], seconds: float) -> Status:
        """Waits for a cell, so many seconds at most, in slices so that a cancellation is seen in between."""
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
                # Each slice of a flood would leave one.
                execution.whole.unlink(missing_ok=True)
        if execution.ours:
            reason = _("The sandbox was lost while a cell ran, which the cell can't have brought about.")
            raise AttemptEnded.by_us(reason, retry=True)
        self._look_up()
        return execution.status

    def _look_up(self) -> None:
        self._journal.tell_budget()
        if self._cancelled():
            raise Cancelled
        self._journal.check_wall()
