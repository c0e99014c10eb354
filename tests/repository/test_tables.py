"""A table in a document is one table: a blank line inside it would make text of the rows below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository.files import documents, name_of

RULE = re.compile(r"\|[-:| ]*-[-:| ]*\|")


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_every_row_of_a_table_stands_under_its_head(path: Path) -> None:
    assert list(rows_without_a_head(path.read_text())) == []


def test_rows_below_a_blank_line_are_found() -> None:
    text = "| A |\n| --- |\n| 1 |\n\n| 2 |\n\ntext\n```sh\n\n| not a row\n```\n\n| B |\n| --- |\n| 3 |\n"

    assert list(rows_without_a_head(text)) == ["| 2 |"]


def rows_without_a_head(text: str) -> Iterator[str]:
    """Yield the first row of each table that has no rule (`| --- |`) under it."""
    lines = lines_outside_code(text)
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if line.startswith("|") and not before.startswith("|") and not RULE.fullmatch(after):
            yield line


def lines_outside_code(text: str) -> list[str]:
    """Return the lines of a document, those of its fenced code as empty ones."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        lines.append("" if fenced or line.startswith("```") else line)
    return lines
