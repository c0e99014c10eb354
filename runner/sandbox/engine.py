"""The Docker engine: connecting, its errors, and removing what dead workers left on it."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import docker
from docker.errors import DockerException, NotFound
from requests.exceptions import RequestException

from runner.sandbox.base import Limits, SandboxError

ENGINE_ERRORS = (DockerException, RequestException, OSError)
OWNER, RUN, JOB = "superboard.owner", "superboard.run", "superboard.job"
MEGABYTE = 1024 * 1024

APT_AND_PIP = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
"""The capabilities that apt, and programs that change their user, need."""


@dataclass(frozen=True, slots=True)
class DockerConfig:
    """How containers are made.

    Attributes:
        image: name of the image that is built from deploy/sandbox/Dockerfile.
        engine: the engine's URL; None for that in DOCKER_HOST, or else this machine's engine.
        address: host name at which the ports of a remote engine's containers can be reached; None for an
            engine on this machine, whose containers are reached by socket files.
        publish_on: the address of the remote engine's host to which the ports are bound.
        network: "none", or the name of a network that exists on the engine.
        memory, shared_memory: in bytes, without swap; shared memory counts as a part of ``memory``.
        cpus: how many CPUs; at most as many as the engine has.
        pids: most processes and threads at one time.
        capabilities: of root in the container; all others are dropped.
        environment: variables beside those of the image.
        log_bytes: how much of the container's own log is kept.
        alone_seconds: the container ends itself when it hears nothing from its owner for so long.
        engine_seconds: how long to wait for an answer of the engine.
        folder: parent of the sandboxes' folders on this machine; None for one in the temporary folder.
            Keep it short: a socket's path has at most 107 bytes.
        limits: what is kept of outputs, and how long the sandbox waits.
    """

    image: str = "superboard-sandbox"
    engine: str | None = None
    address: str | None = None
    publish_on: str = "127.0.0.1"
    network: str = "none"
    memory: int = 4096 * MEGABYTE
    shared_memory: int = 1024 * MEGABYTE
    cpus: float = 2.0
    pids: int = 512
    capabilities: tuple[str, ...] = APT_AND_PIP
    environment: Mapping[str, str] = field(default_factory=dict)
    log_bytes: int = MEGABYTE
    alone_seconds: float = 120.0
    engine_seconds: float = 20.0
    folder: Path | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def root(self) -> Path:
        return self.folder or Path(tempfile.gettempdir()) / "superboard"


@dataclass(frozen=True, slots=True)
class Labels:
    """Who owns a container: the installation, the run, and the job of the run."""

    owner: str
    run: str
    job: str

    def as_dict(self) -> dict[str, str]:
        return {OWNER: self.owner, RUN: self.run, JOB: self.job}


@contextlib.contextmanager
def sandbox_error(problem: str) -> Iterator[None]:
    """Raises errors of the engine as a SandboxError: the problem, and what the engine says."""
    try:
        yield
    except ENGINE_ERRORS as error:
        raise SandboxError(f"{problem}: {error}") from error


def connect(config: DockerConfig) -> Any:
    """A client of an engine that answers. The caller closes it.

    Raises:
        SandboxError: no engine answers.
    """
    with sandbox_error("the Docker engine could not be reached; start it, or set DOCKER_HOST to where it is"):
        if config.engine:
            client = docker.DockerClient(base_url=config.engine, timeout=config.engine_seconds)
        else:
            client = docker.from_env(timeout=config.engine_seconds)
        client.ping()
    return client


def ended_by_engine(client: Any, container: str) -> bool:
    """Whether the engine sent the signal that ended a container, or has been restarted since.

    An engine records each signal that it sends, sometimes a moment after the container's end, and each end
    that it saw. It forgets both when it restarts.
    """
    try:
        # Until now by the engine's clock, so that it answers at once.
        now = datetime.fromisoformat(client.info()["SystemTime"]).timestamp()
        filters = {"container": container, "event": ["kill", "die"]}
        events = client.events(since=0, until=f"{now:.6f}", filters=filters, decode=True)
        actions = {event["Action"] for event in events}
    except ENGINE_ERRORS:
        return True
    return "kill" in actions or "die" not in actions


def remove_orphans(
    client: Any, live: set[str], *, owner: str, config: DockerConfig, older_than: float = 60.0
) -> list[str]:
    """Removes the owner's containers, networks and folders that no live job owns; returns their names.

    ``live`` has the labels of the jobs that may have a sandbox. What is younger than ``older_than`` seconds
    stays: it may belong to a job that started after ``live`` was read.

    Raises:
        SandboxError: the engine did not answer.
    """
    before = datetime.now(UTC) - timedelta(seconds=older_than)
    ours = {"label": f"{OWNER}={owner}"}
    removed: list[str] = []
    with sandbox_error("the Docker engine could not list its containers"):
        containers = client.api.containers(all=True, filters=ours)
        networks = client.api.networks(filters=ours)
    for found in containers + networks:
        if not _is_orphan(found["Labels"], live) or _created(found) > before:
            continue
        kind = "container" if "Names" in found else "network"
        with sandbox_error(f"the Docker engine could not remove a {kind}"), contextlib.suppress(NotFound):
            if kind == "container":
                client.api.remove_container(found["Id"], force=True, v=True)
                removed.append(found["Names"][0].lstrip("/"))
            else:
                client.api.remove_network(found["Id"])
                removed.append(found["Name"])
    return removed + list(_remove_folders(config.root, live, owner, before))


def mark_folder(folder: Path, labels: Labels) -> None:
    """Writes a file into a sandbox's folder that says who owns it."""
    (folder / "owner.json").write_text(json.dumps(labels.as_dict()))


def _remove_folders(root: Path, live: set[str], owner: str, before: datetime) -> Iterable[str]:
    for mark in root.glob("*/owner.json"):
        with contextlib.suppress(OSError, ValueError):
            labels = json.loads(mark.read_text())
            changed = datetime.fromtimestamp(mark.stat().st_mtime, UTC)
            if labels[OWNER] == owner and _is_orphan(labels, live) and changed <= before:
                shutil.rmtree(mark.parent, ignore_errors=True)
                yield mark.parent.name


def _is_orphan(labels: Mapping[str, str], live: set[str]) -> bool:
    return JOB in labels and labels[JOB] not in live


def _created(found: Mapping[str, Any]) -> datetime:
    created = found["Created"]
    if isinstance(created, int):
        return datetime.fromtimestamp(created, UTC)
    # datetime does not accept nanoseconds; whole seconds are enough.
    return datetime.fromisoformat(created[:19]).replace(tzinfo=UTC)
