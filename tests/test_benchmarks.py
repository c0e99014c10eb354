"""`python -m benchmarks`: finds what measures, and says what there is."""

from __future__ import annotations

import pytest

from benchmarks import __main__ as command
from benchmarks.table import Row


def test_a_module_that_measures_is_a_benchmark_by_its_name() -> None:
    found = command.find_benchmarks()

    assert "rendering" in found
    assert "table" not in found


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


def test_an_unknown_name_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(["no-such-benchmark"])

    assert stopped.value.code == 2
    assert "no benchmark is called no-such-benchmark; there are" in capsys.readouterr().err
