"""Proves a Masked task by executing it: the pre-executed cells run, and they and the solution give gold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from leaderboard.domain.landmarks import compile_landmark, find_landmarks
from leaderboard.domain.scores import LandmarkStatus
from leaderboard.domain.terminal import shown_text
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.scoring.super.answers import compare_strictly
from runner.agents.base import EDIT
from runner.agents.replies import Unreadable, parse_answer
from runner.execution.edits import MADE, make_edit
from runner.making.cutting import CutTask
from runner.making.solutions import Cell
from runner.sandbox.base import Execution, Sandbox, Status

PROBE = "print(get_ipython().user_ns.pop('_exit_code', 0))"
"""Prints the exit status of the last shell command, which a cell does not fail by."""
PROBE_SECONDS = 30.0
SEARCH_SECONDS = 2.0
"""For each regular expression of ``answer_from``."""
LINES, LINE = 12, 300
"""Lines of a failed cell's output that are shown, and characters of each."""
NOTHING_LEFT = "the pre-executed cells print the gold answer already, so that nothing is left to solve"


@dataclass(slots=True)
class Proof:
    """What came of executing a task: proved if there is no ``problem``; ``notes`` are worth a look."""

    problem: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


class _Failed(Exception):
    """A cell did not do what it should; the message says which, how, and ends with its output's end."""


def prove(task: CutTask, sandbox: Sandbox, *, prepare: Callable[[Sandbox], None], seconds: float) -> Proof:
    """Executes a task's pre-executed cells and its solution in a fresh sandbox, which it closes.

    Args:
        task: what to prove.
        sandbox: not started.
        prepare: puts the task's files into the started sandbox.
        seconds: how long a cell may run.

    Raises:
        SandboxError: the sandbox failed, which proves nothing.
    """
    proof = Proof()
    with sandbox:
        prepare(sandbox)
        try:
            before = [_run(sandbox, task, cell, seconds, given=True) for cell in task.prefix]
            if _is_gold(task, before):
                proof.problem = NOTHING_LEFT
                return proof
            after = [_run(sandbox, task, cell, seconds, given=False) for cell in task.solution]
        except _Failed as failure:
            proof.problem = str(failure)
            return proof
    steps = [*before, *after]
    proof.seconds = sum(step.duration or 0.0 for step in after)
    if not _is_gold(task, after):
        answer = read_answer(task.answer_from, [step.observation or "" for step in after])
        where = "; ".join(_differences(task.spec.gold, answer, ""))
        proof.problem = f"the solution does not give the gold answer: {where}"
    proof.notes = list(_missed(task, steps))
    return proof


def read_answer(patterns: JsonValue, outputs: Sequence[str]) -> JsonValue | Missing:
    """The answer that outputs print; MISSING in place of what is not printed.

    A regular expression's last match counts, by its first group if it has one. A match that is JSON or a
    Python literal is read as such, any other is text. Outputs are read as a terminal shows them.
    """
    text = "\n".join(shown.text if (shown := shown_text(output)) else output for output in outputs)
    return _read(patterns, text)


def _read(patterns: JsonValue, text: str) -> JsonValue | Missing:
    if isinstance(patterns, dict):
        return {key: _read(item, text) for key, item in patterns.items()}
    if isinstance(patterns, list):
        return [_read(item, text) for item in patterns]
    compiled = compile_landmark(patterns)
    try:
        matches = deque(compiled.finditer(text, timeout=SEARCH_SECONDS), maxlen=1)
    except TimeoutError:
        return MISSING
    if not matches:
        return MISSING
    said = matches[0][1] if compiled.groups else matches[0][0]
    try:
        return parse_answer(said or "")
    except Unreadable:
        return (said or "").strip()


def _run(sandbox: Sandbox, task: CutTask, cell: Cell, seconds: float, *, given: bool) -> Step:
    """Executes a cell; the step that it would be in an attempt.

    Raises:
        _Failed: it failed, and may not.
    """
    which = "pre-executed" if given else "of the solution"
    if cell.kind == EDIT:
        output, duration = make_edit(sandbox, cell.content), 0.0
        failure = "" if output.startswith(MADE) else "the edit was not made"
    else:
        execution = sandbox.execute(cell.content, seconds)
        output = execution.output
        duration = (execution.ended - execution.started).total_seconds()
        if lost := _LOST.get(execution.status):
            # Nothing can follow, whatever may fail.
            raise _Failed(f"cell {cell.number:,} ({which}): {lost}{_end_of(output)}")
        failure = _failure(sandbox, cell, execution)
    if failure and cell.number not in task.may_fail:
        raise _Failed(f"cell {cell.number:,} ({which}): {failure}{_end_of(output)}")
    kind = StepKind.EDIT if cell.kind == EDIT else StepKind.EXECUTE
    return Step(
        cell.number, kind, cell.kind, cell.content, observation=output, duration=duration, pre_executed=given
    )


_LOST = {Status.RUNNING: "it did not end in time (--seconds)", Status.DEAD: "the kernel died"}


def _failure(sandbox: Sandbox, cell: Cell, execution: Execution) -> str:
    """How a cell that ended has failed; empty if it did not."""
    if execution.status is Status.ERROR:
        return "it raised an exception"
    if "Traceback (most recent call last)" in execution.output:
        return "there is a traceback in its output"
    if any(line.lstrip().startswith("!") for line in cell.content.splitlines()):
        status = sandbox.execute(PROBE, PROBE_SECONDS).output.strip()
        if status not in ("", "0"):
            return f"its last shell command ended with the status {status[:20]}"
    return ""


def _is_gold(task: CutTask, steps: Sequence[Step]) -> bool:
    answer = read_answer(task.answer_from, [step.observation or "" for step in steps])
    return compare_strictly(task.spec.gold, answer) == 1.0


def _differences(gold: JsonValue, answer: JsonValue | Missing, path: str) -> Iterator[str]:
    """Where an answer is not gold, without a word of gold."""
    where = path.removeprefix(".") or "the answer"
    if compare_strictly(gold, answer) == 1.0:
        return
    if answer is MISSING:
        yield f"{where} is not printed, or not where answer_from looks"
    elif isinstance(gold, dict) and isinstance(answer, dict):
        for key, value in gold.items():
            yield from _differences(value, answer.get(key, MISSING), f"{path}.{key}")
    elif isinstance(gold, list) and isinstance(answer, list) and len(gold) == len(answer):
        for index, value in enumerate(gold):
            yield from _differences(value, answer[index], f"{path}[{index}]")
    else:
        yield f"{where} is printed as {str(answer)[:60]!a}"


def _missed(task: CutTask, steps: Sequence[Step]) -> Iterator[str]:
    for found in find_landmarks(task.spec.landmarks, Trajectory(tuple(steps), "")):
        if found.status not in (LandmarkStatus.HIT, LandmarkStatus.GIVEN):
            yield f"landmark {found.number:,} is {found.status}: the solution does not print it"


def _end_of(output: str) -> str:
    """The last lines of an output, fit for a terminal."""
    shown = shown_text(output)
    lines = (shown.text if shown else output).rstrip().split("\n")[-LINES:]
    clean = ("".join(c if c.isprintable() else "�" for c in line[:LINE]) for line in lines)
    return "".join(f"\n    {line}" for line in clean) if output.strip() else "; it printed nothing"
