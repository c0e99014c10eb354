"""Modules and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast

from tests.repository.files import code, name_of, nodes

LINES_OF_A_MODULE = 500
LINES_OF_A_FUNCTION = 50

# Longer for a reason, which stands beside it: {"leaderboard/module.py": "because ..."}.
LONG_MODULES: dict[str, str] = {}
# The same for functions: {"leaderboard/module.py:function": "because ..."}.
LONG_FUNCTIONS: dict[str, str] = {}


def test_no_module_is_long() -> None:
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in code()}

    too_long = {name: lines for name, lines in lengths.items() if lines > LINES_OF_A_MODULE}

    assert too_long.keys() == LONG_MODULES.keys(), too_long


def test_no_function_is_long() -> None:
    lengths = {
        f"{name_of(path)}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in code()
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    too_long = {name: lines for name, lines in lengths.items() if lines > LINES_OF_A_FUNCTION}

    assert too_long.keys() == LONG_FUNCTIONS.keys(), too_long
