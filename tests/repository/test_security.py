"""docs/security.md names a test for each threat, and each of them exists."""

from __future__ import annotations

import ast
import re

from tests.repository.files import ROOT

PAGE = (ROOT / "docs/security.md").read_text()
ROW = re.compile(r"^\| (?!threat \|)([^|-][^|]*) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_test_that_the_page_names_exists() -> None:
    named = TEST.findall(PAGE)

    missing = [f"{file}::{name}" for file, name in named if name not in functions_of(file)]

    assert missing == []


def test_every_threat_has_a_test() -> None:
    rows = ROW.findall(PAGE)

    # A row in another form would not be looked at.
    assert len(rows) == len(re.findall(r"^\| (?!threat )[^-\n]", PAGE, re.MULTILINE))
    assert [threat for threat, _defence, tests in rows if not TEST.search(tests)] == []


def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
