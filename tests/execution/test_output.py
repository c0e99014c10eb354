"""A text's head and tail are kept, whatever pieces it comes in; an observation is such a text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.execution.limits import Limits
from runner.execution.records import Outcome
from runner.sandbox.output import HeadTail
from tests.execution.fakes import SUBMITS, Cell, FakeSandbox, ListAgent, run

Attempt = Callable[..., Outcome]


@settings(deadline=None)
@given(st.lists(st.text(alphabet="abc", max_size=9)), st.integers(0, 12))
def test_head_and_tail_are_those_of_the_whole(pieces: list[str], size: int) -> None:
    kept = HeadTail(size, lambda missing: f"<{missing}>")
    for piece in pieces:
        kept.add(piece)

    whole = "".join(pieces)
    if len(whole) <= size:
        assert (kept.text(), kept.missing()) == (whole, 0)
        return
    head, tail = whole[: (size + 1) // 2], whole[len(whole) - size // 2 :]
    assert kept.missing() == len(whole) - size
    assert kept.text() == f"{head}<{len(whole) - size}>{tail}"


def test_a_flood_takes_bounded_memory() -> None:
    kept = HeadTail(100)
    for _ in range(1000):
        kept.add("x" * 1000)

    held = [text for value in vars(kept).values() if isinstance(value, Collection) for text in value]
    assert sum(map(len, held)) <= 250


def test_a_long_output_keeps_its_head_and_tail(attempt: Attempt, sandbox: FakeSandbox) -> None:
    sandbox.cells = {"flood": Cell("a" * 50 + "b" * 50)}

    step = attempt(ListAgent(run("flood"), SUBMITS), limits=Limits(observation_characters=10)).steps[0]

    assert step.dropped == 90
    assert step.observation == "aaaaa\n[90 characters were left out here]\nbbbbb"


def test_what_a_flood_leaves_on_disk_goes_at_once(
    attempt: Attempt, sandbox: FakeSandbox, tmp_path: Path
) -> None:
    sandbox.cells = {"flood": Cell("a", whole=tmp_path / "whole.txt")}
    (tmp_path / "whole.txt").touch()

    attempt(ListAgent(run("flood"), SUBMITS))

    assert not (tmp_path / "whole.txt").exists()
