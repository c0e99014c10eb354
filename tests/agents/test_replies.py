"""What models write is read, whatever liberties they take; what can't be read is told to them."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.agents.base import EDIT, EXECUTE, SUBMIT, Action, Past
from runner.agents.messages import said
from runner.agents.replies import Unreadable, parse_answer, parse_reply

ACTIONS = (EXECUTE, EDIT, SUBMIT)
LS = Action(EXECUTE, "!ls")
PLAIN = "Thought: look\nAction: execute\n<content>\n!ls\n</content>"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        "look\n\nAction: execute\n<content>!ls</content>",
        "**Thought:** look\n**Action:** execute\n<content>\n!ls\n</content>\nThat will list the files.",
        "**Thought**: look\n**Action**: `execute`\n<content>\n```bash\n!ls\n```\n</content>",
        "### Thought: look\n### Action:\nexecute\n<content>\n!ls\n</content>",
        "THOUGHT: look\nACTION: Execute.\n<CONTENT>\n!ls\n</CONTENT>",
        "Thought: look\nAction: <type>execute</type>\n<content>\n!ls\n</content>",
        "Thought: look\nAction Type: execute\nContent:\n<content>\n!ls\n</content>",
        "Thought: look\nAction: execute\n```python\n!ls\n```\nObservation: a.py\nAction: submit",
        "Thought: look\nAction: execute\n!ls\n\nObservation:\na.py\n",
        'Thought: look\nAction: {"type": "execute", "content": "!ls"}',
        'Thought: look\nAction:\n```json\n{"type": "execute", "content": "!ls"}\n```',
        "Thought: look\nAction: execute\n<content>\n!ls",
        "<think>\nAction: submit?\n</think>\nThought: look\nAction: execute\n<content>\n!ls\n</content>",
        f"{PLAIN}\nObservation: a.py\nThought: guess\nAction: submit\n<content>\n1\n</content>",
    ],
)
def test_a_thought_and_an_action_are_found(text: str) -> None:
    parsed = parse_reply(text, ACTIONS)

    assert (parsed.thought, parsed.action, parsed.problem) == ("look", LS, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no line that starts with Action:"),
        ("I am done.", "no line that starts with Action:"),
        ("```python\nprint(1)\n```", "no line that starts with Action:"),
        ("Action: dance\n<content>\nx\n</content>", r"needs a type \(execute, edit or submit\)"),
        ("Action:\n<content>\n!ls\n</content>", r"needs a type \(execute, edit or submit\)"),
        ("Action: execute", "execute has no content"),
        ("Action: execute\n<content>\n\n</content>", "execute has no content"),
        ('Action: {"type": 3}', "needs a type"),
    ],
)
def test_what_can_not_be_read_says_what_is_missing(text: str, problem: str) -> None:
    parsed = parse_reply(text, ACTIONS)

    assert parsed.action is None
    assert re.search(problem, parsed.problem)


@pytest.mark.parametrize("end", ["<content>\nrm -r a", "rm -r a"])
def test_half_an_action_is_not_taken(end: str) -> None:
    parsed = parse_reply(f"Thought: x\nAction: execute\n{end}", ACTIONS, cut_off=True)

    assert parsed.action is None
    assert "nothing was executed" in parsed.problem


def test_a_whole_action_before_the_cut_is_taken() -> None:
    assert parse_reply(f"{PLAIN}\nand then", ACTIONS, cut_off=True).action == LS


@pytest.mark.parametrize("kind", ["interrupt", "continue_wait"])
def test_what_ends_a_wait_needs_no_content_and_is_known_to_all(kind: str) -> None:
    assert parse_reply(f"Thought: it hangs\nAction: {kind}", (EXECUTE, SUBMIT)).action == Action(kind, "")


def test_an_agent_without_edit_is_not_told_of_it() -> None:
    assert parse_reply("Action: edit\n<content>\na\n</content>", (EXECUTE, SUBMIT)).problem == (
        "an action needs a type (execute or submit) and a content."
    )


def test_a_closing_tag_inside_a_line_is_content() -> None:
    cell = "print('</content> closes')\nprint(2)"

    assert parse_reply(f"Action: execute\n<content>\n{cell}\n</content>", ACTIONS).action == Action(
        EXECUTE, cell
    )


def test_fences_inside_a_cell_stay() -> None:
    cell = "%%writefile a.md\n```\ncode\n```\nend"

    assert parse_reply(f"Action: execute\n<content>\n{cell}\n</content>", ACTIONS).action == Action(
        EXECUTE, cell
    )


@settings(deadline=None)
@given(
    st.text(alphabet="ab ():'\n\t", min_size=1).filter(str.strip),
    st.text(alphabet="ab .", max_size=9).map(str.strip),
)
def test_what_is_shown_as_a_step_is_read_as_that_step(content: str, thought: str) -> None:
    content = content.rstrip() or "a"
    parsed = parse_reply(said(Past(thought, EXECUTE, content, "")), ACTIONS)

    assert (parsed.thought, parsed.action) == (thought, Action(EXECUTE, content))


@settings(deadline=None)
@given(st.text(), st.booleans())
def test_nothing_that_a_model_writes_breaks_the_reading(text: str, cut_off: bool) -> None:
    for reply in (text, f"Action: {text}", f"Action: execute\n<content>{text}"):
        parsed = parse_reply(reply, ACTIONS, cut_off=cut_off)
        assert (parsed.action is None) == bool(parsed.problem)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('{"a": 0.5}', {"a": 0.5}),
        ("{'a': 0.5, 'b': None}", {"a": 0.5, "b": None}),
        ("```json\n[1, 2]\n```", [1, 2]),
        ("(1, 2)", [1, 2]),
        ("null", None),
        ('"text"', "text"),
        (" 0 ", 0),
    ],
)
def test_an_answer_is_json_or_what_models_take_for_it(content: str, value: object) -> None:
    assert parse_answer(content) == value


def test_an_answer_can_be_nan() -> None:
    assert math.isnan(parse_answer("NaN"))


@pytest.mark.parametrize(
    "content",
    ["accuracy is 5", "", "{1, 2}", "b'x'", "1 + 1", "[" * 9999, "9" * 9999, '{"a": '],
    ids=range(8),
)
def test_what_is_no_answer_is_said_to_be_none(content: str) -> None:
    with pytest.raises(Unreadable, match="must be one JSON value"):
        parse_answer(content)
