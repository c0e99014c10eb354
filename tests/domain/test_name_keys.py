"""Which names are one name, because they look alike."""

from __future__ import annotations

import pytest

from leaderboard.domain.name_keys import KEY_LENGTH, name_key
from leaderboard.domain.readable import is_visible

ALIKE = {
    "case": ("ReAct", "REACT"),
    "a zero-width space": ("ReAct", "Re\u200bAct"),
    "a grapheme joiner": ("ReAct", "Re\u034fAct"),
    "a hangul filler": ("ReAct", "ReAct\u3164"),
    "a blank braille pattern": ("ReAct", "Re\u2800Act"),
    "a variation selector": ("ReAct", "ReAct\ufe0f"),
    "spaces": ("ReAct SUPER", " ReAct\u00a0\u200aSUPER "),
    "no space": ("ReAct SUPER", "ReActSUPER"),
    "width": ("ReAct", "\uff32\uff45\uff21\uff43\uff54"),
    "mathematical letters": ("ReAct", "\U0001d411eAct"),
    "a Cyrillic e": ("ReAct", "R\u0435Act"),
    "a Cyrillic word": ("COP", "\u0421\u041e\u0420"),
    "a Greek capital": ("HAL", "\u0397AL"),
    "a Cherokee letter": ("Agent", "\u13aagent"),
    "an accent": ("Resume", "R\u00e9sum\u0065\u0301"),
    "a dash": ("ReAct-SUPER", "ReAct\u2011SUPER"),
    "l and I": ("Al", "AI"),
    "1 and l": ("model 1", "model l"),
    "a bar": ("model l", "model |"),
    "0 and O": ("gpt-4o", "GPT-40"),
    "rn and m": ("modern", "Modem"),
    "case in another script": ("\u0410\u0433\u0435\u043d\u0442", "\u0410\u0413\u0415\u041d\u0422"),
}


@pytest.mark.parametrize(("one", "other"), ALIKE.values(), ids=ALIKE)
def test_names_that_look_alike_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GPT-4", "GPT-5"),
        ("Claude 3", "Claude 3.5"),
        ("ReAct", "ReAct-SUPER"),
        ("n", "h"),
        ("v", "n"),
        # Hindi: the marks are vowels.
        ("\u0915\u093f\u0924\u093e\u092c", "\u0915\u0924\u093e\u092c"),
    ],
)
def test_names_that_look_different_are_two(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_agent_and_model_together_are_one_name_however_they_are_split() -> None:
    assert name_key("A \u00b7 B", "C") == name_key("A", "B \u00b7 C")
    assert name_key("A", "B") != name_key("B", "A")


def test_a_key_fits_its_column() -> None:
    assert len(name_key("\ufdfa" * 100, "m" * 100)) == KEY_LENGTH


@pytest.mark.parametrize(
    "name", ["ReAct", "Vi\u1ec7t", "\u0928\u092e\u0938\u094d\u0924\u0947", "\U0001f916 bot"]
)
def test_names_in_any_script_are_visible(name: str) -> None:
    assert is_visible(name)


@pytest.mark.parametrize(
    "char",
    ["\n", "\u200b", "\u2028", "\u202e", "\u034f", "\u3164", "\u2800", "\ufe0f", "\u0301" * 4],
)
def test_a_name_shows_all_its_characters_and_stays_in_its_line(char: str) -> None:
    assert not is_visible(f"a{char}b")
