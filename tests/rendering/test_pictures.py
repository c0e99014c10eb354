"""Pictures for links: their size, their bytes, and texts that others made."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from leaderboard.rendering.pictures import HEIGHT, MOST_ROWS, WIDTH, Picture, Row, draw, drawable

HOSTILE = {
    "long": "W" * 100_000,
    "one word after another": "word " * 20_000,
    "no font has it": "\U0010fffd\ue000" * 500,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "right to left": "\u202eאבג عربي\u2066",
    "control": "\x00\x1b[31m\x07\r\n\t\x7f\x85",
    "stacked marks": "a" + "\u0301" * 5_000,
    "lone surrogate": "\ud800x\udfff",
    "empty": "",
}


def picture(text: str, rows: int = 1) -> Picture:
    row = Row(text, text, label=text, note=text, margin=text, share=7.0, colour=99)
    return Picture(text, text, [row] * rows, text, figure=text, margin=text, about=text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_any_text_gives_a_whole_picture_of_few_bytes(text: str) -> None:
    made = draw(picture(text, rows=50))

    with Image.open(BytesIO(made)) as image:
        image.load()
        assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT)) == ("PNG", (1200, 630))
    assert len(made) < 80_000


def test_a_text_is_cut_to_its_place() -> None:
    one, other = (draw(picture("W" * n, rows=MOST_ROWS)) for n in (300, 100_000))

    assert one == other
    with Image.open(BytesIO(one)) as image:
        left_edge, right_edge = image.crop((0, 0, 60, HEIGHT)), image.crop((WIDTH - 60, 0, WIDTH, HEIGHT))
        assert {edge.convert("RGB").getcolors(1000)[0][1] for edge in (left_edge, right_edge)} == {  # type: ignore[index]
            (253, 253, 251)
        }


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Zoë · 1\u20133 →", "Zoe · 1-3 >"),
        ("a\x1b[31m\u202e b\n\tc", "a[31m b c"),
        ("\ufb01ne²", "fine2"),
        ("深度", "深度"),
    ],
)
def test_what_the_font_lacks_becomes_what_is_read_the_same(text: str, drawn: str) -> None:
    assert drawable(text) == drawn
