"""Sandboxes of each kind, a test's own or shared. `docker` needs an engine, and `make sandbox-image`."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from runner.execution.recording import OFFLINE
from runner.sandbox.base import Limits, Sandbox, SandboxError
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels, connect
from runner.sandbox.environment import prepare_base
from runner.sandbox.fake import FakeSandbox
from runner.sandbox.local import LocalSandbox
from tests.sandbox.cells import SCRIPT
from tests.sandbox.shared import SharedSandboxes
from tests.warmup.places import ROOT

Make = Callable[[Limits], Sandbox]
MakeDocker = Callable[..., DockerSandbox]
DOCKER = pytest.param("docker", marks=pytest.mark.docker)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = {"docker": os.environ.get("SKIP_DOCKER"), "dockerd": os.environ.get("SKIP_DOCKERD")}
    for marker, skip in left_out.items():
        if skip == "1":
            config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker(marker)])
            items[:] = [item for item in items if not item.get_closest_marker(marker)]


@pytest.fixture(scope="session")
def base_packages() -> Path:
    return prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")


@pytest.fixture(scope="session")
def engine() -> Iterator[Any]:
    try:
        client = connect(DockerConfig())
    except SandboxError as error:
        pytest.fail(f"{error}\nSKIP_DOCKER=1 leaves these tests out.", pytrace=False)
    with closing(client):
        yield client


@pytest.fixture
def docker_folder() -> Iterator[Path]:
    # Not pytest's own: sockets need a short path.
    folder = Path(tempfile.mkdtemp(prefix="sb-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def labels(request: pytest.FixtureRequest) -> Labels:
    return Labels(owner=f"tests-{secrets.token_hex(4)}", run="run", job=request.node.name)


@pytest.fixture
def make_docker(engine: Any, docker_folder: Path, labels: Labels) -> Iterator[MakeDocker]:
    with ExitStack() as stack:

        def make(**options: Any) -> DockerSandbox:
            options = {"environment": OFFLINE, "folder": docker_folder, **options}
            return stack.enter_context(DockerSandbox(DockerConfig(**options), labels))

        yield make


@pytest.fixture
def make_local(base_packages: Path, tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as stack:
        yield lambda limits: stack.enter_context(
            LocalSandbox(tmp_path / "sandbox", base_packages, OFFLINE, limits)
        )


@pytest.fixture
def make_fake() -> Iterator[Make]:
    with ExitStack() as stack:
        yield lambda limits: stack.enter_context(FakeSandbox(SCRIPT, limits))


@pytest.fixture(params=["local", DOCKER, "fake"])
def make_any(request: pytest.FixtureRequest) -> Make:
    """Makes and starts a sandbox of each kind."""
    return maker(request, request.param)


@pytest.fixture(params=["local", DOCKER])
def make(request: pytest.FixtureRequest) -> Make:
    """The same for those with a kernel."""
    return maker(request, request.param)


def maker(request: pytest.FixtureRequest, kind: str) -> Make:
    made: Any = request.getfixturevalue(f"make_{kind}")
    return (lambda limits: made(limits=limits)) if kind == "docker" else made


@pytest.fixture(scope="module")
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedSandboxes]:
    def local() -> Sandbox:
        base_packages = request.getfixturevalue("base_packages")
        return LocalSandbox(tmp_path_factory.mktemp("shared") / "sandbox", base_packages, OFFLINE)

    def docker() -> Sandbox:
        request.getfixturevalue("engine")
        shared_labels = Labels(owner=f"tests-{secrets.token_hex(4)}", run="run", job="shared")
        return DockerSandbox(DockerConfig(environment=OFFLINE, folder=folder), shared_labels)

    # Not pytest's own: sockets need a short path.
    with tempfile.TemporaryDirectory(prefix="sb-") as name:
        folder = Path(name)
        sandboxes = SharedSandboxes({"local": local, "docker": docker})
        yield sandboxes
        sandboxes.close()


@pytest.fixture(params=["local", DOCKER, "fake"])
def any_sandbox(request: pytest.FixtureRequest, shared: SharedSandboxes) -> Sandbox:
    """A sandbox of each kind, as good as new."""
    if request.param == "fake":
        return maker(request, "fake")(Limits())
    return shared.get(request.param)


@pytest.fixture(params=["local", DOCKER])
def sandbox(request: pytest.FixtureRequest, shared: SharedSandboxes) -> Sandbox:
    """The same for those with a kernel."""
    return shared.get(request.param)
