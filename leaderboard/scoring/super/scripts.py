"""Did the task's script run? By the authors' rule, and strictly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from leaderboard.domain.commands import runs_script
from leaderboard.domain.trajectory import Step, StepKind, Trajectory, total_duration

MIN_SECONDS = 10.0
"""A script that ran for less time does not count: it failed early."""

_PAPER_SUFFIXES = (".py", ".sh", ".bash")

_TAIL = 600
"""Characters at an observation's end where an environment reports that it stopped a command."""

_UNFINISHED = re.compile(
    r"still running\. You can continue to wait"
    r"|Kernel interrupted\."
    r"|KeyboardInterrupt"
    r"|execution timed out"
    r"|command timed out after"
    r"|timed out and has been killed"
    r"|has no new output after",
    re.IGNORECASE,
)


def script_ran_as_paper(entrypoint: str, trajectory: Trajectory) -> bool | None:
    """Whether the script ran, by the authors' rule.

    Some step (also a pre-executed one or a stopped command, but no exception) has an action that contains
    the script's base name, or its name without ``.py`` and ``python -m``; its observation has no
    ``Traceback`` and no ``<script>: error``; and it took 10 seconds or more. A step with an unknown duration
    does not count, and the steps of one continued command are not added up.

    Returns:
        None for an entry point that is neither Python nor a shell script: the rule does not apply.
    """
    if not entrypoint.endswith(_PAPER_SUFFIXES):
        return None
    name = PurePosixPath(entrypoint).name
    stem = name.replace(".py", "")
    return any(
        (name in step.action or (stem in step.action and "python -m" in step.action))
        and _is_clean(name, step.observation or "")
        and _is_long(step.duration)
        for step in trajectory.steps
        if step.kind is not StepKind.EXCEPTION
    )


def script_ran_strictly(entrypoint: str, trajectory: Trajectory) -> bool:
    """Whether the agent itself ran the script to its end.

    A command and the waits (``continue_wait``) after it are one execution, whose duration is the sum of the
    known ones. It counts if it finished, and not if it was interrupted or still running at the end. An
    execution without any known duration does not count; a cell's time is not split among its commands.
    """
    name = PurePosixPath(entrypoint).name
    return any(
        not steps[0].pre_executed
        and not _UNFINISHED.search((steps[-1].observation or "")[-_TAIL:])
        and _is_long(total_duration(steps))
        and _is_clean(name, "\n".join(step.observation or "" for step in steps))
        and runs_script(steps[0].action, entrypoint)
        for steps in _executions(trajectory.steps)
    )


def _executions(steps: Iterable[Step]) -> list[list[Step]]:
    """The step of each command and the waits after it, without interrupted commands."""
    found: list[list[Step]] = []
    is_open = False
    for step in steps:
        if _is_wait(step):
            if is_open:
                found[-1].append(step)
        elif step.kind is StepKind.EXECUTE:
            found.append([step])
            is_open = True
        elif step.kind is not StepKind.FORMAT_ERROR:  # it reached no kernel, so the last command still runs
            if is_open and step.kind is StepKind.INTERRUPT:
                found.pop()
            is_open = False
    return found


def _is_wait(step: Step) -> bool:
    # In SWE-Agent's histories a wait has no type, only this content.
    return step.kind is StepKind.WAIT or step.action.strip() == "continue_wait"


def _is_long(duration: float | None) -> bool:
    return duration is not None and duration >= MIN_SECONDS


def _is_clean(name: str, observation: str) -> bool:
    return "Traceback" not in observation and f"{name}: error" not in observation
