"""The 256 colours of a terminal as CSS that is legible in the light and the dark theme.

``python -m leaderboard.rendering.palette`` prints the end of static/css/notebook.css, from the palette's
comment on; a test keeps the two equal. A foreground colour is moved towards black (light theme) or white
(dark theme) until its contrast is sufficient on every background of the site; a background colour is not
changed, and its class sets black or white text, whichever has more contrast.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

Colour = tuple[int, int, int]

MIN_CONTRAST = 4.5
LIGHT_GROUNDS: tuple[Colour, ...] = ((255, 255, 255), (244, 244, 241), (253, 240, 190))
"""The backgrounds of the page, of code, and of a hit."""
DARK_GROUNDS: tuple[Colour, ...] = ((21, 23, 26), (28, 31, 35), (66, 56, 18))

_BASE: tuple[Colour, ...] = (
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205)),
    *((229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255)),
    *((255, 0, 255), (0, 255, 255), (255, 255, 255)),
)
_LEVELS = (0, 95, 135, 175, 215, 255)
_BLACK: Colour = (0, 0, 0)
_WHITE: Colour = (255, 255, 255)


def xterm(index: int) -> Colour:
    """Colour ``index`` of xterm's 256 colours."""
    if index < 16:
        return _BASE[index]
    if index < 232:
        red, rest = divmod(index - 16, 36)
        return _LEVELS[red], _LEVELS[rest // 6], _LEVELS[rest % 6]
    grey = 8 + 10 * (index - 232)
    return grey, grey, grey


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def legible(colour: Colour, grounds: Sequence[Colour], towards: Colour) -> Colour:
    """``colour`` mixed with the least of ``towards`` that makes it legible on every background."""
    for percent in range(101):
        mixed = _mix(colour, towards, percent)
        if min(contrast(mixed, ground) for ground in grounds) >= MIN_CONTRAST:
            return mixed
    return towards


def text_colour_on(ground: Colour) -> Colour:
    """Black or white, whichever has more contrast; it is always more than 4.5."""
    return max(_BLACK, _WHITE, key=lambda ink: contrast(ink, ground))


def foreground(index: int, *, dark: bool) -> Colour:
    """Colour ``index`` as text."""
    grounds, towards = (DARK_GROUNDS, _WHITE) if dark else (LIGHT_GROUNDS, _BLACK)
    return legible(xterm(index), grounds, towards)


def css() -> str:
    """Classes f0 to f255 (text) and b0 to b255 (background with its text)."""
    light = "\n".join(f".f{index}{{color:{_hex(foreground(index, dark=False))}}}" for index in range(256))
    dark = "\n".join(f".f{index}{{color:{_hex(foreground(index, dark=True))}}}" for index in range(256))
    grounds = [(index, xterm(index)) for index in range(256)]
    behind = "\n".join(
        f".b{index}{{background:{_hex(c)};color:{_hex(text_colour_on(c))}}}" for index, c in grounds
    )
    system = f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{\n{dark}\n}}}}"
    chosen = f":root[data-theme=dark]{{\n{dark}\n}}"
    # Last, with the dark rules' specificity: a background's text colour overrides a foreground colour.
    return "\n".join([light, system, chosen, f":root{{\n{behind}\n}}", ""])


def _mix(colour: Colour, towards: Colour, percent: int) -> Colour:
    pairs = zip(colour, towards, strict=True)
    red, green, blue = ((part * (100 - percent) + end * percent) // 100 for part, end in pairs)
    return red, green, blue


def _luminance(colour: Colour) -> float:
    linear = [
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


if __name__ == "__main__":
    sys.stdout.write(css())
