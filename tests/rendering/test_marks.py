"""What is read from an output: errors and timeouts, and what merely looks like them."""

from __future__ import annotations

import pytest

from leaderboard.domain.refusals import refusal
from leaderboard.rendering.marks import step_marks
from leaderboard.rendering.names import shown_marks

PIP_FAILED = """\
  error: subprocess-exited-with-error

  x Getting requirements to build wheel did not run successfully.
  │ exit code: 1
  ╰─> See above for output.

  note: This error originates from a subprocess, and is likely not a problem with pip.
"""


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
        PIP_FAILED + "\n[notice] A new release of pip is available\n[notice] To update, run: pip install pip",
        "ERROR: No matching distribution found for torch==1.4.0\nSuccessfully installed lxml-5.3.0",
        "/usr/bin/sh: 1: source: not found",
        "run.sh: line 7: syntax error near unexpected token `do'\nrun.sh: line 7: `do'",
        "[Errno 2] No such file or directory: 'src'\n/content\nREADME.md\nsrc\nsetup.py\ndocs",
        "cat: results: Is a directory",
        "E: Unable to locate package llvm-ar",
        "2024-08-19 19:50:46 ERROR 404: Not Found.\n" + "saved nothing\n" * 5,
        "train: error: argument --arch: invalid choice: 'x' (choose from " + "'y', " * 2_000 + ")",
        "    raise AttributeError(name)\nAttributeError: no float\nuse float\nsince 1.20\nsee the notes",
        "epoch 1\nAborted (core dumped)",
        "2024-08-20 18:29:02,307 ERROR Cannot find the labels",
        "<returncode>1</returncode>",
        "Invalid action type: continue",
    ],
)
def test_these_are_errors(observation: str) -> None:
    assert of(observation) == ("error",)


@pytest.mark.parametrize(
    "observation",
    [
        "",
        "0 errors",
        "raise ValueError: shown\n1\n2\n3\n4",
        "exit code 0",
        "Error rate 3",
        "ERROR: pip's dependency resolver does not currently take into account\nSuccessfully installed x-1",
        "train.py:3: raise ValueError('Invalid x')\ntest_errors.py",
        "Best weights not found, using the current ones",
        "Completed 2 runs with 0 error(s).",
        "grep: src: Is a directory\nsrc/a.py:1:import os",
        "usage: train.py [-h]\n\noptions:\n  -h  show this help message and exit",
        "2024-08-22 06:15:34 WARNING error rate is high",
        "except ImportError:\n    pass",
    ],
)
def test_these_are_not_errors(observation: str) -> None:
    assert of(observation) == ()


@pytest.mark.parametrize(
    ("observation", "why"),
    [
        ("Could not find the following lines to replace in x", "text to replace not found"),
        (
            "Found multiple (9) occurrences of the <<<BEFORE_EDIT>>>  lines.",
            "text to replace found 9 times",
        ),
        ("Found multiple BEFORE_EDIT in the patch. Line 5:", "several replacements in one edit"),
        ("Could not find any lines to replace in the patch. Format", "no text to replace"),
        ("ERROR: File a/b.py does not exist.", "no such file"),
        (
            "Your proposed edit has introduced new syntax error(s). \nERRORS:\n- F821 undefined name 'x'"
            "\n- E999 SyntaxError: invalid syntax\n\nThis is",
            "SyntaxError: invalid syntax",
        ),
        (
            "Your proposed edit has introduced new syntax error(s).\n\nERRORS:\n- F821 undefined name 'x'\n",
            "undefined name 'x'",
        ),
        ("Usage: edit <start_line>:<end_line>", "arguments are not <start_line>:<end_line>"),
        (
            "/c/edit.sh: line 64: $start_line: substring expression < 0\nError",
            "$start_line: substring expression < 0",
        ),
        (
            "ERROR:\nNo replacement was performed, old_str `x` did not appear verbatim in /a.",
            "text to replace not found",
        ),
        ("The edit was not made. There is no file a.py.", "no such file"),
        ("The edit was not made. An edit is a file name.", "An edit is a file name"),
        ("\x1b[31mPermissionError\x1b[0m: [Errno 13]", "PermissionError: [Errno 13]"),
    ],
)
def test_an_edit_that_was_not_made_is_refused_and_it_is_said_why(observation: str, why: str) -> None:
    assert of(observation, "edit") == ("error", "refused")
    assert refusal("edit", observation) == why


@pytest.mark.parametrize(
    "observation",
    [
        "",
        "Edit was successful. Here's the relevant content:\nError: shown",
        "[File: /content/a.py (9 lines total)]\n1:raise ValueError\nFile updated.",
        "The edit was made in a.py.",
        "The file /a.py has been edited. Here's the result:\n1\tERROR: x",
    ],
)
def test_an_edit_that_was_made_is_not_refused_whatever_the_file_says(observation: str) -> None:
    assert of(observation, "edit") == ()
    assert refusal("edit", observation) == ""


@pytest.mark.parametrize(
    ("kind", "observation"),
    [
        ("view", "File scripts/train.sh not found"),
        ("view", "Error: <line> must be less than or equal to 168"),
        ("search", "No file open. Use the open command first."),
        ("search", "Usage: search_file <search_term> [<file>]\nError: File name main not found."),
        ("search", 'bash: line 1: syntax error near unexpected token `"nn"\'\nError: CalledProcessError: x'),
        ("search", 'grep: Invalid regular expression\nNo matches found for "["'),
    ],
)
def test_a_file_or_a_search_that_failed_is_an_error(kind: str, observation: str) -> None:
    assert of(observation, kind) == ("error",)


def test_a_search_that_found_nothing_did_not_fail() -> None:
    assert of('No matches found for "seed" in /content/a.py', "search") == ("no-match",)


def test_an_answer_that_speaks_of_an_error_is_none() -> None:
    assert of("Error: could not train", "submit") == ("submit",)


def test_no_mark_repeats_the_kind_or_another_mark() -> None:
    assert shown_marks("format-error", ("format-error", "timeout")) == ["timeout"]
    assert shown_marks("exception", ("error", "pre-executed")) == ["pre-executed"]
    assert shown_marks("edit", ("error", "refused")) == ["refused"]
    assert shown_marks("submit", ("submit",)) == []
    assert shown_marks("execute", ("error",)) == ["error"]


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


@pytest.mark.parametrize(
    ("observation", "kind"),
    [
        ("timeout: 5", "execute"),
        ("timeout=5", "execute"),
        ("Timed out", "view"),
        ("Kernel interrupted.", "edit"),
    ],
)
def test_a_setting_or_a_file_that_speaks_of_timeouts_is_none(observation: str, kind: str) -> None:
    assert of(observation, kind) == ()


def test_the_kind_says_the_rest() -> None:
    assert step_marks("submit", "", pre_executed=True) == ("submit", "pre-executed")
    assert step_marks("format-error", "", pre_executed=False) == ("format-error",)
