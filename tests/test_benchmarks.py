"""`python -m benchmarks`: finds what measures, and says what there is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks import __main__ as command
from benchmarks.table import Row
from tests.warmup.places import ROOT


def test_only_those_that_are_named_are_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_benchmarks", lambda: {"quick": quick, "broken": broken})

    command.main(["quick"])

    assert "reading" in capsys.readouterr().out


def quick() -> list[Row]:
    return [Row("reading", ours=1.0, against=5.0, unit="s", bound="at least 5 times")]


def broken() -> list[Row]:
    raise AssertionError("it was not asked for")


def test_an_unknown_name_is_answered_with_those_there_are_each_a_module_that_measures() -> None:
    # A process of its own: benchmarks refuse to start where Django is set up, as it is here.
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "no-such"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    said, _, there_are = done.stderr.strip().splitlines()[-1].partition("; there are ")
    assert said.endswith("no benchmark is called no-such")
    assert {"rendering", "jobs"} <= set(there_are.split(", "))
    assert "table" not in there_are
