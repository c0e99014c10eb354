"""Parses submissions that files store as text.

SWE-Agent submits JSON. ReAct-SUPER parsed the JSON and wrote the value as Python's ``str``, so ``null``
became ``None``, NaN became ``nan``, and a string lost its quotes.
"""

from __future__ import annotations

import ast
import json
import math
import warnings
from typing import Final

from leaderboard.domain.nesting import is_too_deep
from leaderboard.domain.trajectory import JsonValue

MAX_LITERAL: Final = 100_000
"""Longer texts, in characters, are not parsed as Python literals: that needs some 500 times their size."""

_NAMES: Final = {
    "nan": math.nan,
    "NaN": math.nan,
    "inf": math.inf,
    "Infinity": math.inf,
    "true": True,
    "false": False,
    "null": None,
}


def parse_submission(text: str) -> tuple[JsonValue, bool]:
    """The value in a text, and whether parsing succeeded.

    Tries JSON first, then a Python literal of JSON's types; otherwise, and if it nests too deeply to be
    compared, the value is the text itself.
    """
    value, parsed = _parse(text)
    return (text, False) if is_too_deep(value) else (value, parsed)


def _parse(text: str) -> tuple[JsonValue, bool]:
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_LITERAL:
        return text, False
    try:
        with warnings.catch_warnings():
            # Invalid escapes in an agent's text must not fill the site's log with warnings.
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body), True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text, False


def _value(node: ast.expr) -> JsonValue:
    """As `ast.literal_eval`, but only for JSON's types, and with nan, inf, true, false and null."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.Name(id=word) if word in _NAMES:
            return _NAMES[word]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): _value(value) for key, value in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            number = _value(operand)
            if type(number) in (int, float):
                return -number if isinstance(sign, ast.USub) else number
    raise ValueError("not a literal of JSON's types")


def _key(node: ast.expr | None) -> str:
    """A dict's key as JSON text."""
    key = None if node is None else _value(node)
    if isinstance(key, str):
        return key
    if type(key) in (int, float):
        return json.dumps(key)
    raise ValueError("not a key of a JSON object")
