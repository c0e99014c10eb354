"""Which texts can be read as they are: no character is invisible, or turns others around."""

from __future__ import annotations

from typing import Final

import regex

MOST_MARKS: Final = 3
"""Combining marks in a row that a name may have: more of them cover the lines above and below it."""
INVISIBLE: Final = r"\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}\u2800"
"""Characters that are not seen, as a part of a set in a pattern."""
_NOT_SHOWN: Final = regex.compile(rf"[{INVISIBLE}]|\p{{M}}{{{MOST_MARKS + 1},}}")
_NO_TEXT: Final = regex.compile(
    r"[\p{Cc}--[\n\r\t]]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", regex.V1
)


def is_visible(name: str) -> bool:
    """Whether every character of a name can be seen, and stays within its line."""
    return name.isprintable() and not _NOT_SHOWN.search(name)


def is_readable(text: str) -> bool:
    """Whether a longer text, which may have lines, has no control character and none that turns it around."""
    return not _NO_TEXT.search(text)
