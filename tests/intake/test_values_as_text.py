"""Answers that are text where they should be something else are pointed out."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.trajectory import Trajectory
from leaderboard.intake.examine import examine


def found(answer: Any) -> list[tuple[str, str]]:
    trajectory = Trajectory((), "answers", answer=answer)
    return [(each.severity, each.problem.place) for each in examine(trajectory, name="answers.json")]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ('{"a": 1}', [("warning", "answer")]),
        (" [1, 2] ", [("warning", "answer")]),
        ({"a": [1, '{"b": 1}'], "c": "[2]"}, [("warning", "answer.a[1]")]),
        ("0.81", [("note", "answer")]),
        ({"f1": "-3"}, [("note", "answer.f1")]),
        ({"a": "1", "b": "{}"}, [("warning", "answer.b"), ("note", "answer.a")]),
        ({"a": 1, "b": "{not JSON}", "c": "plain", "d": "2 epochs"}, []),
        ("[" * 90_000, []),
        (["x"] * 20_000 + ["{}"], []),
    ],
)
def test_json_and_numbers_as_text_are_pointed_out(answer: Any, says: list[tuple[str, str]]) -> None:
    assert found(answer) == says
