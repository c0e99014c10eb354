"""Calls of Codex CLI and what came of them."""

from __future__ import annotations

import json
import re
import shlex
from typing import Final

from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats.content import media_of, text_of
from leaderboard.formats.documents import as_number, json_text, parsed
from leaderboard.formats.shapes import as_object
from leaderboard.formats.shell_commands import MAX_SPLIT
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import Call, call_of
from leaderboard.formats.turns import Conversation, Turn

# What stands before a command's output: "Exit code: 0", "Wall time: 30 seconds" and others, then "Output:".
_HEAD: Final = re.compile(r"\A(?:[A-Z][\w ]{0,40}[: ][^\n]{0,200}\n){1,8}Output:\n?")
_CODE: Final = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,10})$", re.MULTILINE)
_TIME: Final = re.compile(r"^Wall time: ([\d.]{1,12}) seconds", re.MULTILINE)
_SHELLS: Final = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash")
_RUNS: Final = ("-lc", "-c", "-lic", "-ic")
# As most are: shlex is slow.
_QUOTED: Final = re.compile(r"(?:/(?:usr/)?bin/)?(?:ba|z)?sh -l?i?c '([^']*)'")
_MAX_WRAPPED: Final = 20_000_000


def add_call(item: dict[str, JsonValue], turn: Turn, conversation: Conversation, started: JsonValue) -> Draft:
    """Add the call in a response item to its turn."""
    draft = Draft(_call(item), started=started)
    return conversation.call(turn, draft, item.get("call_id") or item.get("id"))


def _call(item: dict[str, JsonValue]) -> Call:
    kind, tool = json_text(item.get("type")), json_text(item.get("name"))
    if kind == "local_shell_call":
        command = as_object(item.get("action")).get("command")
        return Call(StepKind.EXECUTE, "local_shell", _line(command))
    if kind == "custom_tool_call":
        return call_of(tool, item.get("input"))
    if kind == "web_search_call":
        action = as_object(item.get("action"))
        return Call(StepKind.SEARCH, "web_search", json_text(action.get("query") or action.get("url")))
    arguments = parsed(item.get("arguments") or {})
    words = as_object(arguments).get("command")
    if isinstance(words, list):
        if words[:1] == ["apply_patch"] and len(words) == 2:
            return call_of("apply_patch", words[1])
        arguments = {"command": command_line(words)}
    call = call_of(tool or kind, arguments)
    if tool == "write_stdin" and not call.action.strip("\n"):
        return call._replace(kind=StepKind.WAIT)
    return call


def command_line(words: list[JsonValue]) -> str:
    """A command from its words; of a shell that is given a script, the script."""
    if len(words) == 3 and words[0] in _SHELLS and words[1] in _RUNS:
        return json_text(words[2])
    return " ".join(json_text(word) for word in words)


def script_of(line: str) -> str:
    """The script of a command line such as ``bash -lc 'SCRIPT'``; any other line as it is."""
    if not line.startswith(_SHELLS) or len(line) > MAX_SPLIT:
        return line
    if simple := _QUOTED.fullmatch(line):
        return simple[1]
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    return words[2] if len(words) == 3 and words[0] in _SHELLS and words[1] in _RUNS else line


def _line(command: JsonValue) -> str:
    return command_line(command) if isinstance(command, list) else json_text(command)


def add_output(item: dict[str, JsonValue], conversation: Conversation, ended: JsonValue) -> None:
    """Give a call what came of it."""
    draft = conversation.find(item.get("call_id"))
    if draft is None:
        return
    output = item.get("output")
    if isinstance(output, dict):  # {content, success}
        output = output.get("content")
    text, code, seconds = unwrapped(text_of(output))
    draft.duration = seconds
    draft.observe(with_exit_code(text, code), media=media_of(output), ended=ended)


def unwrapped(text: str) -> tuple[str, int | None, float | None]:
    """An output without what Codex puts around it, with the exit code and the seconds that are in there."""
    if text.startswith("{") and len(text) <= _MAX_WRAPPED:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        metadata = document.get("metadata") if isinstance(document, dict) else None
        if isinstance(metadata, dict) and isinstance(document.get("output"), str):
            code, seconds = metadata.get("exit_code"), as_number(metadata.get("duration_seconds"))
            return document["output"], code if type(code) is int else None, _positive(seconds)
    head = _HEAD.match(text)
    if not head:
        return text, None, None
    exit_code, wall = _CODE.search(head[0]), _TIME.search(head[0])
    return (
        text[head.end() :],
        int(exit_code[1]) if exit_code else None,
        _positive(_number(wall[1])) if wall else None,
    )


def with_exit_code(text: str, code: int | None) -> str:
    """An output with the exit code of a command that failed in a line of its own."""
    return f"{text.removesuffix(chr(10))}\n[exit code {code}]".lstrip("\n") if code else text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _positive(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 <= seconds < 1e9 else None
