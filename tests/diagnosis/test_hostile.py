"""Whatever an agent wrote, a diagnosis ends, and is small."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.diagnosis import diagnose, from_data
from leaderboard.diagnosis.model import LONGEST_EVIDENCE
from leaderboard.domain.trajectory import Ending, StepKind, Trajectory
from tests.domain.trajectories import ran, submitted, trajectory
from tests.fuzzing import FUZZ, inputs

LONG = 1_000_000
PIECES = [
    "1",
    "1.",
    "0.12 ",
    "a",
    "a.",
    " ",
    "\r",
    "\x1b[",
    "\x1b]a",
    "'",
    "{",
    "Error: ",
    "--a ",
    "\n",
    "loss: ",
]


def everywhere(text: str, answer: object = None) -> Trajectory:
    """A trajectory with a text wherever an agent's text can be."""
    steps = [ran(text, text, thought=text, kind=kind) for kind in StepKind]
    return trajectory(*steps, submitted(), query=text, answer=answer, ending=Ending.SUBMITTED)


@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_on_one_line_is_read_in_linear_time(piece: str) -> None:
    # A pattern that backtracks would not end within hours.
    text = piece * (LONG // len(piece))

    told = diagnose(trajectory(ran(text, text), query=text, answer={"loss": 0.12345}))

    assert all(len(each.evidence) <= LONGEST_EVIDENCE for each in (*told.findings, *told.facts))
    assert len(json.dumps(told.as_data())) < 10_000


@settings(FUZZ, max_examples=inputs("diagnoses"))
@given(st.text(max_size=300), st.recursive(st.none() | st.floats() | st.text(), st.lists, max_leaves=9))
def test_any_text_and_any_answer_are_diagnosed(text: str, answer: object) -> None:
    told = diagnose(everywhere(text, answer))

    assert from_data(json.loads(json.dumps(told.as_data()))).as_data() == told.as_data()


def test_an_answer_of_any_depth_and_size_is_diagnosed() -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]

    for answer in (deep, {"a": [1.5] * 100_000}, {str(n): n for n in range(10_000)}, 10**400):
        assert diagnose(everywhere("loss 1.5", answer)).facts


def test_what_no_database_stores_is_replaced() -> None:
    told = diagnose(
        trajectory(*[ran("!python a\x00.py", "KeyError: '\x00\ud800'")] * 3, ending=Ending.CONTEXT)
    )

    assert "\\u0000" not in json.dumps(told.as_data())
    assert "\\ud800" not in json.dumps(told.as_data())
