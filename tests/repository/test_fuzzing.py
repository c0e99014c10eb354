"""Enough is thrown at us, and what fails can be tried again."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import fuzzing
from tests.fuzzing import INPUTS
from tests.repository.files import ROOT

TESTS = Path(__file__).parent.parent
FUZZ_TEST = """
from pathlib import Path

from hypothesis import given, settings, strategies as st
from tests.fuzzing import FUZZ

@settings(FUZZ, max_examples=20)
@given(st.integers(0, 10**18))
def test_numbers(number):
    with Path("tried").open("a") as file:
        file.write(f"{number} ")
    assert number < 1000
"""
PLUGINS = ("-p", "_hypothesis_pytestplugin", "-p", "xdist", "-p", "tests.fuzzing")


def test_at_least_five_thousand_inputs_are_tried() -> None:
    assert sum(INPUTS.values()) >= 5_000


@pytest.mark.parametrize(("full", "share"), [(True, 1), (False, 10)])
def test_a_tenth_of_them_is_tried_unless_all_are_asked_for(
    full: bool, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzing, "FULL", full)

    assert {name: fuzzing.inputs(name) * share for name in INPUTS} == INPUTS


def test_ci_asks_for_all() -> None:
    assert re.search(r"^export .*\bFUZZ=full\b", (ROOT / ".ci/run").read_text(), flags=re.MULTILINE)


def test_each_number_is_used_by_one_test() -> None:
    code = "".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    assert {name: code.count(f'max_examples=inputs("{name}")') for name in INPUTS} == dict.fromkeys(INPUTS, 1)


def run(folder: Path, *arguments: str) -> tuple[str, str]:
    """Run a fuzz test that fails; the inputs that it tried, and what the run said."""
    (folder / "tried").unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", *PLUGINS, "-p", "no:cacheprovider", *arguments]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        # A run without Django starts in a fraction of the time.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "FUZZ": "",
    }

    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stdout + done.stderr
    return (folder / "tried").read_text(), done.stdout


def test_each_run_tries_others_and_says_how_to_try_the_same_again(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_numbers.py").write_text(FUZZ_TEST)

    # Workers get the run's seed too.
    tried, said = run(tmp_path, "--numprocesses=1")
    command = re.search(r"^make test ARGS=(.*)$", said, flags=re.MULTILINE)
    assert command is not None, said
    arguments = shlex.split(shlex.split(command[0])[-1].removeprefix("ARGS="))

    assert run(tmp_path, *arguments)[0] == tried
    assert run(tmp_path, "--numprocesses=0")[0] != tried
