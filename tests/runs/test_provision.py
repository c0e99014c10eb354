"""What a job gets: the network of its task set, and none where it needs none."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from leaderboard.domain.errors import InputError
from leaderboard.models import Benchmark
from runner.worker.provision import docker_config, task_files_of
from tests.cast import PET
from tests.runs.cast import claim, job_of, make_run

pytestmark = pytest.mark.django_db


def test_a_task_set_can_have_a_network_of_its_own(settings: Settings) -> None:
    make_run(PET)
    job = job_of(claim())
    settings.RUNNER_DOCKER_NETWORK = "bridge"
    assert docker_config(job.run.task_set).network == "bridge"

    settings.RUNNER_DOCKER_NETWORKS = {"super/masked": "mirror"}

    assert docker_config(job.run.task_set).network == "mirror"


def test_a_bundled_task_gets_no_network_whatever_is_set(settings: Settings) -> None:
    make_run(PET)
    Benchmark.objects.update(slug="warm-up")
    settings.RUNNER_DOCKER_NETWORKS = {"warm-up/masked": "mirror"}

    config = docker_config(job_of(claim()).run.task_set)

    assert config.network == "none"
    assert config.environment == {"PIP_NO_INDEX": "1"}


def test_a_remote_engine_is_reached_by_its_address(settings: Settings) -> None:
    settings.RUNNER_DOCKER_ADDRESS = "engine.example.org"
    settings.RUNNER_DOCKER_PUBLISH_ON = "192.0.2.7"

    config = docker_config()

    assert (config.address, config.publish_on) == ("engine.example.org", "192.0.2.7")


def test_on_a_remote_engine_a_bundled_task_has_the_network_that_it_is_reached_by(settings: Settings) -> None:
    make_run(PET)
    Benchmark.objects.update(slug="warm-up")
    settings.RUNNER_DOCKER_ADDRESS = "engine.example.org"
    settings.RUNNER_DOCKER_NETWORKS = {"warm-up/masked": "inside"}

    config = docker_config(job_of(claim()).run.task_set)

    assert config.network == "inside"
    assert config.environment == {"PIP_NO_INDEX": "1"}


def test_a_task_whose_code_no_run_has_is_not_held_against_an_agent() -> None:
    make_run(PET)
    task = job_of(claim()).task
    task.repository = "repositories/tinystat_0/tinystat"

    with pytest.raises(InputError, match="which runs do not have"):
        task_files_of(task)
