"""What is read from an output: errors and timeouts, and what merely looks like them."""

from __future__ import annotations

import pytest

from leaderboard.rendering.marks import step_marks


def of(observation: str, kind: str = "execute") -> tuple[str, ...]:
    return step_marks(kind, observation, pre_executed=False)


@pytest.mark.parametrize(
    "observation",
    [
        "Traceback (most recent call last)\n  File x\nand more than that",
        "ok\nValueError: no such thing",
        "\x1b[0;31mModuleNotFoundError\x1b[0m: No module named 'x'",
        "train.py: error: unrecognized arguments: --x",
        "/bin/bash: foo: command not found",
        "cat: x: No such file or directory",
        "ERROR: Could not find a version",
        "subprocess.CalledProcessError: Command returned non-zero exit status 1.",
        "make: exited with code 2",
    ],
)
def test_these_are_errors(observation: str) -> None:
    assert of(observation) == ("error",)


@pytest.mark.parametrize(
    "observation", ["", "0 errors", "raise ValueError: shown\n1\n2\n3\n4", "exit code 0", "Error rate 3"]
)
def test_these_are_not_errors(observation: str) -> None:
    assert of(observation) == ()


def test_an_edit_that_did_not_apply_is_an_error() -> None:
    assert of("Could not find the following lines to replace in x", "edit") == ("error",)


def test_a_file_that_is_shown_has_no_errors_of_the_step() -> None:
    assert of("Traceback (most recent call last)\nValueError: x", "view") == ()


@pytest.mark.parametrize(
    "observation",
    [
        "epoch 1\nYour command has already run for 300 seconds. It is still running.",
        "Kernel interrupted.",
        "Command timed out after 60 s",
    ],
)
def test_these_are_timeouts(observation: str) -> None:
    assert "timeout" in of(observation)


def test_a_package_named_after_timeouts_is_not_one() -> None:
    assert of("Collecting async-timeout<5.0\nddp_timeout=1800") == ()


def test_the_kind_says_the_rest() -> None:
    assert step_marks("submit", "", pre_executed=True) == ("submit", "pre-executed")
    assert step_marks("format-error", "", pre_executed=False) == ("format-error",)
