"""Pictures of a board or an entry for links to it: PNG images of the size that other sites show.

Colours are those of the stylesheet's light theme. Texts are of others' making: each is drawn on one line, cut
to its place, and costs no more time the longer it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Final

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
MOST_ROWS: Final = 6
LONGEST: Final = 240
"""Characters of a text that are looked at: more have no place on any line."""
COLOURS_USED: Final = 64
"""Enough for flat colours and the edges of letters; an image of all colours has four times the bytes."""
PAPER, INK, MUTED, RULE, SUNK, ACCENT = "#fdfdfb", "#1c1c1a", "#5d5d57", "#deded7", "#eeeee9", "#0b6285"
CATEGORIES: Final = ("#e69f00", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#0072b2")
MARGIN: Final = 64
TOP_OF_ROWS, BOTTOM_OF_ROWS = 236, 556
NAMES, BARS, BARS_END, FIGURES, BESIDE = 140, 640, 920, 1030, WIDTH - MARGIN
DASHES: Final = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
AS_ASCII: Final = str.maketrans(DASHES | {"\u2192": ">", "\u2032": "'", "\u2033": '"'})
"""What the font lacks, and what is drawn instead of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a picture: a rank or nothing, a name, more about it, and a figure.

    ``share`` is the length of its bar, from 0 to 1; None for no bar. ``colour`` is a category's, from 0.
    """

    name: str
    figure: str
    label: str = ""
    note: str = ""
    margin: str = ""
    share: float | None = None
    colour: int | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture says. ``figure`` is what it leads with, in large letters; ``about`` says what it is."""

    title: str
    subtitle: str
    rows: Sequence[Row]
    foot: str
    figure: str = ""
    margin: str = ""
    about: str = ""


def draw(picture: Picture) -> bytes:
    """The picture as PNG. The same content gives the same bytes."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(image)
    _draw_head(pen, picture)
    rows = picture.rows[:MOST_ROWS]
    height = min(64, (BOTTOM_OF_ROWS - TOP_OF_ROWS) // max(1, len(rows)))
    for at, row in enumerate(rows):
        _draw_row(pen, row, TOP_OF_ROWS + at * height, height)
    pen.line((MARGIN, 568, WIDTH - MARGIN, 568), RULE, 2)
    _draw_foot(pen, picture.foot)
    out = BytesIO()
    image.quantize(COLOURS_USED, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def drawable(text: str) -> str:
    """A text as the font can draw it: on one line, without accents, marks and control characters.

    A letter of another script stays: the font has a box for it.
    """
    plain = unicodedata.normalize("NFKD", text[:LONGEST].translate(AS_ASCII))
    kept = (each for each in plain if each.isspace() or unicodedata.category(each)[0] not in "CM")
    return " ".join("".join(kept).translate(AS_ASCII)[:LONGEST].split())


def _draw_head(pen: ImageDraw.ImageDraw, picture: Picture) -> None:
    _draw_mark(pen, MARGIN, 44)
    _text(pen, MARGIN + 44, 60, "Superboard", 26, ACCENT)
    right = WIDTH - MARGIN
    beside = 0
    if picture.figure:
        margin = _text(pen, right, 138, picture.margin, 32, MUTED, anchor="rm", width=200)
        end = right - margin - (14 if margin else 0)
        figure = _text(pen, end, 130, picture.figure, 76, INK, anchor="rm", width=360)
        about = _text(pen, right, 192, picture.about, 26, MUTED, anchor="rm", width=420)
        beside = max(margin + figure + 14, about) + 40
    room = right - MARGIN - beside
    size = next((each for each in (58, 50, 44) if _font(each).getlength(drawable(picture.title)) <= room), 38)
    _text(pen, MARGIN, 134, picture.title, size, INK, width=room)
    _text(pen, MARGIN, 192, picture.subtitle, 26, MUTED, width=room)
    pen.line((MARGIN, 220, right, 220), RULE, 2)


def _draw_mark(pen: ImageDraw.ImageDraw, x: int, y: int) -> None:
    """The site's mark, as in static/img/mark.svg."""
    pen.rectangle((x, y, x + 31, y + 31), "#0b6a8f")
    for left, top in ((6, 18), (14, 12), (22, 6)):
        pen.rectangle((x + left, y + top, x + left + 3, y + 25), "#ffffff")


def _draw_row(pen: ImageDraw.ImageDraw, row: Row, top: int, height: int) -> None:
    middle = top + height // 2
    _text(pen, MARGIN, middle, row.label, 24, MUTED, width=NAMES - MARGIN - 6)
    left = NAMES if row.label else MARGIN
    room = (BARS if row.share is not None else FIGURES - 120) - left - 24
    if row.note:
        _text(pen, left, middle - 12, row.name, 28, INK, width=room)
        _text(pen, left, middle + 17, row.note, 20, MUTED, width=room)
    else:
        _text(pen, left, middle, row.name, 28, INK, width=room)
    if row.share is not None:
        colour = ACCENT if row.colour is None else CATEGORIES[row.colour % len(CATEGORIES)]
        end = BARS + round((BARS_END - BARS) * min(1.0, max(0.0, row.share)))
        pen.rectangle((BARS, middle - 7, BARS_END, middle + 7), SUNK)
        if end > BARS:
            pen.rectangle((BARS, middle - 7, end, middle + 7), colour)
    _text(pen, FIGURES, middle, row.figure, 30, INK, anchor="rm", width=FIGURES - BARS_END - 8)
    _text(pen, BESIDE, middle, row.margin, 22, MUTED, anchor="rm", width=BESIDE - FIGURES - 8)


def _draw_foot(pen: ImageDraw.ImageDraw, text: str) -> None:
    """A sentence on up to two lines."""
    words, font, room = drawable(text).split(), _font(21), WIDTH - 2 * MARGIN
    on_first = len(words)
    while on_first > 1 and font.getlength(" ".join(words[:on_first])) > room:
        on_first -= 1
    first, rest = " ".join(words[:on_first]), " ".join(words[on_first:])
    _text(pen, MARGIN, 586 if rest else 598, first, 21, MUTED, width=room)
    _text(pen, MARGIN, 611, rest, 21, MUTED, width=room)


def _text(
    pen: ImageDraw.ImageDraw,
    x: int,
    y: int,
    text: str,
    size: int,
    colour: str,
    *,
    anchor: str = "lm",
    width: int = WIDTH,
) -> int:
    """Draw a text, cut to ``width``; returns how wide it is."""
    font = _font(size)
    fitted = _fitted(drawable(text), font, width)
    if fitted:
        pen.text((x, y), fitted, colour, font, anchor=anchor)
    return round(font.getlength(fitted))


def _fitted(text: str, font: ImageFont.FreeTypeFont, width: int) -> str:
    if font.getlength(text) <= width:
        return text
    short, long = 0, len(text)
    while short < long:
        middle = (short + long + 1) // 2
        if font.getlength(text[:middle].rstrip() + "…") <= width:
            short = middle
        else:
            long = middle - 1
    return text[:short].rstrip() + "…"


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels bring FreeType
    return font
