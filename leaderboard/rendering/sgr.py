"""Converts SGR sequences (terminal colours and weights) to CSS classes; the CSP forbids inline styles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

MAX_PARAMETERS = 100
"""Longer parameters, in characters, are ignored: no real one is longer, and the cache would keep them."""

_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("inverse",)}
_EXTENDED = (38, 48, 58)
"""Codes with a colour behind them: of the text, its background and its underline, which is not shown."""


class Style(NamedTuple):
    """The current text style; colours are indexes of the 256-colour palette, None is the default."""

    fg: int | None = None
    bg: int | None = None
    flags: frozenset[str] = frozenset()


PLAIN = Style()


def apply(style: Style, parameters: str) -> Style:
    """``style`` after one SGR sequence with these parameters: ``1;38;5;241`` or ``1;38:5:241;4:3``.

    Private sequences, such as ``>4;2``, set no style.
    """
    if len(parameters) > MAX_PARAMETERS or parameters[:1] in ("<", "=", ">", "?"):
        return style
    return _apply(style, parameters)


@lru_cache(maxsize=4096)
def _apply(style: Style, parameters: str) -> Style:
    fields = iter(parameters.split(";"))
    for field in fields:
        code, *parts = map(_number, field.split(":"))
        if code == 0:
            style = PLAIN
        elif code in _ON or code in _OFF:
            style = style._replace(flags=_flags(style.flags, code, off=code == 4 and parts[:1] == [0]))
        elif code in _EXTENDED:
            colour = _with_colons(parts) if parts else _extended(map(_number, fields))
            if code == 38:
                style = style._replace(fg=colour)
            elif code == 48:
                style = style._replace(bg=colour)
        elif 30 <= code <= 39 or 90 <= code <= 97:
            style = style._replace(fg=_basic(code))
        elif 40 <= code <= 49 or 100 <= code <= 107:
            style = style._replace(bg=_basic(code - 10))
    return style


def _flags(flags: frozenset[str], code: int, *, off: bool) -> frozenset[str]:
    if code in _OFF:
        return flags - set(_OFF[code])
    return flags - {_ON[code]} if off else flags | {_ON[code]}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _with_colons(parts: list[int]) -> int | None:
    """The colour in ``5:n``, ``2:r:g:b`` or ``2:space:r:g:b``, which may have a tolerance behind."""
    if parts[:1] == [2] and len(parts) > 4:
        parts = [2, *parts[2:]]
    return _extended(iter(parts))


def _basic(code: int) -> int | None:
    if code >= 90:
        return code - 90 + 8
    return None if code == 39 else code - 30


def _extended(codes: Iterator[int]) -> int | None:
    kind = next(codes, 0)
    if kind == 5:
        return min(next(codes, 0), 255)
    if kind == 2:
        red, green, blue = (min(next(codes, 0), 255) for _ in range(3))
        return quantise(red, green, blue)
    return None


def quantise(red: int, green: int, blue: int) -> int:
    """The index of the nearest of the 256 colours (greys where the three are close, else the cube)."""
    if max(red, green, blue) - min(red, green, blue) < 12:
        grey = (red + green + blue) // 3
        if 8 <= grey <= 243:
            return 232 + min(23, (grey - 3) // 10)
    levels = [0 if part < 48 else 1 if part < 115 else (part - 35) // 40 for part in (red, green, blue)]
    return 16 + 36 * levels[0] + 6 * levels[1] + levels[2]


@lru_cache(maxsize=4096)
def apply_named(style: Style, parameters: str) -> tuple[Style, str]:
    """As `apply`, with the `class_names` after it, in one look-up; the parameters are not too long."""
    after = apply(style, parameters)
    return after, class_names(after)


@lru_cache(maxsize=4096)
def class_names(style: Style) -> str:
    """The CSS classes of ``style``, empty for the plain one. A background class sets the text colour too."""
    fg, bg = style.fg, style.bg
    names: list[str] = [name for name in ("bold", "dim", "italic", "underline") if name in style.flags]
    if "inverse" in style.flags:
        names.append("inverse" if fg is None else f"b{fg}")
    elif bg is not None:
        names.append(f"b{bg}")
    elif fg is not None:
        names.append(f"f{fg}")
    return " ".join(names)
