"""What a step leaves out of an output is kept on disk, from its first character on, up to a larger limit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from runner.execution.history import history_json
from runner.execution.limits import Limits
from runner.execution.records import Outcome, StepRecord
from runner.execution.whole import WholeOutput, WholeOutputs
from tests.execution.fakes import SUBMITS, Cell, FakeSandbox, ListAgent, run

Attempt = Callable[..., Outcome]
SMALL = Limits(observation_characters=10)


def kept(step: StepRecord) -> WholeOutput:
    assert step.whole
    return step.whole


def content(step: StepRecord) -> str:
    whole = kept(step)
    data = zstd.decompress(whole.path.read_bytes())
    assert (len(data), hashlib.sha256(data).hexdigest()) == (whole.size, whole.digest)
    return data.decode()


def execute(attempt: Attempt, folder: Path, *cells: str, each: int = 1000, together: int = 1000) -> Outcome:
    outputs = WholeOutputs(folder, each=each, together=together)
    return attempt(ListAgent(*map(run, cells), SUBMITS), limits=SMALL, outputs=outputs)


def test_an_output_that_its_step_holds_takes_no_disk(attempt: Attempt, tmp_path: Path) -> None:
    outcome = execute(attempt, tmp_path / "outputs", "0123456789")

    assert outcome.steps[0].whole is None
    assert not (tmp_path / "outputs").exists()


def test_of_one_that_is_longer_the_whole_is_kept_and_told_in_the_record(
    attempt: Attempt, tmp_path: Path
) -> None:
    outcome = execute(attempt, tmp_path, "01234567é9-")

    assert content(outcome.steps[0]) == "01234567é9-"
    told = json.loads(history_json(outcome))["history"][0]["runner"]
    assert told["whole"] == {"bytes": 12, "sha256": kept(outcome.steps[0]).digest, "cut": False}
    assert told["dropped"] == 1


def test_slices_of_one_cell_are_one_output(attempt: Attempt, sandbox: FakeSandbox, tmp_path: Path) -> None:
    sandbox.cells = {"slow": Cell("0123", seconds=3.0, further="abcd")}

    step = execute(attempt, tmp_path, "slow").steps[0]

    # The cell is looked at four times a second.
    assert content(step) == "0123" + "abcd" * 11
    assert step.observation == "0123a\n[38 characters were left out here]\ndabcd"


def test_steps_have_outputs_of_their_own(attempt: Attempt, tmp_path: Path) -> None:
    steps = execute(attempt, tmp_path, "a" * 11, "b" * 12).steps

    assert [content(step) for step in steps[:2]] == ["a" * 11, "b" * 12]


@pytest.mark.parametrize(("each", "together"), [(20, 1000), (1000, 20)])
def test_what_is_beyond_the_larger_limit_is_lost_and_said_to_be(
    attempt: Attempt, tmp_path: Path, each: int, together: int
) -> None:
    step = execute(attempt, tmp_path, "a" * 15 + "b" * 15, each=each, together=together).steps[0]

    assert content(step) == "a" * 15 + "b" * 5
    assert kept(step).cut


@pytest.mark.parametrize("cut", [True, False])
def test_what_the_sandbox_kept_of_a_flood_is_taken_over_and_removed(
    attempt: Attempt, sandbox: FakeSandbox, tmp_path: Path, cut: bool
) -> None:
    flood = tmp_path / "flood.txt"
    flood.write_text("a" * 36)
    sandbox.cells = {
        "flood": Cell("aaaaa\n[26 characters left out]\naaaaa", 0.1, whole=flood, dropped=26, cut=cut)
    }

    step = execute(attempt, tmp_path / "outputs", "flood").steps[0]

    assert content(step) == "a" * 36
    assert kept(step).cut is cut
    assert not flood.exists()
    assert step.observation == "aaaaa\n[26 characters were left out here]\naaaaa"
    assert step.dropped == 26


def test_without_a_place_for_them_only_the_ends_are_kept(attempt: Attempt) -> None:
    step = attempt(ListAgent(run("a" * 11), SUBMITS), limits=SMALL).steps[0]

    assert (step.whole, step.dropped) == (None, 1)
