"""What a model was shown of an observation."""

from __future__ import annotations

from leaderboard.domain.trajectory import Shown

LEAST = 20
"""So many characters at an end must be in the message: fewer could be there by chance."""


def shown_of(whole: str, message: str) -> Shown | None:
    """How much of an output stands in the message that the model got; None where that is all of it.

    Its beginning and its end count: what lies between was cut. Of an output that is in the message in another
    form, nothing can be told.
    """
    if whole.strip() in message:
        return None
    first, last = _longest(whole, message, at_start=True), _longest(whole, message, at_start=False)
    if first + last >= len(whole) or max(first, last) < LEAST:
        return None
    ends = [f"the {name} {size:,}" for name, size in (("first", first), ("last", last)) if size >= LEAST]
    part = sum(size for size in (first, last) if size >= LEAST)
    return Shown(part, len(whole), " and ".join(ends))


def _longest(whole: str, message: str, *, at_start: bool) -> int:
    """The length of the longest beginning or end of an output that is in the message, by bisection."""
    low, high = 0, len(whole)
    while low < high:
        middle = (low + high + 1) // 2
        piece = whole[:middle] if at_start else whole[-middle:]
        if piece in message:
            low = middle
        else:
            high = middle - 1
    return low
