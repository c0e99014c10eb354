"""Maps an agent's tool calls to a step kind, and to the content that the viewer shows.

Frameworks have many names for the same few tools. `TOOLS` is the one place that maps a tool's name to its
kind; SUPER's own action types are in `super_steps`.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, StepKind
from leaderboard.formats.documents import json_text
from leaderboard.formats.patches import parse_patch
from leaderboard.formats.shapes import as_objects
from leaderboard.formats.submissions import parse_submission
from leaderboard.formats.super_steps import KINDS, is_exit

_NAMES: Final = {
    StepKind.EXECUTE: """
        bash bash_session shell sh terminal run run_command execute_bash bash_command execute_command cmd
        local_shell python python3 ipython run_ipython execute_ipython_cell execute_python exec
        exec_command write_stdin run_shell_command shell_command powershell
        python_interpreter code_interpreter
    """,
    StepKind.EDIT: """
        str_replace insert undo_edit replace apply_patch edit_file multiedit str_replace_edit notebookedit
    """,
    StepKind.CREATE: "write write_file create_file",
    StepKind.VIEW: """
        view read read_file read_many_files cat scroll browse browse_interactive view_image webfetch web_fetch
    """,
    StepKind.SEARCH: """
        grep glob find search search_files list_dir list_directory ls web_search recall websearch rg
        google_web_search search_file_content grep_search
    """,
    StepKind.SUBMIT: "finish done answer submit_answer final_answer final_result mark_task_complete",
    StepKind.WAIT: "wait bashoutput read_bash",
}

TOOLS: Final = {**KINDS, **{name: kind for kind, names in _NAMES.items() for name in names.split()}}
"""The step kind of each known tool; names are looked up in lower case too."""

EDITORS: Final = frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "text_editor", "file_editor", "edit_anthropic"}
)
"""Tools with a ``command`` argument: view, create or an edit."""

# Names of the argument with the content; the first one present is used.
_CODE_KEYS: Final = ("command", "cmd", "code", "script", "input", "keystrokes", "chars", "content", "patch")
_ANSWER_KEYS: Final = (
    *("final_thought", "submission", "answer", "final_answer", "result", "output", "outputs", "message"),
    "content",
)
_PATH_KEYS: Final = ("path", "file_path", "filename", "file", "file_name", "notebook_path")
_OLD_KEYS: Final = ("old_str", "old_string", "search")
_NEW_KEYS: Final = ("new_str", "new_string", "replace", "insert_line_text")
_TEXT_KEYS: Final = ("file_text", "content", "contents", "file_content", "new_source")

# Arguments of a submission that are no part of its answer.
_BESIDE_AN_ANSWER: Final = frozenset({
    *("task_completed", "thought", "reasoning", "explanation", "summary", "status", "success"),
    "security_risk",
})  # fmt: skip

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
        return Call(
            kind, tool, _as_edit(json_text(arguments)) if kind is StepKind.EDIT else json_text(arguments)
        )
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


def _as_edit(text: str) -> str:
    """A patch as an edit; any other text as it is."""
    patch = parse_patch(text)
    return (edit_text(*patch) if patch else None) or text


def _parsed(text: str) -> JsonValue:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _submission(tool: str, arguments: JsonValue) -> Call:
    value = arguments
    if isinstance(arguments, dict):
        given = [arguments[key] for key in _ANSWER_KEYS if arguments.get(key) not in (None, "", {}, [])]
        value = given[0] if given else None
        if not any(key in arguments for key in _ANSWER_KEYS):
            # The arguments may be the answer themselves: `submit({"f1": 0.5})`.
            value = {key: arguments[key] for key in arguments if key not in _BESIDE_AN_ANSWER} or None
        if isinstance(value, dict) and set(value) == {"content"}:
            value = value["content"]  # OpenHands' outputs
    return Call(StepKind.SUBMIT, tool, json_text(value), value)


def _edit(kind: StepKind, action_type: str, arguments: dict[str, JsonValue]) -> Call:
    path = _first_text(arguments, _PATH_KEYS)
    old, new = _replaced(arguments)
    text = _first_text(arguments, _TEXT_KEYS)
    shown = None
    if path is not None and (old or new):
        shown = edit_text(path, old or "", new or "")
    elif path is not None and text is not None:
        shown = edit_text(path, "", text)
    elif path is None:
        code = _first_text(arguments, _CODE_KEYS)
        shown = None if code is None else _as_edit(code)
    return Call(kind, action_type, _plain(arguments) if shown is None else shown)


def _replaced(arguments: dict[str, JsonValue]) -> tuple[str | None, str | None]:
    """The text before and after; of several replacements in one call, all of it."""
    edits = as_objects(arguments.get("edits")) or [arguments]
    pairs = [(_first_text(each, _OLD_KEYS), _first_text(each, _NEW_KEYS)) for each in edits]
    if len(pairs) == 1:
        return pairs[0]
    return "\n".join(old or "" for old, _new in pairs), "\n".join(new or "" for _old, new in pairs)


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
