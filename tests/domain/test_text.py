"""Text that a database and a page can hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.text import storable


def test_what_a_file_can_not_hold_is_replaced_one_for_one() -> None:
    assert storable("a\x00b\ud800c") == "a\u2400b\ufffdc"


@given(st.text(st.characters(codec=None)))
def test_offsets_stay_and_nothing_unstorable_is_left(text: str) -> None:
    stored = storable(text)

    assert len(stored) == len(text)
    assert "\x00" not in stored.encode().decode()
