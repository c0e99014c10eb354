"""Detects that an edit was not made, from what the editor answered, and says why in a few words."""

from __future__ import annotations

import re

from leaderboard.domain.terminal import without_codes

MAX_REASON = 80
"""Characters of a reason in the editor's own words."""
_HEAD = 4_000

_ABSENT = "text to replace not found"
_TWICE = "text to replace found more than once"
_NO_FILE = "no such file"
_EXISTS = "file exists already"
_TEXT = r"(?:The )?(?:(?:[Ss]tring|[Tt]ext) to replace|old_str(?:ing)?|[Ss]earch (?:text|block))"
_REASONS = (
    # SUPER's editor
    (r"Could not find the following lines to replace", _ABSENT),
    (r"Found multiple \((\d+)\) occurrences", r"text to replace found \1 times"),
    (r"Found multiple BEFORE_EDIT", "several replacements in one edit"),
    (r"Could not find any lines to replace in the patch", "no text to replace"),
    (r"IPython will make a temporary file", "the notebook took it for a command of its own"),
    (r"ERROR: File .+ does not exist", _NO_FILE),
    # SWE-agent's
    (r"\[?Your proposed edit has introduced new syntax error[\s\S]*?\n- E9\d+ (.+)", r"\1"),
    (r"\[?Your proposed edit has introduced new syntax error[\s\S]*?\n- \w\d+ (.+)", r"\1"),
    (r"\[?Your proposed edit has introduced new syntax error", "a syntax error"),
    (r"Error: File .+ already exists", _EXISTS),
    (r"No file (?:is )?open", "no file is open"),
    (r"Usage: \w+ (.+)", r"arguments are not \1"),
    (r"[\w./-]+\.sh: line \d+: (.+)", r"\1"),
    (r"(?:Text not found|Your edit was not applied)", _ABSENT),
    # Editors with the commands view, create and str_replace, and their likes
    (r"No replacement was performed[.,]? *(?:Multiple occurrences|.* multiple times)", _TWICE),
    (r"No replacement was performed", _ABSENT),
    (rf"{_TEXT} (?:(?:was |is )?not found|(?:did|does) not (?:appear|match|exist))", _ABSENT),
    (rf"{_TEXT} (?:is |was )?(?:not unique|(?:found|appears|occurs) (?:multiple|several) times)", _TWICE),
    (r"Found (\d+) matches of the string to replace", r"text to replace found \1 times"),
    (r"Found multiple (?:matches|occurrences)", _TWICE),
    (r"Failed to edit, expected \d+ occurrences? but found (\d+)", r"text to replace found \1 times"),
    (r"Failed to edit, (?:could not find|0 occurrences)", _ABSENT),
    (r"Failed to find\b", _ABSENT),
    (r"No (?:exact )?match(?:es)? (?:was |were )?found", _ABSENT),
    (r"Invalid `path` parameter: .* does not exist", _NO_FILE),
    (r"File already exists at", _EXISTS),
    (r"File has not been read yet", "file not read before"),
    (r"apply_patch verification failed: *(.*)", r"\1"),
    (r"(?:# *)?(?:\d+ |This |The )?SEARCH(?:/REPLACE)? blocks? failed to (?:exactly )?match", _ABSENT),
    (r"(?:Failed to apply|[^\n:]{0,200}: patch does not apply|patch failed)", "the patch does not apply"),
    # This site's runner
    (r"The edit was not made\. There is no file", _NO_FILE),
    (r"The edit was not made\. The lines before the edit are not in", _ABSENT),
    (r"The edit was not made\. The lines before the edit occur more", _TWICE),
    (r"The edit was not made[.:] *(.+)", r"\1"),
    # Any
    (r"(?:ERROR|Error|error|fatal)\b:\s*(.+)", r"\1"),
    (r"Invalid .*parameter\b(.*)", r"wrong arguments\1"),
    (r"(?:[\w.]+\.)?\w*(?:Error|Exception)\b(?:: .*)?(?:$|\n)", r"\g<0>"),
    (r"Traceback \(most recent call last\)", "the editor failed"),
)
_PATTERNS = tuple((re.compile(pattern), reason) for pattern, reason in _REASONS)


def refusal(kind: str, observation: str) -> str:
    """Why a step's edit was not made; empty if it was, or if the step is no edit."""
    if kind not in ("edit", "create"):
        return ""
    head = without_codes(observation[:_HEAD]).lstrip()
    head = head.removeprefix("<tool_use_error>").removeprefix("ERROR:\n")
    for pattern, reason in _PATTERNS:
        if found := pattern.match(head):
            text = " ".join(found.expand(reason).split()).rstrip(".")
            return text if len(text) <= MAX_REASON else f"{text[: MAX_REASON - 1]}…"
    return ""
