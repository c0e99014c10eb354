"""The head and the tail of a text are kept, and what is between them is counted."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from runner.sandbox.base import Limits
from runner.sandbox.output import Capture, HeadTail, clean

PIECES = st.lists(st.text(alphabet="abé\n", max_size=30), max_size=30)
LIMIT = 40


@given(PIECES)
def test_what_fits_is_kept_as_it_is(pieces: list[str]) -> None:
    kept = HeadTail(2000)
    for piece in pieces:
        kept.add(piece)

    assert (kept.text(), kept.missing()) == ("".join(pieces), 0)


@given(PIECES)
def test_beyond_the_limit_the_ends_are_kept(pieces: list[str]) -> None:
    kept, whole = HeadTail(LIMIT), "".join(pieces)
    for piece in pieces:
        kept.add(piece)

    if len(whole) <= LIMIT:
        assert kept.text() == whole
    else:
        missing = len(whole) - LIMIT
        gap = f"\n[{missing} characters left out]\n"
        assert kept.text() == whole[: LIMIT // 2] + gap + whole[-LIMIT // 2 :]
        assert kept.missing() == missing


@given(PIECES, st.integers(0, 300))
def test_the_file_begins_with_what_was_said_and_ends_at_a_character(pieces: list[str], limit: int) -> None:
    folder = Path(tempfile.mkdtemp())
    capture, whole = Capture(Limits(kept=LIMIT, whole=limit), folder / "output.txt"), "".join(pieces)
    for piece in pieces:
        capture.add(piece)
    captured = capture.finish()

    if len(whole) <= LIMIT:
        assert captured.whole is None
    else:
        assert captured.whole is not None
        written = captured.whole.read_bytes()
        assert whole.encode().startswith(written)
        assert limit - 3 < len(written) <= limit or written.decode() == whole
        assert captured.cut is (written.decode() != whole)
    shutil.rmtree(folder)


@given(st.text(alphabet=st.characters()))
def test_clean_text_can_be_encoded(text: str) -> None:
    assert clean(text).encode()[:0] == b""


def test_only_what_cannot_be_encoded_is_escaped() -> None:
    assert clean("a\ud800é") == "a\\ud800é"
