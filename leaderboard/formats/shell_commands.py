"""Interprets command lines of SWE-agent's agents: a command of SWE-agent's tools, or a shell command."""

from __future__ import annotations

import re
import shlex
from typing import Final

from leaderboard.domain.trajectory import StepKind
from leaderboard.formats.super_steps import KINDS, is_exit
from leaderboard.formats.tool_calls import EDITORS, Call, call_of

EXECUTE: Final = "execute"

MAX_SPLIT: Final = 200_000
"""Longer command lines, in characters, are not split into words."""

_WORD: Final = re.compile(r"\s*([\w.-]+)")
# The commands of SWE-agent's tools; any other line is a shell command.
_COMMANDS: Final = {word: kind for word, kind in KINDS.items() if kind is not StepKind.EXECUTE} | {
    "insert": StepKind.EDIT,
    "append": StepKind.EDIT,
    "str_replace": StepKind.EDIT,
    "view": StepKind.VIEW,
    "scroll": StepKind.VIEW,
    "filemap": StepKind.VIEW,
}


def call_of_command(line: str, *, last: bool) -> Call:
    """The action of a command line; ``last``: it is in the last step.

    SWE-agent asks an agent that submits to check its work, so only the last step is a real submission.
    """
    found = _WORD.match(line)
    word = found[1] if found else ""
    if not line.strip():
        return Call(StepKind.FORMAT_ERROR, "", line)
    if word in EDITORS and len(line) <= MAX_SPLIT:
        return _editor(line) or Call(StepKind.EDIT, word, line)
    if is_exit(word):
        return Call(StepKind.EXCEPTION, word, line)
    kind = _COMMANDS.get(word, StepKind.EXECUTE)
    if kind is StepKind.SUBMIT:
        if not last:
            return Call(StepKind.OTHER, word, line)
        rest = line.strip().removeprefix(word).strip()
        return Call(kind, word, line, rest)
    return Call(kind, EXECUTE if kind is StepKind.EXECUTE else word, line)


def _editor(line: str) -> Call | None:
    """The call in ``str_replace_editor str_replace FILE --old_str … --new_str …``."""
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if len(words) < 3:
        return None
    arguments = {"command": words[1], "path": words[2]}
    for flag, value in zip(words[3::2], words[4::2], strict=False):
        arguments[flag.removeprefix("--")] = value
    return call_of(words[0], arguments)
