"""A text's head and tail are kept, whatever pieces it comes in."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.execution.output import HeadAndTail


@settings(deadline=None)
@given(st.lists(st.text(alphabet="abc", max_size=9)), st.integers(0, 12))
def test_head_and_tail_are_those_of_the_whole(pieces: list[str], size: int) -> None:
    kept = HeadAndTail(size)
    for piece in pieces:
        kept.add(piece)

    whole = "".join(pieces)
    if len(whole) <= size:
        assert (kept.text(), kept.dropped) == (whole, 0)
        return
    head, tail = whole[: (size + 1) // 2], whole[len(whole) - size // 2 :]
    assert kept.dropped == len(whole) - size
    assert kept.text() == f"{head}\n[{kept.dropped} characters were left out here]\n{tail}"


def test_a_flood_takes_bounded_memory() -> None:
    kept = HeadAndTail(100)
    for _ in range(1000):
        kept.add("x" * 1000)

    assert sum(len(value) for value in vars(kept).values() if isinstance(value, str)) <= 250
