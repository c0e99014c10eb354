"""The Docker engine: how it is reached, what its errors mean, and what of ours is left on it."""

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
from runner.words import Template, Value
from runner.words import gettext_noop as _

ENGINE_ERRORS = (DockerException, RequestException, OSError)
OWNER, RUN, UNIT = "superboard.owner", "superboard.run", "superboard.unit"
MEGABYTE = 1024 * 1024

APT_AND_PIP = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
"""The capabilities without which neither apt nor a program that changes its user works."""


@dataclass(frozen=True, slots=True)
class DockerConfig:
    """How containers are made.

    Attributes:
        image: name of the image that deploy/sandbox/Dockerfile makes.
        engine: the engine's URL; None for what the DOCKER_HOST variable says, or else this machine's.
        address: the host name of a remote engine, where the ports of its containers can be reached; None
            for an engine on this machine, which is reached through files.
        publish_on: the remote engine's own address that the ports are bound to.
        network: "none", or the name of a network that exists on the engine.
        memory, shared_memory: in bytes; there is no swap beyond ``memory``, and the second counts as part.
        cpus: at most as many as there are.
        pids: processes and threads at one time.
        capabilities: what is given back to root inside; all others are dropped.
        environment: all variables beside the image's own.
        log_bytes: kept of what the container itself prints.
        alone_seconds: after which a container whose owner is silent ends itself.
        engine_seconds: how long an answer of the engine is waited for.
        folder: where each sandbox makes its folder on this machine; None for the system's temporary one.
            Keep it short: a socket's path has at most 107 bytes.
        limits: what is kept of outputs, and how long the sandbox is patient.
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
        """The folder of all sandboxes' folders."""
        return self.folder or Path(tempfile.gettempdir()) / "superboard"


@dataclass(frozen=True, slots=True)
class Labels:
    """Whose a container is: the installation, its run, and the unit of that run."""

    owner: str
    run: str
    unit: str

    def as_dict(self) -> dict[str, str]:
        """As the engine keeps them."""
        return {OWNER: self.owner, RUN: self.run, UNIT: self.unit}


@contextlib.contextmanager
def translated(template: Template, **values: Value) -> Iterator[None]:
    """Raises a SandboxError of ``template``, which has a ``detail``, however an engine may fail."""
    try:
        yield
    except ENGINE_ERRORS as error:
        raise SandboxError(template, detail=str(error), **values) from error


def connect(config: DockerConfig) -> Any:
    """A client of the engine, checked to answer; the caller closes it.

    Raises:
        SandboxError: no engine answers.
    """
    with translated(
        _("the Docker engine could not be reached; start it, or set DOCKER_HOST to where it is: {detail}")
    ):
        if config.engine:
            client = docker.DockerClient(base_url=config.engine, timeout=config.engine_seconds)
        else:
            client = docker.from_env(timeout=config.engine_seconds)
        client.ping()
    return client


def remove_orphans(
    client: Any, live: set[str], *, owner: str, config: DockerConfig, older_than: float = 60.0
) -> list[str]:
    """Removes this installation's containers, networks and folders that no live unit owns.

    Args:
        client: of the engine that ``config`` names.
        live: ids of the units that may have a sandbox.
        owner: only what is labelled with it is looked at.
        config: says where the folders are.
        older_than: in seconds; what is younger may belong to a unit that began after ``live`` was read.

    Returns:
        Names of what was removed.

    Raises:
        SandboxError: the engine did not answer.
    """
    before = datetime.now(UTC) - timedelta(seconds=older_than)
    ours = {"label": f"{OWNER}={owner}"}
    removed: list[str] = []
    with translated(_("the Docker engine could not say which containers there are: {detail}")):
        containers = client.api.containers(all=True, filters=ours)
        networks = client.api.networks(filters=ours)
    for found in containers:
        if _is_orphan(found["Labels"], live) and datetime.fromtimestamp(found["Created"], UTC) <= before:
            with (
                translated(_("the Docker engine could not remove a container: {detail}")),
                contextlib.suppress(NotFound),
            ):
                client.api.remove_container(found["Id"], force=True, v=True)
                removed.append(found["Names"][0].lstrip("/"))
    for found in networks:
        if _is_orphan(found["Labels"], live) and _moment(found["Created"]) <= before:
            with (
                translated(_("the Docker engine could not remove a network: {detail}")),
                contextlib.suppress(NotFound),
            ):
                client.api.remove_network(found["Id"])
                removed.append(found["Name"])
    return removed + list(_remove_folders(config.root, live, owner, before))


def mark_folder(folder: Path, labels: Labels) -> None:
    """Writes down whose a sandbox's folder is."""
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
    return UNIT in labels and labels[UNIT] not in live


def _moment(text: str) -> datetime:
    # Nanoseconds are more than datetime takes; seconds are enough.
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
