"""Detects the marks of a step: error and timeout from its output, the others from its kind."""

from __future__ import annotations

import re

TAIL = 2_000
"""How many characters at an output's end are searched."""

_ANSI = re.compile(r"\x1b\[[0-?]*+[ -/]*+[@-~]")
_TRACEBACK = "Traceback (most recent call last)"
_ERROR_LINE = re.compile(
    r"(?:[\w.]+\.)?\w*(?:Error|Exception)\b(?::|$)"
    r"|(?:ERROR|Error|error|fatal|FATAL)\b: "
    r"|[^\n]*\b(?:command not found|No such file or directory|Permission denied|Killed)$"
    r"|[^\n]*\b(?:exit (?:status|code):? |non-zero exit status |exited with (?:code )?)[1-9]"
    r"|[\w./-]+: error: "
    r"|Could not find the following lines to replace"
    r"|Your proposed edit has introduced new syntax error"
)
_TIMEOUT = re.compile(
    r"has already run for \d+ seconds"
    r"|Kernel interrupted\."
    r"|\bTimeoutExpired\b"
    r"|(?:^|\n)(?:Command |Execution |Process |Cell )?(?:timed out|timeout)\b",
    re.IGNORECASE,
)


def step_marks(kind: str, observation: str, *, pre_executed: bool) -> tuple[str, ...]:
    """The marks of a step, a subset of error, timeout, format-error, submit, pre-executed, in this order."""
    tail = _ANSI.sub("", observation[-TAIL:])
    found = {
        "error": kind == "exception" or _is_error(kind, observation, tail),
        "timeout": kind == "interrupt" or _TIMEOUT.search(tail) is not None,
        "format-error": kind == "format-error",
        "submit": kind == "submit",
        "pre-executed": pre_executed,
    }
    return tuple(name for name, holds in found.items() if holds)


def _is_error(kind: str, observation: str, tail: str) -> bool:
    """Whether a cell printed a traceback, or the last lines are an error; a viewed file never counts."""
    if kind in ("view", "search"):
        return False
    if kind == "execute" and _TRACEBACK in observation:
        return True
    if kind in ("edit", "create"):
        return _ERROR_LINE.match(observation) is not None
    last = [line.strip() for line in tail.splitlines() if line.strip()][-3:]
    return any(_ERROR_LINE.match(line) for line in last)
