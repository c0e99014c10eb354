"""Colour sequences as classes."""

from __future__ import annotations

import pytest

from leaderboard.rendering.sgr import PLAIN, apply, class_names, quantise


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ("31", "f1"),
        ("91", "f9"),
        ("38;5;241", "f241"),
        ("38;2;255;0;0", "f196"),
        ("1;3;4;36", "bold italic underline f6"),
        ("2", "dim"),
        ("31;43", "b3"),
        ("7;32", "b2"),
        ("7", "inverse"),
        ("104", "b12"),
        ("38:5:12", "f12"),
        ("38;5", "f0"),
        ("", ""),
        ("31;0", ""),
        ("31;39", ""),
        ("1;22", ""),
        ("31;5;58", "f1"),
        ("38;9;31", "f1"),
        ("38:2::255:0:0", "f196"),
        ("38:2:255:0:0;1", "bold f196"),
        ("48:5:12", "b12"),
        ("4:3", "underline"),
        ("4;4:0", ""),
        ("58:2::255:0:0;31", "f1"),
        ("58;5;1", ""),
        (">4;2", ""),
    ],
)
def test_a_sequence_has_these_classes(parameters: str, names: str) -> None:
    assert class_names(apply(PLAIN, parameters)) == names


def test_colours_add_up_until_reset() -> None:
    style = apply(apply(PLAIN, "1"), "31")
    assert class_names(style) == "bold f1"
    assert apply(style, "0") == PLAIN


def test_a_sequence_longer_than_any_real_one_changes_nothing() -> None:
    assert apply(PLAIN, "31;" * 100) is PLAIN


@pytest.mark.parametrize(
    ("colour", "index"), [((0, 0, 0), 16), ((255, 255, 255), 231), ((128, 128, 128), 244)]
)
def test_true_colours_take_the_nearest_of_the_palette(colour: tuple[int, int, int], index: int) -> None:
    assert quantise(*colour) == index
