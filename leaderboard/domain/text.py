"""Text that a database can store, and sentences with numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LEFT_OUT_LINE: Final = re.compile(r"\[\d+ characters were left out here\]")
"""Matches a ``left_out_line``."""
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace characters that UTF-8 or PostgreSQL can't store one for one, so that offsets do not change.

    NUL becomes its symbol (U+2400), a lone surrogate the replacement character (U+FFFD).
    """
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub(lambda match: "␀" if match[0] == "\x00" else "�", text)


NOT_STORABLE: Final = "a text in it has a character that can't be stored"
STORE_TEXT: Final = "remove NUL characters and lone surrogates (\\u0000, \\ud800 to \\udfff)"


def unstorable_in(value: object) -> Iterator[tuple[str | int, ...]]:
    """The paths of texts in a JSON value that `storable` would change; of a key it is that of its object."""
    queue: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while queue:
        path, item = queue.pop()
        if isinstance(item, str) and storable(item) != item:
            yield path
        elif isinstance(item, dict):
            if any(isinstance(key, str) and storable(key) != key for key in item):
                yield path
            queue.extend(((*path, key), inner) for key, inner in item.items())
        elif isinstance(item, list):
            queue.extend(((*path, index), inner) for index, inner in enumerate(item))


def left_out_line(characters: int) -> str:
    """The line that replaces so many characters in the middle of an observation: agents read it."""
    return f"[{characters} characters were left out here]"


def size_text(size: int) -> str:
    """A number of bytes in the largest fitting unit."""
    if size < 1000:
        return plural(size, "{n} byte", "{n} bytes")
    amount, *larger = size / 1000, "kB", "MB", "GB"
    while amount >= 1000 and len(larger) > 1:
        amount /= 1000
        del larger[0]
    return f"{amount:.1f} {larger[0]}"


def plural(n: int, one: str, many: str) -> str:
    """``one`` if ``n`` is 1, otherwise ``many``, with ``n`` and its thousands separators for ``{n}``."""
    return (one if n == 1 else many).format(n=f"{n:,}")
