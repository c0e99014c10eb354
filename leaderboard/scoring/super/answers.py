"""Compare a submitted answer with the gold answer: by the authors' rules, and strictly."""

from __future__ import annotations

import math
from typing import Final

from leaderboard.domain.agreement import AnswerRules
from leaderboard.domain.nesting import MAX_DEPTH
from leaderboard.domain.trajectory import JsonValue

TOLERANCE = 0.01
"""Numbers match when they differ by less than this, absolutely."""


class NotComparable(Exception):
    """The authors' comparison raises for this pair; the message says why, in one clause."""


def compare_as_paper(a: JsonValue, b: JsonValue, depth: int = 0) -> float:
    """Compare as the authors' code does, quirks included; called as ``compare_as_paper(gold, submission)``.

    ``b`` decides: lists are zipped and divided by b's length, dicts average over b's keys. The arguments are
    swapped at each level of dicts, but not at a list. ``depth`` is the number of levels above these values.

    Returns:
        A share in [0, 1].

    Raises:
        NotComparable: where the authors' code raises.
    """
    if depth > MAX_DEPTH:
        raise NotComparable(f"the answer is nested deeper than {MAX_DEPTH:,} levels")
    a, b = _as_float(a), _as_float(b)
    if type(a) is not type(b):
        return 0.0
    if isinstance(b, (list, dict)) and not b:
        kind = "list" if isinstance(b, list) else "object"
        raise NotComparable(f"an empty {kind} has no share to match")
    if isinstance(b, list):
        return sum(compare_as_paper(x, y, depth + 1) for x, y in zip(a, b, strict=False)) / len(b)
    if isinstance(b, dict):
        return sum(compare_as_paper(value, a.get(key), depth + 1) for key, value in b.items()) / len(b)
    if isinstance(b, str):
        return float(a.strip() == b.strip())
    if isinstance(b, float):
        return float(abs(a - b) < TOLERANCE)
    if isinstance(b, bool):
        raise NotComparable("two booleans can't be compared")
    if b is None:
        raise NotComparable("two nulls can't be compared")
    raise NotComparable("two values of an unknown type can't be compared")


def _as_float(value: JsonValue) -> JsonValue:
    if type(value) is not int:  # isinstance treats a bool as an int; it has to stay a bool
        return value
    try:
        return float(value)
    except OverflowError:
        raise NotComparable("a whole number is too large for a float") from None


def compare_strictly(gold: JsonValue, submission: JsonValue, depth: int = 0) -> float:
    """Compare by the gold answer's structure.

    Dicts average over gold's keys (others are ignored), lists divide by the longer length, a bool is
    not a number, NaN matches nothing, equal infinities match, an int equals the same float, two nulls and two
    equal bools match, types that differ do not. An empty gold list or object matches an empty one only.
    Values deeper than ``MAX_DEPTH`` match nothing; ``depth`` is the number of levels above these values.

    Returns:
        A share in [0, 1]; never raises.
    """
    if depth > MAX_DEPTH:
        return 0.0
    if _is_number(gold) and _is_number(submission):
        return float(_numbers_match(gold, submission))
    if type(gold) is not type(submission):
        return 0.0
    if isinstance(gold, str):
        return float(gold.strip() == submission.strip())
    if gold is None or isinstance(gold, bool):
        return float(gold is submission)
    if isinstance(gold, (list, dict)) and not gold:
        return float(not submission)
    if isinstance(gold, list):
        shares = [compare_strictly(x, y, depth + 1) for x, y in zip(gold, submission, strict=False)]
        return math.fsum(shares) / max(len(gold), len(submission))
    if isinstance(gold, dict):
        common = gold.keys() & submission.keys()
        shares = [compare_strictly(gold[key], submission[key], depth + 1) for key in common]
        return math.fsum(shares) / len(gold)
    return 0.0


def agree_strictly(one: JsonValue, other: JsonValue) -> bool:
    """Whether the second value would be all right if the first were the gold answer."""
    return compare_strictly(one, other) == 1.0


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _numbers_match(gold: float, submission: float) -> bool:
    try:
        # Equality first: the difference of two equal infinities is NaN.
        return gold == submission or abs(gold - submission) < TOLERANCE
    except OverflowError:
        return False  # an int too large for a float is far from every float


ANSWERS: Final = AnswerRules(agree=agree_strictly)
