"""Actions as lines: cells, diffs, submissions, titles."""

from __future__ import annotations

import pytest

from leaderboard.rendering.actions import MAX_ANSWER, MAX_DIFF_LINES, MAX_TITLE, action, title

EDIT = "src/a.py\n<<<BEFORE_EDIT>>>\nkeep\nold\n<<<AFTER_EDIT>>>\nkeep\nnew\n"


def rows(kind: str, source: str) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in action(kind, source).lines]


def test_an_edit_is_a_diff_under_its_file() -> None:
    assert action("edit", EDIT).file == "src/a.py"
    assert rows("edit", EDIT) == [("", "  keep"), ("del", "- old"), ("ins", "+ new")]


def test_an_edit_that_only_adds_has_nothing_removed() -> None:
    assert rows("edit", "a\n<<<BEFORE_EDIT>>>\n<<<AFTER_EDIT>>>\nx\n") == [("ins", "+ x")]


def test_an_edit_too_big_to_compare_removes_all_and_adds_all() -> None:
    body = "same\n" * (MAX_DIFF_LINES + 1)
    found = rows("edit", f"a\n<<<BEFORE_EDIT>>>\n{body}<<<AFTER_EDIT>>>\n{body}")
    assert [kind for kind, _ in found] == ["del"] * (MAX_DIFF_LINES + 1) + ["ins"] * (MAX_DIFF_LINES + 1)


def test_an_edit_of_a_range_shows_the_lines_it_puts_there() -> None:
    found = action("edit", "edit 10:20\na = 1\n  b\nend_of_edit")
    assert found.lines_range == (10, 20)
    assert [(line.kind, line.text) for line in found.lines] == [("ins", "+ a = 1"), ("ins", "+   b")]


def test_an_edit_of_no_known_form_is_shown_as_it_is() -> None:
    assert rows("edit", "change it\n<<<BEFORE_EDIT>>>") == [("", "change it"), ("", "<<<BEFORE_EDIT>>>")]


def test_a_submission_too_long_to_parse_is_shown_as_it_is() -> None:
    source = "[" + "1," * MAX_ANSWER + "1]"
    assert rows("submit", source) == [("", source)]


def test_a_submission_is_indented_json() -> None:
    pretty = [("", "{"), ("", '  "f1": 0.5'), ("", "}")]
    assert rows("submit", '{"f1": 0.5}') == pretty
    assert rows("submit", "submit {'f1': 0.5}") == pretty


def test_a_submission_that_does_not_parse_is_shown_as_it_is() -> None:
    assert rows("submit", "the answer is 4") == [("", "the answer is 4")]
    assert rows("submit", "[" * 5_000) == [("", "[" * 5_000)]


def test_a_title_is_the_first_line_that_means_something() -> None:
    assert title("execute", "# Install\n\n!pip install x\n") == "!pip install x"
    assert title("execute", "# only a comment") == "# only a comment"
    assert title("execute", "") == ""
    assert len(title("execute", "x" * 500)) == 80


@pytest.mark.parametrize(
    ("kind", "source", "shown"),
    [
        ("edit", "edit 12:14\nx = 1\nend_of_edit", "lines 12 to 14"),
        ("edit", "edit 12:12\nx = 1\nend_of_edit", "line 12"),
        ("create", "create run.sh", "run.sh"),
        ("search", 'search_file "seed" a.py', '"seed" a.py'),
        ("search", 'search_dir("seed", "src")', 'search_dir("seed", "src")'),
        ("wait", "continue_wait", ""),
        ("submit", "submit {'f1': 1}", "{'f1': 1}"),
        ("view", "open a.py", "open a.py"),
    ],
)
def test_a_title_does_not_repeat_the_kind_beside_it(kind: str, source: str, shown: str) -> None:
    assert title(kind, source) == shown


def test_an_edit_by_line_numbers_names_the_file_that_was_open() -> None:
    seen = "[File: /content/run.sh (9 lines total)]\n1:x"
    assert title("edit", "edit 1:1\nx\nend_of_edit", seen) == "run.sh line 1"
    assert action("edit", "edit 1:1\nx\nend_of_edit", seen).file == "/content/run.sh"


def test_a_refused_edit_shows_no_line_as_inserted_or_deleted_and_its_title_says_why() -> None:
    found = action("edit", EDIT, made=False)
    assert [(line.kind, line.text) for line in found.lines] == [("", "  keep"), ("", "- old"), ("", "+ new")]
    assert title("edit", EDIT, refused="no such file") == "a.py: no such file"
    assert len(title("edit", "x" * 500, refused="y" * 500)) == MAX_TITLE
