"""An edit that the viewer shows as refused is one that the diagnosis counts, in the words of every loop."""

from __future__ import annotations

from unittest.mock import create_autospec

import pytest

from leaderboard.diagnosis.outputs import Outcome, read_event
from leaderboard.domain.refusals import refusal
from leaderboard.domain.trajectory import StepKind
from runner.execution.edits import AFTER, BEFORE, MAX_BYTES, make_edit
from runner.sandbox.base import Sandbox, SandboxError, Status
from tests.domain.trajectories import ran, trajectory


def answer_of_the_runner(before: str, after: str = "x", file: object = b"a\na\nsame line\n") -> str:
    sandbox = create_autospec(Sandbox, instance=True)
    sandbox.read_file.side_effect = [file]
    sandbox.execute.return_value.status = Status.OK
    return make_edit(sandbox, f"a.py\n{BEFORE}\n{before}\n{AFTER}\n{after}")


RUNNER = {
    "no such file": lambda: answer_of_the_runner("a", file=FileNotFoundError()),
    "text to replace not found": lambda: answer_of_the_runner("zzzz"),
    "text to replace found more than once": lambda: answer_of_the_runner("a"),
    "The lines before the edit are empty": lambda: answer_of_the_runner(""),
    "The lines after the edit hold characters": lambda: answer_of_the_runner("same line", "\ud800"),
    "a.py has 2000001 bytes": lambda: answer_of_the_runner("a", file=b"a" * (MAX_BYTES + 1)),
    "a.py: Is a directory": lambda: answer_of_the_runner("a", file=OSError(21, "Is a directory")),
    "bad name": lambda: answer_of_the_runner("a", file=SandboxError("bad name")),
    "An edit is a file name": lambda: make_edit(create_autospec(Sandbox, instance=True), "a.py\nx = 1"),
}
OTHERS = [
    "File already exists at: /a.py",
    "Text not found",
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    "apply_patch verification failed: Failed to find expected lines in /a.py",
    "ERROR:\nNo replacement was performed, old_str `x` did not appear verbatim in /a.py.",
    "IPython will make a temporary file named: /tmp/ipython_edit_a/b.py",
    "Found 2 matches of the string to replace, but replace_all is false.",
    "The search block did not match",
    "# 1 SEARCH/REPLACE block failed to match!",
    "Failed to edit, could not find the string to replace.",
    "Could not find any lines to replace in the patch. Format of edit is:",
    "\x1b[31mError\x1b[0m: String to replace not found in file.",
]
MADE = [
    "File updated; section was not unique before",
    "[File: a.py (2 lines total)]\n1:raise ValueError: no\nFile updated.",
    "The edit was made in a.py.",
]


def outcome(observation: str) -> Outcome:
    (step,) = trajectory(ran("a.py", observation, kind=StepKind.EDIT)).steps
    return read_event(step).outcome


@pytest.mark.parametrize("why", RUNNER)
def test_each_refusal_of_the_runner_is_one_for_the_viewer_and_for_the_diagnosis(why: str) -> None:
    observation = RUNNER[why]()

    assert refusal("edit", observation).startswith(why)
    assert outcome(observation) is Outcome.REFUSED


@pytest.mark.parametrize("observation", OTHERS)
def test_so_is_each_of_another_loop(observation: str) -> None:
    assert refusal("edit", observation)
    assert outcome(observation) is Outcome.REFUSED


@pytest.mark.parametrize("observation", MADE)
def test_an_edit_that_was_made_is_refused_for_neither(observation: str) -> None:
    assert not refusal("edit", observation)
    assert outcome(observation) is Outcome.DONE
