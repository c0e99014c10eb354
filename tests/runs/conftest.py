"""Brokers and workers for real; Redis is needed, and SKIP_REDIS=1 leaves it out."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.sandbox.engine import OWNER, DockerConfig, connect
from runner.sandbox.environment import prepare_base
from tests.runs.workers import Broker, Workers
from tests.servers import redis_server
from tests.warmup.places import ROOT

REDIS = pytest.param("redis", marks=pytest.mark.redis)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = {"redis": os.environ.get("SKIP_REDIS"), "docker": os.environ.get("SKIP_DOCKER")}
    for marker, skip in left_out.items():
        if skip == "1":
            config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker(marker)])
            items[:] = [item for item in items if not item.get_closest_marker(marker)]


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


@pytest.fixture
def var() -> Iterator[Path]:
    # Not pytest's own: sockets need a short path.
    folder = Path(tempfile.mkdtemp(prefix="sb-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["filesystem", REDIS])
def broker(request: pytest.FixtureRequest, var: Path) -> Iterator[Broker]:
    made = Broker(var, request.getfixturevalue("redis_url") if request.param == "redis" else "")
    made.empty()
    yield made
    made.close()


@pytest.fixture
def folder_broker(var: Path) -> Iterator[Broker]:
    made = Broker(var)
    yield made
    made.close()


@pytest.fixture
def workers(transactional_db: None, var: Path, broker: Broker) -> Iterator[Workers]:
    started = Workers(var, broker)
    yield started
    started.close()


@pytest.fixture
def engine() -> Iterator[Any]:
    client = connect(DockerConfig())
    yield client
    client.close()


@pytest.fixture
def docker_workers(
    transactional_db: None, var: Path, folder_broker: Broker, engine: Any
) -> Iterator[Workers]:
    """Workers on the filesystem broker; whatever containers they leave go with the test."""
    started = Workers(var, folder_broker)
    yield started
    started.close()
    owner = (var / "installation-id").read_text().strip()
    for container in engine.containers.list(
        all=True, filters={"label": f"{OWNER}={owner}"}, ignore_removed=True
    ):
        container.remove(force=True)


@pytest.fixture
def local_workers(transactional_db: None, var: Path, folder_broker: Broker) -> Iterator[Workers]:
    """Workers on the filesystem broker, with the kernels' environment that stays from run to run."""
    prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    (var / "kernel-env").symlink_to(ROOT / "var" / "kernel-env")
    started = Workers(var, folder_broker)
    yield started
    started.close()
