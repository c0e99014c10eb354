"""Answers are shown as what they are."""

from __future__ import annotations

import json

import pytest

from leaderboard.rendering.answers import MAX_ANSWER, shown_answer
from tests.rendering.helpers import XSS, Elements

PATCH = """\
diff --git a/train.py b/train.py
--- a/train.py
+++ b/train.py
@@ -1,2 +1,2 @@
 import os
-epochs = 1
+epochs = 5
diff --git a/b b/b
--- a/b
+++ b/b
"""


def shown(answer: object, **options: int) -> tuple[str, str]:
    html, note = shown_answer(json.dumps(answer, indent=2), **options)
    return Elements(html).text, note


def test_json_is_shown_as_it_is_stored_indented() -> None:
    assert shown({"f1": 0.5}) == ('{\n  "f1": 0.5\n}', "")


def test_a_text_has_no_quotes_and_keeps_its_lines() -> None:
    assert shown('He said "no".\nThen left.') == ('He said "no".\nThen left.', "Text.")


@pytest.mark.parametrize("text", ['{"accuracy": 0.7389}', '{ "accuracy":0.7389 }'])
def test_a_text_that_holds_json_is_said_to_be_one_and_is_indented(text: str) -> None:
    assert shown(text) == ('{\n  "accuracy": 0.7389\n}', "Text that holds JSON, shown indented.")


def test_a_patch_is_shown_as_a_diff() -> None:
    html, note = shown_answer(json.dumps(PATCH))
    assert note == "A patch."
    assert "<del>-epochs = 1\n</del><ins>+epochs = 5\n</ins>diff --git" in html
    assert Elements(html).tags == ["del", "ins"]
    assert Elements(html).text == PATCH


def test_a_text_with_lines_that_begin_with_a_sign_is_no_patch() -> None:
    assert shown("- one\n+ two")[1] == "Text."


def test_a_long_answer_is_cut_and_says_so() -> None:
    text, note = shown("x" * (MAX_ANSWER + 1))
    assert (len(text), note) == (
        MAX_ANSWER,
        "Text. The first 20,000 of 20,001 characters; the original file has all of it.",
    )


@pytest.mark.parametrize("answer", [XSS, {"x": XSS}, json.dumps([XSS]), PATCH + f"+{XSS}\n"])
def test_an_answer_is_no_markup(answer: object) -> None:
    assert set(Elements(shown_answer(json.dumps(answer)).html).tags) <= {"ins", "del"}
