"""What the runner tells the database of a job while it happens."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboard.domain.landmarks import find_landmarks
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Trajectory
from leaderboard.models import Job, JobStep
from leaderboard.rendering import render_attempt
from leaderboard.runs.selectors import hit_landmarks, timed_out_landmarks
from runner.execution.records import StepRecord
from runner.worker import recorder as watching
from runner.worker.recorder import JobRecorder
from tests.domain.test_landmarks import RUNAWAY
from tests.pictures import data_url, png
from tests.runs.cast import claim, make_run

pytestmark = pytest.mark.django_db
NOON = datetime(2024, 8, 22, 12, tzinfo=UTC)
SPEC = TaskSpec(task_id="pet", landmarks=(r"epoch \d+", "loss"))
SEEN = ("epoch 1\nepoch 2", "loss 0.5", "nothing", "epoch 3, loss 0.25")


def a_step(number: int, observation: str) -> StepRecord:
    action = ("Train it.", "execute", "!python train.py")
    return StepRecord(number, *action, NOON, observation=observation, ended=NOON + timedelta(seconds=1))


def record(*observations: str, spec: TaskSpec = SPEC) -> list[StepRecord]:
    make_run(spec)
    recorder = JobRecorder(claim(), spec)
    steps = [a_step(number, seen) for number, seen in enumerate(observations, start=1)]
    for step in steps:
        recorder.step_finished(step)
    return steps


def test_steps_told_one_by_one_are_what_the_whole_attempt_is_rendered_to() -> None:
    steps = record(*SEEN)

    whole = Trajectory(steps=tuple(step.to_step() for step in steps), format="live")
    wanted = render_attempt(whole, find_landmarks(SPEC.landmarks, whole)).html
    assert "".join(JobStep.objects.values_list("html", flat=True)) == wanted
    assert [f'id="hit-1-{n}"' in wanted for n in (1, 2, 3, 4)] == [True, True, True, False]


def test_an_image_of_a_running_job_is_named_until_it_is_recorded() -> None:
    make_run(SPEC)
    JobRecorder(claim(), SPEC).step_finished(replace(a_step(1, "plot"), images=(data_url(png()),)))

    html = JobStep.objects.get().html
    assert "PNG image, 73 bytes, not shown: it is shown once the attempt is recorded" in html
    assert "<img" not in html


def test_the_landmarks_that_a_step_hit_are_told_with_it() -> None:
    record(*SEEN)

    assert list(JobStep.objects.values_list("landmarks", flat=True)) == [[1], [2], [], [1, 2]]
    assert hit_landmarks(Job.objects.get()) == [1, 2]


def test_a_step_is_rendered_once_and_not_again_with_each_that_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rendered: list[int] = []

    def note(trajectory: Trajectory, *args: Any, **options: Any) -> Any:
        rendered.extend(step.number for step in trajectory.steps)
        return render_attempt(trajectory, *args, **options)

    monkeypatch.setattr(watching, "render_attempt", note)

    record(*SEEN)

    assert rendered == [1, 2, 3, 4]


def test_a_pattern_that_timed_out_once_is_not_looked_for_again_and_said_to_have(client: Client) -> None:
    spec = TaskSpec(task_id="pet", landmarks=("(a+)+$", "loss"))

    record(RUNAWAY, "aa", "loss 0.5", spec=spec)

    job = Job.objects.get()
    assert list(JobStep.objects.values_list("landmarks", flat=True)) == [[], [], [2]]
    assert timed_out_landmarks(job) == [1]
    client.force_login(User.objects.create_user("olga", is_staff=True))
    assert "Timed out during the run" in client.get(job.get_absolute_url()).content.decode()
