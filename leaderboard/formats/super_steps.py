"""Interprets values in SUPER's two trajectory files: action types, pre-executed cells, endings."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import Ending, JsonValue, Step, StepKind
from leaderboard.formats.shapes import NEVER_BEGAN, expect_objects

PRE_EXECUTED_THOUGHTS: Final = frozenset({"[pre-executed by user]", "EXECUTED BY USER"})

CONTINUED_THOUGHT: Final = "[continued after timeout]"

KINDS: Final = {
    "execute": StepKind.EXECUTE,
    "None": StepKind.EXECUTE,  # SWE-Agent's execute
    "edit": StepKind.EDIT,
    "create": StepKind.CREATE,
    "open": StepKind.VIEW,
    "goto": StepKind.VIEW,
    "scroll_up": StepKind.VIEW,
    "scroll_down": StepKind.VIEW,
    "search_file": StepKind.SEARCH,
    "search_dir": StepKind.SEARCH,
    "find_file": StepKind.SEARCH,
    "submit": StepKind.SUBMIT,
    "interrupt": StepKind.INTERRUPT,
    "continue_wait": StepKind.WAIT,
    "exception": StepKind.EXCEPTION,
}

_LIMITS: Final = {
    "Total context tokens exceeded.": Ending.CONTEXT,
    "Total compute time exceeded.": Ending.TIME,
    "exit_context": Ending.CONTEXT,
    "exit_cost": Ending.COST,
    "exit_steps": Ending.STEPS,
    "exit_max_compute_time": Ending.TIME,
}


def history_items(history: JsonValue, *, name: str, place: str) -> list[tuple[str, dict[str, JsonValue]]]:
    """The steps of a history as in the file, each with its place; `InputError` if there is none."""
    of_list, of_item = "the history is {}, not a list of steps", "step {n} is {}, not an object"
    items = list(expect_objects(history, of_list, of_item, name=name, place=place))
    if not items:
        raise InputError(Problem(name, place, "the history has no steps", NEVER_BEGAN))
    return items


def kind_of(action_type: str, thought: str = "") -> StepKind:
    """The step kind of an action type.

    An empty type, or a sentence as type, is a format error of the agent. But SWE-Agent's wait after a timeout
    has no type either: it is detected by its thought.
    """
    if thought.strip() == CONTINUED_THOUGHT:
        return StepKind.WAIT
    if action_type in KINDS:
        return KINDS[action_type]
    if is_exit(action_type):
        return StepKind.EXCEPTION
    if not action_type or len(action_type.split()) > 1:
        return StepKind.FORMAT_ERROR
    return StepKind.OTHER


def is_exit(word: str) -> bool:
    """Whether this is an exit status of SWE-Agent, such as ``exit_cost``."""
    return word.startswith("exit_") and len(word.split()) == 1


def is_pre_executed(thought: str) -> bool:
    """Whether this thought marks a cell that was executed before the agent started."""
    return thought.strip() in PRE_EXECUTED_THOUGHTS


def ending_of(last: Step) -> tuple[Ending, str]:
    """Why a trajectory with this last step ended, and the reason as text from the file."""
    if last.kind is StepKind.SUBMIT:
        return Ending.SUBMITTED, last.action_type
    if last.kind is StepKind.EXCEPTION:
        detail = (last.action or last.action_type).strip()
        return _LIMITS.get(detail, Ending.EXCEPTION), detail[:200]
    return Ending.UNKNOWN, ""
