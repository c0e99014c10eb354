"""Enough is thrown at us."""

from __future__ import annotations

from pathlib import Path

from tests.fuzzing import INPUTS

TESTS = Path(__file__).parent.parent


def test_at_least_five_thousand_inputs_are_tried() -> None:
    assert sum(INPUTS.values()) >= 5_000


def test_each_number_is_used_by_one_test() -> None:
    code = "".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    assert {name: code.count(f'max_examples=INPUTS["{name}"]') for name in INPUTS} == dict.fromkeys(INPUTS, 1)
