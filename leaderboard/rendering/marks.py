"""Detects the marks of a step: errors and timeouts from its output, the others from its kind."""

from __future__ import annotations

import re
from itertools import islice

from leaderboard.domain.refusals import refusal
from leaderboard.domain.terminal import without_codes
from leaderboard.domain.words import fold_case

END = 20_000
"""How many characters at each end of an output are searched."""
LAST = 3
"""How many lines at an output's end can be an error that only its place makes one."""

_TRACEBACK = "Traceback (most recent call last)"
_TOOLS = (
    "cat|cd|chmod|cp|diff|du|find|grep|gunzip|gzip|head|ln|ls|mkdir|mv|rm|rmdir|sed|sort|tail|tar|tee|touch"
    "|unzip|wc"
)
_ERROR = re.compile(
    # What shells, argparse, coreutils, pip, git, wget, curl and gdown say of a failure: an error on any line.
    # A line begins after a newline here: that is searched for much faster than ``^``.
    r"\n(?:[\w./-]*sh: (?:line )?\d+: (?!warning: )"
    r"|[\w./-]+: error: "
    rf"|(?:{_TOOLS}): .*(?:\b[Cc]annot |\bcan't |\berror |: No such file or directory$|: Not a directory$"
    r"|[Ii]nvalid (?!argument)|missing |unrecognized )"
    r"|(?:cat|head|tail|sed|wc): .*: Is a directory$"
    r"|[\w./-]*python[\d.]*: (?:can't open file |No module named |Error while )"
    r"|ERROR: (?:Could not (?:find|open|install)"
    r"|Cannot install|No matching distribution|ResolutionImpossible)"
    r"|error: subprocess-exited-with-error"
    r"|fatal: |error: pathspec |error: patch failed"
    r"|[\d -]{10,}[\d:]{8} ERROR \d{3}: |curl: \(\d+\) |Failed to retrieve file url:"
    r"|\[Errno \d+\] |E: "
    # An exception below the code that raised it: a traceback whose beginning is not shown.
    r"|[ \t]+\S[^\n]*\n(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)(?:: |$))",
    re.MULTILINE,
)
_LAST_LINE = re.compile(
    r"(?:[\w.]+\.)?\w*(?:Error|Exception)\b(?::|$)"
    r"|(?:ERROR|Error|error|fatal|FATAL)\b: "
    r"|[^\n]*\b(?:command not found|No such file or directory|Permission denied)$"
    r"|[^\n]*(?:\bKilled|\bAborted|core dumped\)?)$"
    r"|[^\n]*\b(?:exit (?:status|code):? |non-zero exit status |exited with (?:code )?)[1-9]"
    r"|[\d\s:,.TZ/-]{8,}[|\s[-]*(?:ERROR|CRITICAL|FATAL)\b"
    r"|=+ [^\n]*\b[1-9]\d* (?:failed|errors?)\b"
    r"|[^\n]* with [1-9]\d* error|[^\n]*<returncode>[1-9]"
    r"|Invalid action type: |[A-Z][\w \"'./-]{0,120} not found\.?$"
)
_SUCCEEDED = re.compile(r"Successfully installed |ERROR: pip's dependency resolver does not ")
_AFTERWORD = re.compile(r"\[notice\] |note: |hint: |╰─> |WARNING: |DEPRECATION: |`{3,}$")
"""What pip says below its verdict."""
_NOT_FOUND = re.compile(r"No matches found|No files found|Found 0 matches")
_NOT_SHOWN = re.compile(
    r"File .*\bnot found\b|Directory .*\bnot found\b|(?:\[?File|Path|Directory)[^\n]* does not exist"
    r"|No file (?:is )?open|Usage: \w+ |(?:Error|ERROR|fatal)\b:|Invalid (?:`\w+` parameter|line number)"
    rf"|[\w./-]*sh: |(?:{_TOOLS}|rg|nl): |\[Errno \d+\] |<tool_use_error>"
)
_TIMEOUT = re.compile(
    r"has already run for \d+ seconds"
    r"|Kernel interrupted\."
    r"|\bTimeoutExpired\b"
    r"|(?:^|\n)(?:Command |Execution |Process |Cell )?(?:timed out|timeout)\b(?!\s*[=:]\s*\d|=)",
    re.IGNORECASE,
)
_TIMEOUT_HINTS = ("already run", "interrupted", "timeout", "timed out")
"""What `_TIMEOUT` matches has one of them; they are found much faster."""
_TIMEOUT_TAIL = 2_000
_FILES = {"view", "search"}
_TEXTS = _FILES | {"edit", "create", "submit", "format-error"}
"""The kinds of steps whose output has texts of files or of the agent."""


def step_marks(kind: str, observation: str, *, pre_executed: bool) -> tuple[str, ...]:
    """The marks of a step, in the order of ``names.MARKS``.

    A refused edit is marked as an error, too. A search without a match is none: it did what it was asked.
    """
    refused = refusal(kind, observation) != ""
    found = {
        "error": kind == "exception" or refused or _is_error(kind, observation),
        "refused": refused,
        "no-match": kind == "search" and _NOT_FOUND.match(observation) is not None,
        "timeout": kind == "interrupt" or _is_timeout(kind, observation),
        "format-error": kind == "format-error",
        "submit": kind == "submit",
        "pre-executed": pre_executed,
    }
    return tuple(name for name, holds in found.items() if holds)


def _is_timeout(kind: str, observation: str) -> bool:
    if kind in _TEXTS:
        return False
    tail = _tail(observation, _TIMEOUT_TAIL)
    folded = fold_case(tail)
    return any(hint in folded for hint in _TIMEOUT_HINTS) and _TIMEOUT.search(tail) is not None


def _is_error(kind: str, observation: str) -> bool:
    """Whether a step failed. What a file or an answer says of errors is not an error of the step."""
    if kind in _TEXTS - _FILES:
        return False
    if kind in _FILES:
        return _NOT_SHOWN.match(without_codes(observation[:END]).lstrip()) is not None
    if kind == "execute":
        if _TRACEBACK in observation:
            return True
        ends = (observation,) if len(observation) <= 2 * END else (observation[:END], observation[-END:])
        if any(_ERROR.search(f"\n{without_codes(end)}") for end in ends):
            return True
    lines = (line.strip() for line in reversed(_tail(observation, END).splitlines()))
    said = list(islice((line for line in lines if line and not _AFTERWORD.match(line)), LAST))
    return any(_LAST_LINE.match(line) for line in said) and not any(map(_SUCCEEDED.match, said))


def _tail(text: str, size: int) -> str:
    return without_codes(text[-size:])
