"""Contrast of everything coloured in a trajectory, and the stylesheet that carries it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from leaderboard.rendering.palette import (
    DARK_GROUNDS,
    LIGHT_GROUNDS,
    Colour,
    contrast,
    css,
    foreground,
    text_colour_on,
    xterm,
)
from leaderboard.rendering.standalone import STYLESHEET

SHEET = STYLESHEET.read_text(encoding="utf-8")
LIGHT, SYSTEM_DARK, DARK = (
    dict(re.findall(r"(--[\w-]+): (#\w{6});", block)) for block in SHEET.split(":root")[1:4]
)
THEMES = [(LIGHT, LIGHT_GROUNDS, (28, 28, 26)), (DARK, DARK_GROUNDS, (231, 230, 225))]


def colour(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def test_the_stylesheet_holds_the_palette_as_computed() -> None:
    assert SHEET.partition("rendering.palette`. */\n")[2] == css()


def test_both_ways_into_the_dark_theme_are_the_same() -> None:
    assert SYSTEM_DARK == DARK


@pytest.mark.parametrize("dark", [False, True])
def test_every_terminal_colour_is_legible_on_every_ground(dark: bool) -> None:
    grounds = DARK_GROUNDS if dark else LIGHT_GROUNDS
    worst = min(contrast(foreground(index, dark=dark), ground) for index in range(256) for ground in grounds)
    assert worst >= 4.5


def test_every_terminal_background_has_a_legible_text() -> None:
    assert min(contrast(xterm(index), text_colour_on(xterm(index))) for index in range(256)) >= 4.5


@pytest.mark.parametrize(("roles", "grounds", "ink"), THEMES)
def test_code_and_marks_are_legible(roles: dict[str, str], grounds: Sequence[Colour], ink: Colour) -> None:
    texts = [name for name in roles if name.startswith("--code-") or name in ("--nb-muted", "--nb-error")]
    assert min(contrast(colour(roles[name]), ground) for name in texts for ground in grounds[:2]) >= 4.5
    behind = [colour(roles[name]) for name in ("--nb-mark", "--nb-ins", "--nb-del", "--nb-surface")]
    assert min(contrast(ink, ground) for ground in behind) >= 4.5


@pytest.mark.parametrize(("roles", "grounds", "ink"), THEMES)
def test_the_palette_was_computed_for_the_grounds_in_use(
    roles: dict[str, str], grounds: Sequence[Colour], ink: Colour
) -> None:
    assert {colour(roles["--nb-surface"]), colour(roles["--nb-mark"])} <= set(grounds)


def test_the_stylesheet_loads_nothing() -> None:
    assert "url(" not in SHEET
    assert "@import" not in SHEET
