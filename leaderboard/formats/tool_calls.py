"""Maps an agent's tool calls to a step kind, and to the content that the viewer shows.

Frameworks have many names for the same few tools. `TOOLS` is the one place that maps a tool's name to its
kind; SUPER's own action types are in `super_steps`.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, StepKind
from leaderboard.formats.documents import json_text
from leaderboard.formats.submissions import parse_submission
from leaderboard.formats.super_steps import KINDS, is_exit

_NAMES: Final = {
    StepKind.EXECUTE: """
        bash bash_session shell sh terminal run run_command execute_bash bash_command execute_command cmd
        local_shell python python3 ipython run_ipython execute_ipython_cell execute_python exec
        python_interpreter code_interpreter
    """,
    StepKind.EDIT: "str_replace insert undo_edit replace apply_patch edit_file multiedit str_replace_edit",
    StepKind.CREATE: "write write_file create_file",
    StepKind.VIEW: "view read read_file cat scroll browse browse_interactive view_image",
    StepKind.SEARCH: "grep glob find search search_files list_dir ls web_search recall",
    StepKind.SUBMIT: "finish done answer submit_answer final_answer final_result mark_task_complete",
    StepKind.WAIT: "wait",
}

TOOLS: Final = {**KINDS, **{name: kind for kind, names in _NAMES.items() for name in names.split()}}
"""The step kind of each known tool; names are looked up in lower case too."""

EDITORS: Final = frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "text_editor", "file_editor", "edit_anthropic"}
)
"""Tools with a ``command`` argument: view, create or an edit."""

# Names of the argument with the content; the first one present is used.
_CODE_KEYS: Final = ("command", "cmd", "code", "script", "input", "keystrokes", "content", "patch")
_ANSWER_KEYS: Final = (
    *("final_thought", "submission", "answer", "final_answer", "result", "output", "outputs", "message"),
    "content",
)
_PATH_KEYS: Final = ("path", "file_path", "filename", "file", "file_name")
_OLD_KEYS: Final = ("old_str", "old_string", "search")
_NEW_KEYS: Final = ("new_str", "new_string", "replace", "insert_line_text")
_TEXT_KEYS: Final = ("file_text", "content", "contents", "file_content")

# SUPER's format of an edit, which the viewer shows as a diff.
_BEFORE: Final = "<<<BEFORE_EDIT>>>"
_AFTER: Final = "<<<AFTER_EDIT>>>"


class Call(NamedTuple):
    """One action: its kind, its type as in the file, and its content.

    ``submitted`` is the raw value of a submission, for `answer_in`.
    """

    kind: StepKind
    action_type: str
    action: str
    submitted: JsonValue = None


MESSAGE: Final = "message"
"""The action type of a step in which the agent only wrote a message."""


def call_of(tool: str, arguments: JsonValue) -> Call:
    """The action of a call of ``tool``; ``arguments`` is an object or its JSON text."""
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    name = tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1]  # mcp__server__tool, functions.tool
    kind = kind_of_tool(name)
    if kind is StepKind.SUBMIT:
        return _submission(tool, arguments)
    if not isinstance(arguments, dict):
        return Call(kind, tool, json_text(arguments))
    command = arguments.get("command")
    if name in EDITORS and isinstance(command, str):
        return _edit(kind_of_tool(command), f"{tool} {command}", arguments)
    if kind in (StepKind.EDIT, StepKind.CREATE):
        return _edit(kind, tool, arguments)
    return Call(kind, tool, _code(arguments) if kind is StepKind.EXECUTE else _plain(arguments))


def kind_of_tool(name: str) -> StepKind:
    """The step kind of a call of this tool."""
    known = TOOLS.get(name) or TOOLS.get(name.lower())
    return known or (StepKind.EXCEPTION if is_exit(name) else StepKind.OTHER)


def answer_in(value: JsonValue) -> JsonValue | Missing:
    """The answer in a submission, MISSING if it is empty; text is parsed if it is JSON or a literal."""
    if isinstance(value, str):
        return parse_submission(value)[0] if value.strip() else MISSING
    return MISSING if value is None else value


def edit_text(path: str, before: str, after: str) -> str | None:
    """An edit in SUPER's format, or None if its texts contain the format's markers."""
    if any(mark in text for text in (path, before, after) for mark in (_BEFORE, _AFTER)):
        return None
    return f"{path}\n{_BEFORE}\n{before}\n{_AFTER}\n{after}"


def _parsed(text: str) -> JsonValue:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _submission(tool: str, arguments: JsonValue) -> Call:
    value = arguments
    if isinstance(arguments, dict):
        # Other arguments beside the answer (task_completed, thought) are ignored.
        given = [arguments[key] for key in _ANSWER_KEYS if arguments.get(key) not in (None, "", {}, [])]
        value = given[0] if given else None
        if isinstance(value, dict) and set(value) == {"content"}:
            value = value["content"]  # OpenHands' outputs
    return Call(StepKind.SUBMIT, tool, json_text(value), value)


def _edit(kind: StepKind, action_type: str, arguments: dict[str, JsonValue]) -> Call:
    path = _first_text(arguments, _PATH_KEYS)
    old, new = _first_text(arguments, _OLD_KEYS), _first_text(arguments, _NEW_KEYS)
    text = _first_text(arguments, _TEXT_KEYS)
    shown = None
    if path is not None and (old or new):
        shown = edit_text(path, old or "", new or "")
    elif path is not None and text is not None:
        shown = edit_text(path, "", text)
    elif path is None:
        shown = _first_text(arguments, _CODE_KEYS)
    return Call(kind, action_type, _plain(arguments) if shown is None else shown)


def _code(arguments: dict[str, JsonValue]) -> str:
    for key in _CODE_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if key in ("command", "cmd") and isinstance(value, list):
            return " ".join(json_text(word) for word in value)
    return _plain(arguments)


def _plain(arguments: dict[str, JsonValue]) -> str:
    """A single text argument as it is, anything else as JSON."""
    values = list(arguments.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else json_text(arguments)


def _first_text(arguments: dict[str, JsonValue], keys: tuple[str, ...]) -> str | None:
    return next((value for key in keys if isinstance(value := arguments.get(key), str)), None)
