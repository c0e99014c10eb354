"""The sandbox in a container: what it keeps apart, how it dies, and that nothing of it is left."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.sandbox.base import Limits, SandboxError, Status
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import MEGABYTE, OWNER, DockerConfig, Labels, mark_folder, remove_orphans
from tests.sandbox.cells import ENDLESS, HELLO, LONG
from tests.sandbox.conftest import MakeDocker
from tests.sandbox.proxy import EngineProxy
from tests.warmup.places import ROOT

pytestmark = pytest.mark.docker

away = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

ENGINE = Path("/var/run/docker.sock")
SMALL = 200 * MEGABYTE
BOMB = """
import os
made = refused = 0
for _ in range(10_000):
    try:
        # A fork would copy the kernel's memory, refused or not.
        os.posix_spawnp("sleep", ["sleep", "600"], os.environ)
        made += 1
    except OSError:
        refused += 1
print(made, refused)
"""
ALONE = """
import sys
from pathlib import Path
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels
config = DockerConfig(alone_seconds=2, folder=Path(sys.argv[1]))
sandbox = DockerSandbox(config, Labels(sys.argv[2], "run", "job"))
sandbox.start()
print(sandbox.container_id, flush=True)
sandbox.execute("import time; time.sleep(600)", 600)
"""


@pytest.fixture
def proxy(docker_folder: Path) -> Iterator[EngineProxy]:
    proxy = EngineProxy(docker_folder / "engine", ENGINE)
    proxy.start()
    yield proxy
    proxy.stop()
    # docker's client forgets to close a socket that could not be connected.
    gc.collect()


def containers(engine: Any, labels: Labels) -> list[Any]:
    found: list[Any] = engine.api.containers(all=True, filters={"label": f"{OWNER}={labels.owner}"})
    return found


def test_it_cannot_reach_the_network(make_docker: MakeDocker) -> None:
    cell = "import socket\nprint([name for _, name in socket.if_nameindex()])"

    assert make_docker().execute(cell, LONG).output == "['lo']\n"


def test_root_inside_has_the_capabilities_that_were_given_and_gains_no_others(
    make_docker: MakeDocker,
) -> None:
    cell = "!grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status"

    said = make_docker(capabilities=("CHOWN",)).execute(cell, LONG).output

    assert [line.split()[1] for line in said.splitlines()] == ["0" * 15 + "1"] * 2 + ["1", "2"]


def test_its_limits_are_the_containers(make_docker: MakeDocker, engine: Any) -> None:
    sandbox = make_docker(memory=SMALL, cpus=0.5, pids=99, log_bytes=1000)

    made = engine.api.inspect_container(sandbox.container_id)
    host = made["HostConfig"]

    assert (host["Memory"], host["MemorySwap"], host["NanoCpus"], host["PidsLimit"]) == (
        SMALL,
        SMALL,
        5e8,
        99,
    )
    assert (host["Init"], host["CapDrop"], host["SecurityOpt"]) == (True, ["ALL"], ["no-new-privileges"])
    assert host["LogConfig"]["Config"] == {"max-size": "1000", "max-file": "1"}
    assert sandbox.describe()["limits"]["memory"] == SMALL
    assert sandbox.describe()["digest"] == made["Image"]


def test_the_labels_say_whose_it_is(make_docker: MakeDocker, engine: Any, labels: Labels) -> None:
    made = engine.api.inspect_container(make_docker().container_id)

    assert labels.as_dict().items() <= made["Config"]["Labels"].items()


def test_a_kernel_that_takes_too_much_memory_is_said_to(make_docker: MakeDocker) -> None:
    killed = make_docker(memory=SMALL).execute("x = bytearray(10**9)", LONG)

    assert killed.status is Status.DEAD
    assert "out of memory: its limit is 200 MB" in killed.output


def test_a_program_that_takes_too_much_memory_does_not_cost_the_kernel(make_docker: MakeDocker) -> None:
    sandbox = make_docker(memory=SMALL)

    assert "Killed" in sandbox.execute("!python -c 'bytearray(10**9)'; echo ended", LONG).output
    assert sandbox.execute(HELLO, LONG).status is Status.OK


def test_ten_thousand_processes_are_refused_and_the_kernel_still_answers(make_docker: MakeDocker) -> None:
    sandbox = make_docker(pids=100)

    made, refused = map(int, sandbox.execute(BOMB, 5 * LONG).output.split())

    assert made < 100
    assert made + refused == 10_000
    # IPython itself needs a thread now and then, and can't have one either.
    assert sandbox.execute(HELLO, LONG).status in (Status.OK, Status.ERROR)


def test_a_container_that_is_removed_is_said_to_be(make_docker: MakeDocker, engine: Any) -> None:
    sandbox = make_docker()
    sandbox.execute(ENDLESS, 0.5)

    engine.api.remove_container(sandbox.container_id, force=True)
    died = sandbox.keep_waiting(LONG)

    assert died.status is Status.DEAD
    assert "its container" in died.output or "signal 9" in died.output
    with pytest.raises(SandboxError, match="could not look for"):
        sandbox.read_file("x")
    sandbox.close()


@away
def test_an_engine_that_goes_away_for_a_moment_costs_nothing(
    proxy: EngineProxy, make_docker: MakeDocker, docker_folder: Path
) -> None:
    sandbox = make_docker(engine=f"unix://{docker_folder / 'engine'}")

    proxy.stop()
    assert sandbox.execute("import time\ntime.sleep(1)\nprint('went on')", LONG).output == "went on\n"
    proxy.start()

    assert sandbox.execute(HELLO, LONG).output == "hello\n"
    sandbox.write_file("a", b"1")
    assert sandbox.read_file("a") == b"1"


@away
def test_an_engine_that_restarts_takes_its_containers_along(
    proxy: EngineProxy, make_docker: MakeDocker, docker_folder: Path, engine: Any
) -> None:
    sandbox = make_docker(engine=f"unix://{docker_folder / 'engine'}")
    sandbox.execute(ENDLESS, 0.5)

    proxy.stop()
    engine.api.kill(sandbox.container_id)
    proxy.start()
    died = sandbox.keep_waiting(LONG)

    assert died.status is Status.DEAD
    assert "it died of signal 9" in died.output


@pytest.mark.parametrize("signal", ["SIGTERM", "SIGKILL"])
def test_a_signal_that_the_engine_sends_is_not_held_against_the_cell(
    make_docker: MakeDocker, engine: Any, signal: str
) -> None:
    sandbox = make_docker()
    sandbox.execute(ENDLESS, 0.5)

    engine.api.kill(sandbox.container_id, signal)
    died = sandbox.keep_waiting(LONG)

    assert (died.status, died.infrastructure) == (Status.DEAD, True)
    assert "which the Docker engine sent" in died.output


@pytest.mark.parametrize("signal", ["SIGTERM", "SIGKILL"])
def test_a_signal_that_a_cell_sends_is_held_against_it(make_docker: MakeDocker, signal: str) -> None:
    died = make_docker().execute(f"import os, signal\nos.kill(os.getpid(), signal.{signal})", LONG)

    assert (died.status, died.infrastructure) == (Status.DEAD, False)
    assert "the Docker engine" not in died.output


@away
def test_an_engine_that_stays_away_is_said_to(
    proxy: EngineProxy, make_docker: MakeDocker, docker_folder: Path, engine: Any
) -> None:
    sandbox = make_docker(engine=f"unix://{docker_folder / 'engine'}", engine_seconds=1)

    proxy.stop()
    died = sandbox.execute("import time\ntime.sleep(600)", LONG)
    sandbox.close()

    assert died.status is Status.DEAD
    assert "the Docker engine does not answer" in died.output
    engine.api.remove_container(sandbox.container_id, force=True)


def test_a_container_without_its_owner_ends_itself(engine: Any, docker_folder: Path, labels: Labels) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", ALONE, docker_folder, labels.owner],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    with owner:
        container = owner.stdout.readline().strip()
        owner.send_signal(signal.SIGKILL)

    ended = engine.api.wait(container, timeout=LONG)

    assert ended["StatusCode"] == 75
    engine.api.remove_container(container)


def test_nothing_is_left_after_closing(
    make_docker: MakeDocker, engine: Any, labels: Labels, docker_folder: Path
) -> None:
    before = set(threading.enumerate())
    sandbox = make_docker()
    sandbox.execute(ENDLESS, 0.5)
    assert containers(engine, labels)
    assert {thread.name for thread in set(threading.enumerate()) - before} == {
        "kernel-reader",
        "sandbox-lifeline",
    }

    sandbox.close()

    assert not containers(engine, labels)
    assert list(docker_folder.iterdir()) == []
    assert set(threading.enumerate()) <= before


def test_nothing_is_left_of_a_start_that_failed(engine: Any, labels: Labels, docker_folder: Path) -> None:
    config = DockerConfig(folder=docker_folder, limits=Limits(start_seconds=0))

    with pytest.raises(SandboxError, match="did not start in time"):
        DockerSandbox(config, labels).start()

    assert not containers(engine, labels)
    assert list(docker_folder.iterdir()) == []


@away
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"image": "no-such-image-of-ours"}, "`make sandbox-image` builds it"),
        ({"engine": "unix:///nowhere/docker.sock"}, "could not be reached; start it, or set DOCKER_HOST"),
        ({"network": "no-such-network-of-ours"}, "could not start a container"),
        ({"address": "127.0.0.1"}, "name a network other than none"),
        ({"folder": Path("/tmp") / ("long" * 30)}, "too long for sockets"),  # noqa: S108
    ],
)
def test_what_is_wrong_with_a_start_is_said(
    options: dict[str, Any], problem: str, labels: Labels, engine: Any, docker_folder: Path
) -> None:
    with pytest.raises(SandboxError, match=problem):
        DockerSandbox(DockerConfig(**{"folder": docker_folder, **options}), labels).start()

    gc.collect()
    assert not containers(engine, labels)


def test_a_remote_engines_kernel_is_reached_by_tcp(make_docker: MakeDocker) -> None:
    sandbox = make_docker(address="127.0.0.1", network="bridge")

    assert sandbox.execute(HELLO, LONG).output == "hello\n"
    assert sandbox.execute(ENDLESS, 0.5).timed_out
    assert sandbox.interrupt().status is Status.ERROR


def test_the_sweeper_removes_what_no_live_job_owns_and_nothing_else(
    make_docker: MakeDocker, engine: Any, labels: Labels, docker_folder: Path
) -> None:
    config = DockerConfig(folder=docker_folder)
    container = make_docker().container_id
    network = engine.networks.create("orphans-of-a-test", labels=labels.as_dict())
    (docker_folder / "left").mkdir()
    mark_folder(docker_folder / "left", labels)

    for live, owner in (({labels.job}, labels.owner), (set(), "somebody else")):
        assert remove_orphans(engine, live, config=config, owner=owner, older_than=0.0) == []
    assert remove_orphans(engine, set(), config=config, owner=labels.owner, older_than=600.0) == []
    assert [found["Id"] for found in containers(engine, labels)] == [container]

    removed = remove_orphans(engine, set(), config=config, owner=labels.owner, older_than=0.0)

    assert not containers(engine, labels)
    assert network.name in removed
    assert "left" in removed
    assert list(docker_folder.iterdir()) == []
