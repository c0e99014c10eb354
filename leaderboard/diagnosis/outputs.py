"""Reads what came of a step: its lines without terminal codes, and the line of its error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from leaderboard.diagnosis.classes import ERRORS, NOT_AN_ERROR, TOO_LONG
from leaderboard.domain.refusals import refusal
from leaderboard.domain.terminal import without_codes
from leaderboard.domain.trajectory import Step, StepKind

LONGEST_LINE: Final = 400
"""Characters of a line that are read."""
HEAD, TAIL = 2_000, 8_000
"""Characters at an output's beginning and end in which its error is looked for."""
LAST_LINES: Final = 8
"""An error that stopped a command is in its last lines, unless a traceback shows where it is."""
WAIT_LINES: Final = 24
"""How to go on waiting is told after the line that a command still runs."""
CONTEXT_LINES: Final = 24
"""Lines before an error that say where it is from."""

_BREAKS: Final = re.compile(r"[\r\n]+")
_LOOKS_WRONG: Final = re.compile(
    r"(?:Error|Exception|Interrupt)\b(?::|$)|\b[Ee]rror:|ERROR|[Ff]atal|FATAL|not found|No such|[Nn]o module"
    r"|denied|Killed|[Cc]an(?:'t|not) |[Ff]ailed|does not exist|Unable to|unterminated|No space left|CUDA"
    r"|not a directory|Is a directory|[Uu]sage: |NVIDIA|exit(?:ed with)? (?:code|status)|[Ii]nvalid "
    r"|[Ss]yntax error|unexpected (?:EOF|end|token)"
)
_EXCEPTION: Final = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b(?:: |:?$)")
_OF_ANOTHER: Final = re.compile(
    r"(?:\w+\.)*(?:CalledProcessError|ChildFailedError|SystemExit)\b|make: \*\*\*"
    r"|(?:cat|ls|tail|head|cp|mv|rm): "
)
"""Errors that follow from an earlier one: of who started a program, or needs what it should have made."""
_TRACEBACK: Final = "Traceback (most recent call last)"
_LOOKING: Final = re.compile(
    r"[!%]?\s*(?:ls|cat|head|tail|grep|find|pwd|cd|tree|wc|file|which|du|df|stat|sed -n|echo|less|more|nl"
    r"|nvidia-smi|pip3? (?:show|list|freeze|check)|python3? --version|git (?:log|status|branch|diff))\b|#"
)
"""Commands that only look around."""
_SEPARATORS: Final = re.compile(r"&&|\|\||[;|\n]")
_PROGRAM: Final = re.compile(
    r"(?:python[\d.]*|bash|sh|source|torchrun|deepspeed|launch|%run|accelerate)\s+(?:-\S+\s+){0,4}([\w./-]+\.(?:py|sh))\b"
    r"|python[\d.]* +(?:-\S+ +){0,3}-m +([\w.]+)|(?:^|[\s!])(\.{0,2}/[\w./-]+\.(?:sh|py))\b"
)
_EDITOR: Final = re.compile(r"edit(?: |$)")
_LINT: Final = re.compile(r"- [EF]\d+ ")


class Outcome(Enum):
    """What came of a step: it failed, was refused, ran too long, only looked, or did its work."""

    FAILED = "failed"
    REFUSED = "refused"
    SLOW = "slow"
    LOOKED = "looked"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Event:
    """A step and what came of it; ``kind`` is the class of its error, ``line`` the line that shows it."""

    step: Step
    outcome: Outcome
    kind: str = ""
    line: str = ""


def read_event(step: Step) -> Event:
    """What came of a step. Reads only the beginning and the end of its output."""
    if step.kind is StepKind.FORMAT_ERROR:
        return Event(step, Outcome.REFUSED, "format-error", _first(_head(step)))
    if step.kind in (StepKind.EDIT, StepKind.CREATE) or _EDITOR.match(step.action):
        return _edit(step)
    if step.kind in (StepKind.VIEW, StepKind.SEARCH):
        return Event(step, Outcome.LOOKED)
    if step.kind in (StepKind.SUBMIT, StepKind.EXCEPTION):
        return Event(step, Outcome.DONE)
    return _command(step)


def lines_of(text: str) -> list[str]:
    """The lines of a text as a reader sees them: without colour codes and empty lines, each cut."""
    return [line.strip()[:LONGEST_LINE] for line in whole_lines(text) if line and not line.isspace()]


def whole_lines(text: str) -> list[str]:
    """The lines of a text without colour codes."""
    return _BREAKS.split(without_codes(text))


def command_of(step: Step) -> str:
    """The command of a step in one line: its first line that is neither empty nor a comment."""
    lines = [line.strip() for line in step.action[:HEAD].split("\n")]
    return next((line for line in lines if line and not line.startswith("#")), "")[:LONGEST_LINE]


def only_looks(action: str) -> bool:
    """Whether every command of an action only looks around."""
    parts = [part.strip() for part in _SEPARATORS.split(action[:HEAD]) if part.strip()]
    return all(_LOOKING.match(part) for part in parts) and ">" not in action


def program_of(action: str) -> str:
    """The script or module that an action runs; empty if it runs none."""
    found = _PROGRAM.search(action[:HEAD])
    return next((group for group in found.groups() if group), "").rsplit("/", 1)[-1] if found else ""


def _edit(step: Step) -> Event:
    # The kind may be another one: what a shell made of an edit whose command it did not know.
    if not refusal(StepKind.EDIT, step.observation or ""):
        return Event(step, Outcome.DONE)
    lines = [line for line in _head(step) if line != "ERROR:"]
    lint = next((line for line in lines if _LINT.match(line)), "")
    return Event(step, Outcome.REFUSED, "edit-failed", lint or _first(lines))


def _command(step: Step) -> Event:
    lines = _tail(step)
    slow = next((line for line in reversed(lines[-WAIT_LINES:]) if TOO_LONG.match(line)), "")
    if slow or step.kind is StepKind.INTERRUPT:
        return Event(step, Outcome.SLOW, "slow-execution", slow)
    if only_looks(step.action):
        return Event(step, Outcome.LOOKED)
    kind, line = _error(lines)
    return Event(step, Outcome.FAILED, kind, line) if kind else Event(step, Outcome.DONE)


def kind_of(line: str, before: Sequence[str]) -> str:
    """The class of an error's line, by it and the lines before it; empty if it shows none."""
    return next((rule.kind for rule in ERRORS if rule.fits(line, before)), "")


def _error(lines: Sequence[str]) -> tuple[str, str]:
    """The class and the line of the error that stopped a command; empty if none did."""
    traced = max((n for n, line in enumerate(lines) if _TRACEBACK in line), default=len(lines))
    of_another = ("", "")
    said = 0
    for n in range(len(lines) - 1, -1, -1):
        line = lines[n]
        if NOT_AN_ERROR.match(line):
            continue
        said += 1
        if said > LAST_LINES and n <= traced:
            break
        if not (_LOOKS_WRONG.search(line) if said <= LAST_LINES else _EXCEPTION.match(line)):
            continue
        kind = kind_of(line, lines[max(0, n - CONTEXT_LINES) : n])
        if kind and not _OF_ANOTHER.match(line):
            return kind, line
        of_another = of_another if of_another[0] else (kind, line)
    return of_another


def _head(step: Step) -> list[str]:
    return lines_of((step.observation or "")[:HEAD])


def _tail(step: Step) -> list[str]:
    return lines_of((step.observation or "")[-TAIL:])


def _first(lines: Sequence[str]) -> str:
    return lines[0] if lines else ""
