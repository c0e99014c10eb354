"""Text as a database and a page can hold it."""

from __future__ import annotations

import re
from typing import Final

LEFT_OUT: Final = re.compile(r"\[\d+ characters were left out here\]")
"""A line of an observation whose middle is missing; see ``left_out``."""
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace what UTF-8 or PostgreSQL can't hold, one character for one so that offsets stay.

    NUL becomes its picture (U+2400), a lone surrogate the replacement character (U+FFFD).
    """
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub(lambda match: "␀" if match[0] == "\x00" else "�", text)


def left_out(characters: int) -> str:
    """The line that stands where so many characters of an observation were left out: agents read it."""
    return f"[{characters} characters were left out here]"


def plural(n: int, one: str, many: str) -> str:
    """``one`` for the number 1, otherwise ``many``, with ``{n}`` filled in with thousands separators."""
    return (one if n == 1 else many).format(n=f"{n:,}")
