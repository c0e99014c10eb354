"""The Docker engine is restarted for real, under a running cell."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.sandbox.base import Status
from runner.sandbox.engine import DockerConfig
from tests.sandbox.cells import ENDLESS, HELLO, LONG
from tests.sandbox.conftest import MakeDocker
from tests.sandbox.own_engine import OwnEngine

pytestmark = [pytest.mark.docker, pytest.mark.dockerd, pytest.mark.slow]


@pytest.fixture
def own_engine() -> Iterator[OwnEngine]:
    engine = OwnEngine(Path(tempfile.mkdtemp(prefix="sb-")))
    try:
        engine.start()
        engine.load(DockerConfig().image)
        yield engine
    finally:
        engine.close()
        # docker's client forgets to close a socket that could not be connected.
        gc.collect()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_restart_takes_the_container_along_and_is_not_held_against_the_cell(
    own_engine: OwnEngine, make_docker: MakeDocker
) -> None:
    sandbox = make_docker(engine=own_engine.url)
    sandbox.execute(ENDLESS, 0.5)

    def restart() -> None:
        own_engine.stop()
        own_engine.start()

    with ThreadPoolExecutor(1) as pool:
        restarted = pool.submit(restart)
        died = sandbox.keep_waiting(LONG)
        restarted.result()

    assert (died.status, died.infrastructure) == (Status.DEAD, True)
    assert "which the Docker engine sent" in died.output
    sandbox.close()
    # And it goes on: the next attempt has its container.
    assert make_docker(engine=own_engine.url).execute(HELLO, LONG).output == "hello\n"
