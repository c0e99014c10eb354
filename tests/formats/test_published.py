"""The published runs: every notebook reads, and the figures known of them come out."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path

import pytest

from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats import read
from leaderboard.formats.run_folder import RunFolder, read_metrics, scan_run
from leaderboard.formats.task_records import categories_of
from leaderboard.scoring.super import SCORING

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "published"

pytestmark = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published runs are not here")


@pytest.fixture(scope="module")
def runs() -> list[RunFolder]:
    return [scan_run(path) for path in sorted(PUBLISHED.glob("gpt-4o*"))]


@pytest.fixture(scope="module")
def attempts(runs: list[RunFolder]) -> list[tuple[Trajectory, dict[str, float | None]]]:
    """Each attempt that has a notebook, with its reported scores."""
    return [
        (
            read(files.trajectory.read_bytes(), name=files.name),
            read_metrics(files.metrics.read_bytes(), name=files.name, known=SCORING.scored),
        )
        for run in runs
        for files in run.attempts
        if files.trajectory and files.metrics
    ]


Attempts = list[tuple[Trajectory, dict[str, float | None]]]


def test_every_folder_is_an_attempt(runs: list[RunFolder]) -> None:
    assert [len(run.attempts) for run in runs] == [45, 144, 45, 144]
    assert all(run.problems == () for run in runs)
    assert all(attempt.metrics for run in runs for attempt in run.attempts)


def test_every_notebook_is_read(attempts: Attempts) -> None:
    assert len(attempts) == 257
    assert sum(len(trajectory.steps) for trajectory, _ in attempts) == 10_721
    assert statistics.median(len(trajectory.steps) for trajectory, _ in attempts) == 43
    assert all(trajectory.query and trajectory.prompt for trajectory, _ in attempts)


def test_an_answer_other_than_null_is_there_where_one_was_counted(attempts: Attempts) -> None:
    for trajectory, scores in attempts:
        answered = trajectory.answer is not MISSING and trajectory.answer is not None
        assert answered == (scores["submitted"] == 1)


def test_one_answer_alone_is_text_that_was_no_literal(attempts: Attempts) -> None:
    noted = [trajectory for trajectory, _ in attempts if trajectory.warnings]
    assert len(noted) == 1
    assert isinstance(noted[0].answer, str)


def test_the_endings_are_known(attempts: Attempts) -> None:
    assert Counter(trajectory.ending for trajectory, _ in attempts) == {
        Ending.SUBMITTED: 144,
        Ending.CONTEXT: 104,
        Ending.TIME: 9,
    }


def test_the_kinds_of_step_are_known(attempts: Attempts) -> None:
    kinds = Counter(step.kind for trajectory, _ in attempts for step in trajectory.steps)
    assert kinds == {
        StepKind.EXECUTE: 6508,
        StepKind.EDIT: 2378,
        StepKind.CREATE: 13,
        StepKind.VIEW: 748,
        StepKind.SEARCH: 282,
        StepKind.SUBMIT: 144,
        StepKind.INTERRUPT: 13,
        StepKind.WAIT: 46,
        StepKind.FORMAT_ERROR: 475,
        StepKind.EXCEPTION: 113,
        StepKind.OTHER: 1,
    }


def test_times_and_pre_executed_cells_are_known(attempts: Attempts) -> None:
    steps = [step for trajectory, _ in attempts for step in trajectory.steps]
    assert sum(step.duration is None for step in steps) == 1406
    assert sum(step.pre_executed for step in steps) == 2881
    assert statistics.median(trajectory.duration or 0 for trajectory, _ in attempts) == 190


def test_a_masked_task_has_the_categories_of_the_table(runs: list[RunFolder]) -> None:
    masked = next(run for run in runs if len(run.attempts) == 144)
    counts = Counter(category for files in masked.attempts for category in categories_of(files.task_id))
    assert counts == {"dependency": 31, "data": 36, "cpu": 13, "issue": 13, "goal": 37, "configuration": 18}
