"""A submission that a file holds as text, where it once was a value.

SWE-Agent submits JSON. ReAct-SUPER parsed its JSON and wrote the value down as Python shows it, so ``null``
became ``None``, NaN became ``nan``, and a string lost its quotes.
"""

from __future__ import annotations

import ast
import json
import math
import warnings
from typing import Final

from leaderboard.domain.trajectory import JsonValue

MAX_LITERAL: Final = 100_000
"""Characters beyond which a text is not tried as a Python literal: parsing takes some 500 times its size."""

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
    """The value that a text shows, and whether it was one.

    JSON is tried first, then a Python literal made of what JSON knows; the text itself stands for anything
    else.
    """
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_LITERAL:
        return text, False
    try:
        with warnings.catch_warnings():
            # Odd escapes in an agent's text are no news to the people who run this site.
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body), True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text, False


def _value(node: ast.expr) -> JsonValue:
    """What `ast.literal_eval` gives, but for JSON's types only, and with nan, inf and JSON's names."""
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
    """A dict's key as JSON would have it: text."""
    key = None if node is None else _value(node)
    if isinstance(key, str):
        return key
    if type(key) in (int, float):
        return json.dumps(key)
    raise ValueError("not a key of a JSON object")
