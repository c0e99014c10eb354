"""The edit action finds its lines exactly, or says what is near them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.execution.edits import AFTER, BEFORE, Edit, EditError, apply_edit, parse_edit

LINE = st.text(alphabet="ab ", min_size=1, max_size=4)


def test_an_edit_is_a_file_and_the_lines_before_and_after() -> None:
    content = f"pkg/train.py\n{BEFORE}\n    a = 1\n    b = 2\n{AFTER}\n    a = 2"

    assert parse_edit(content) == Edit("pkg/train.py", "    a = 1\n    b = 2", "    a = 2")


@pytest.mark.parametrize("content", ["", "train.py", f"train.py\n{BEFORE}\na", f"\n{BEFORE}\na\n{AFTER}\nb"])
def test_an_edit_without_its_parts_is_refused(content: str) -> None:
    with pytest.raises(EditError, match="An edit is a file name"):
        parse_edit(content)


def test_lines_that_do_not_match_are_answered_with_the_nearest() -> None:
    with pytest.raises(EditError, match=r"Did you mean these lines\?\n        yield item"):
        apply_edit("def f():\n    for item in x:\n        yield item\n", Edit("f.py", "    yield item", ""))


def test_nothing_near_is_said_too() -> None:
    with pytest.raises(EditError, match="No lines come near them"):
        apply_edit("alpha\n", Edit("f.py", "12345678", ""))


def test_a_part_of_a_line_is_no_match() -> None:
    with pytest.raises(EditError, match="are not in"):
        apply_edit("ab\n", Edit("f.py", "a", ""))


def test_lines_that_occur_twice_are_refused() -> None:
    with pytest.raises(EditError, match=r"more than once in f\.py: from lines 1, 3"):
        apply_edit("a\nb\na\n", Edit("f.py", "a", "c"))


@given(st.lists(LINE), st.lists(LINE, min_size=1), st.lists(LINE))
def test_what_surrounds_an_edit_stays(before: list[str], after: list[str], behind: list[str]) -> None:
    text = "\n".join([*before, "THE LINE", *behind])

    edited = apply_edit(text, Edit("f.py", "THE LINE", "\n".join(after)))

    assert edited.split("\n") == [*before, *after, *behind]
