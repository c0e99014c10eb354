"""What tool calls of all frameworks mean."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.trajectory import MISSING, StepKind
from leaderboard.formats.tool_calls import answer_in, call_of, kind_of_tool


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bash", StepKind.EXECUTE),
        ("Bash", StepKind.EXECUTE),
        ("open", StepKind.VIEW),
        ("goto", StepKind.VIEW),
        ("str_replace", StepKind.EDIT),
        ("Write", StepKind.CREATE),
        ("Grep", StepKind.SEARCH),
        ("finish", StepKind.SUBMIT),
        ("exit_cost", StepKind.EXCEPTION),
        ("task_tracker", StepKind.OTHER),
        ("", StepKind.OTHER),
    ],
)
def test_a_name_tells_the_kind(name: str, kind: StepKind) -> None:
    assert kind_of_tool(name) is kind


@pytest.mark.parametrize("name", ["mcp__server__bash", "functions.bash"])
def test_a_name_can_have_a_place_before_it(name: str) -> None:
    call = call_of(name, {"command": "ls"})
    assert (call.kind, call.action_type, call.action) == (StepKind.EXECUTE, name, "ls")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"cmd": "ls"}, "ls"),
        ({"command": ["bash", "-lc", "ls"], "workdir": "/"}, "bash -lc ls"),
        ({"code": "x = 1", "timeout": 3}, "x = 1"),
        ({"other": "ls"}, "ls"),
        ({"a": 1, "b": "x"}, '{"a": 1, "b": "x"}'),
        ({}, "{}"),
        ('{"cmd": "ls"}', "ls"),
        ("ls", "ls"),
        ("{", "{"),
        (None, ""),
        ([1], "[1]"),
    ],
)
def test_what_is_executed_is_found(arguments: Any, text: str) -> None:
    assert call_of("bash", arguments).action == text


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"answer": '{"x": 1}'}, {"x": 1}),
        ({"submission": [1]}, [1]),
        ({"message": "Done.", "task_completed": "true"}, "Done."),
        ({"final_thought": "", "outputs": {"content": "0.5"}}, 0.5),
        ({"summary": "x"}, MISSING),
        ({"f1": 0.5, "task_completed": True}, {"f1": 0.5}),
        ({"answer": None, "f1": 0.5}, MISSING),
        ({}, MISSING),
        ("0.5", 0.5),
        (None, MISSING),
    ],
)
def test_what_is_submitted_is_the_answer(arguments: Any, answer: Any) -> None:
    call = call_of("submit", arguments)
    assert (call.kind, answer_in(call.submitted)) == (StepKind.SUBMIT, answer)


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "text"),
    [
        ("text_editor", {"command": "view", "path": "/a"}, StepKind.VIEW, None),
        (
            "text_editor",
            {"command": "insert", "path": "/a", "insert_line": 3, "new_str": "y"},
            StepKind.EDIT,
            ("", "y"),
        ),
        ("Edit", {"file_path": "/a", "old_string": "x", "new_string": ""}, StepKind.EDIT, ("x", "")),
        ("Write", {"file_path": "/a", "content": "y"}, StepKind.CREATE, ("", "y")),
        ("file_editor", {"command": "undo_edit", "path": "/a"}, StepKind.EDIT, None),
        (
            "Edit",
            {"file_path": "/a", "old_string": "<<<AFTER_EDIT>>>", "new_string": "y"},
            StepKind.EDIT,
            None,
        ),
    ],
)
def test_an_editor_s_command_tells_what_it_does(
    tool: str, arguments: Any, kind: StepKind, text: tuple[str, str] | None
) -> None:
    call = call_of(tool, arguments)
    assert call.kind is kind
    if text:
        assert call.action == f"/a\n<<<BEFORE_EDIT>>>\n{text[0]}\n<<<AFTER_EDIT>>>\n{text[1]}"
    else:
        assert '"/a"' in call.action


def test_a_patch_is_shown_as_it_is() -> None:
    assert call_of("apply_patch", {"patch": "*** Begin"}).action == "*** Begin"
