"""A worker whose Docker engine is elsewhere: it speaks to the engine, and to kernels, by TCP alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.models import Benchmark, JobStep
from leaderboard.scoring.super import SCORING
from runner.sandbox.engine import OWNER
from tests.cast import make_set
from tests.runs.cast import make_run
from tests.runs.workers import Workers
from tests.sandbox.proxy import EngineProxy
from tests.sandbox.test_docker import ENGINE
from tests.warmup.test_recordings import SPECS

pytestmark = pytest.mark.docker


@pytest.fixture
def remote() -> Iterator[EngineProxy]:
    proxy = EngineProxy(None, ENGINE)
    proxy.start()
    yield proxy
    proxy.stop()


def test_a_job_of_warm_up_is_solved_on_it(docker_workers: Workers, remote: EngineProxy, engine: Any) -> None:
    task_set = make_set(SPECS["keygrain"])
    Benchmark.objects.update(slug="warm-up")
    run = make_run(task_set=task_set, agent="scripted-expert", sandbox="docker")

    docker_workers.start(DOCKER_HOST=remote.url, RUNNER_DOCKER_ADDRESS="127.0.0.1")

    docker_workers.until(lambda: JobStep.objects.exists())
    owner = (docker_workers.var / "installation-id").read_text().strip()
    (container,) = engine.containers.list(filters={"label": f"{OWNER}={owner}"})
    # No folder of ours is in it, and its kernel's ports are where the worker was told to look.
    assert container.attrs["Mounts"] == []
    ports = [bound for bindings in container.ports.values() for bound in bindings]
    assert {port["HostIp"] for port in ports} == {"127.0.0.1"}
    docker_workers.until_ended(run)
    attempt = run.entry.attempts.get()
    scores = attempt.scores.filter(scorer=SCORING.default_scorer).values_list("metric", "value")
    assert dict(scores) == dict.fromkeys(SCORING.layout.overall, 1.0)
    assert engine.containers.list(all=True, filters={"label": f"{OWNER}={owner}"}, ignore_removed=True) == []
