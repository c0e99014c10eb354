"""An edit changes the lines that it names and no byte besides."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.execution import edits
from runner.execution.edits import AFTER, BEFORE, Edit, EditError, edit_bytes, parse_edit

LINES = st.lists(st.text(alphabet="ab \t", max_size=4), max_size=4)


@settings(deadline=None)
@given(LINES, LINES, st.lists(st.text(alphabet="cd", max_size=3), min_size=1, max_size=3), st.booleans())
def test_line_endings_stay(head: list[str], tail: list[str], new: list[str], end_of_last: bool) -> None:
    new[0] = new[0] or "c"
    data = "\r\n".join([*head, "THE LINE", *tail, *([""] if end_of_last else [])]).encode()

    edited = edit_bytes(data, Edit("f", "THE LINE", "\n".join(new)))

    whole = len(head) + len(tail) + int(end_of_last)
    expected = "\r\n".join([*head, *new, *tail, *([""] if end_of_last else [])])
    assert edited.decode() == expected or (whole == 0 and edited.decode() == "\n".join(new))


def test_a_file_of_mixed_endings_keeps_each() -> None:
    assert edit_bytes(b"a\r\nb\nc\r\n", Edit("f", "b", "x\ny")) == b"a\r\nx\ny\nc\r\n"
    assert edit_bytes(b"a\r\nb\nc\r\n", Edit("f", "c", "x\ny")) == b"a\r\nb\nx\r\ny\r\n"


@pytest.mark.parametrize("other", ["caf\u00e9\n".encode("latin-1"), b"\x00\xff\xfe\n", "\ufeff".encode()])
def test_bytes_that_are_no_utf8_and_marks_of_the_encoding_stay(other: bytes) -> None:
    assert edit_bytes(other + b"a\nb\n", Edit("f", "a", "x")) == other + b"x\nb\n"


def test_no_lines_after_delete_the_lines_before() -> None:
    for end in ("", "\n"):
        edit = parse_edit(f"f\n{BEFORE}\nb\n{AFTER}{end}")
        assert edit_bytes(b"a\nb\nc\n", edit) == b"a\nc\n"


def test_what_a_model_puts_around_the_parts_does_no_harm() -> None:
    assert parse_edit(f" f.py \r\n{BEFORE} \r\na\r\n {AFTER}\r\nb\r\n") == Edit("f.py", "a", "b")


def test_an_empty_file_can_be_filled_and_another_not_matched_by_nothing() -> None:
    edit = parse_edit(f"f\n{BEFORE}\n{AFTER}\nx = 1\n")

    assert edit_bytes(b"", edit) == b"x = 1"
    with pytest.raises(EditError, match="The lines before the edit are empty"):
        edit_bytes(b"a\n\nb\n", edit)


def test_a_file_beyond_the_limit_is_refused_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "MAX_BYTES", 3)

    with pytest.raises(EditError, match="f has 4 bytes, more than the 3 that can be edited"):
        edit_bytes(b"a\nb\n", Edit("f", "a", "x"))


def test_what_no_file_can_hold_is_refused() -> None:
    with pytest.raises(EditError, match="characters that no file can hold"):
        edit_bytes(b"a\n", Edit("f", "a", "\ud800"))


def test_the_nearest_lines_of_a_large_file_are_those_with_most_in_common() -> None:
    text = "\n".join(f"line {number} = value({number})" for number in range(20_000))

    with pytest.raises(EditError, match=r"Did you mean these lines\?\nline 777 = value\(777\)\Z"):
        edit_bytes(text.encode(), Edit("f", "line  777=value( 777 )", ""))


def test_places_beyond_twenty_are_counted() -> None:
    with pytest.raises(EditError, match=r"from lines 1, 2, .*, 20 and 10 more\."):
        edit_bytes(b"a\n" * 30, Edit("f", "a", "x"))
