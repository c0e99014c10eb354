"""A sandbox in a Docker container, reached by sockets in a shared folder, or by TCP.

docs/sandbox.md says what it isolates and what it does not.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

import zmq
from docker.errors import ImageNotFound, NotFound
from docker.types import LogConfig, Mount

from runner.sandbox.archive import Archive
from runner.sandbox.base import SandboxError
from runner.sandbox.channels import PORTS, Channels, Connection, ipc_connection
from runner.sandbox.engine import (
    ENGINE_ERRORS,
    MEGABYTE,
    DockerConfig,
    Labels,
    connect,
    ended_by_engine,
    mark_folder,
    sandbox_error,
)
from runner.sandbox.inside.superboard_entry import ALONE
from runner.sandbox.kernel import KernelSandbox, Wire
from runner.sandbox.lifeline import Lifeline

WORKING_FOLDER = PurePosixPath("/workspace")
SOCKETS = PurePosixPath("/run/superboard")
OURS_INSIDE = PurePosixPath("/opt/superboard")
CONNECTION_FILE = OURS_INSIDE / "connection.json"
TCP_PORTS = dict(zip(PORTS, range(55_551, 55_551 + len(PORTS)), strict=True))
SOCKET_PATH_LIMIT = 107
KILLED = 137
ENDED_BY_AN_ENGINE = (143, KILLED)
"""Exit statuses of a container that its engine ended, by SIGTERM or SIGKILL. A cell can cause them too."""

logger = logging.getLogger(__name__)


class DockerSandbox(KernelSandbox):
    """A sandbox in one container. The engine is not used before ``start``."""

    _archive: Archive
    """Made by ``_launch``, so only used behind ``_open_wire``."""

    def __init__(self, config: DockerConfig, labels: Labels) -> None:
        super().__init__(config.limits)
        self._config = config
        self._labels = labels
        self._client: Any = None
        self._container: Any = None
        self._lifeline: Lifeline | None = None
        self._channels: Channels | None = None
        self._description: dict[str, Any] = {}

    @property
    def container_id(self) -> str:
        """The engine's id of the container; only after ``start``."""
        return str(self._container.id)

    def write_file(self, name: str, data: bytes) -> None:
        self._open_wire()
        self._archive.write(WORKING_FOLDER, self._archive.resolve(WORKING_FOLDER, name), data)

    def read_file(self, name: str) -> bytes:
        self._open_wire()
        return self._archive.read(self._archive.resolve(WORKING_FOLDER, name), self.limits.file)

    def describe(self) -> dict[str, Any]:
        self._open_wire()
        return self._description

    def _launch(self) -> Wire:
        config = self._config
        if config.address and config.network == "none":
            raise SandboxError("a remote engine's kernel is reached by TCP: name a network other than none")
        self._client = connect(config)
        with sandbox_error("the Docker engine could not describe itself"):
            image, engine = self._image(), self._client.info()
        self._make_folder()
        connection = self._connection()
        with sandbox_error("the Docker engine could not start a container"):
            self._container = self._client.containers.create(image.id, **self._options(engine["NCPU"]))
            self._archive = Archive(self._client, self._container.id)
            inside = connection | ({"ip": "*"} if config.address else {"ip": str(SOCKETS / "k")})
            self._archive.write(OURS_INSIDE, CONNECTION_FILE, json.dumps(inside).encode(), 0o600)
            self._container.start()
            self._lifeline = Lifeline(self._client, self._container.id, config.alone_seconds)
            if config.address:
                connection |= self._published()
        self._channels = Channels(connection)
        versions = self._channels.wait_until_ready(self.limits.start_seconds, self._death)
        self._description = self._describe(image, engine, versions)
        return self._channels

    def _death(self) -> str | None:
        lost = self._lifeline.lost_seconds() if self._lifeline else None
        if lost is None:
            return None
        try:
            self._container.reload()
        except NotFound:
            self._infrastructure = True
            return "its container was removed"
        except ENGINE_ERRORS:
            # If its restart ends the container, that has happened before its next answer.
            self._infrastructure = True
            return "the Docker engine does not answer" if lost > self._config.engine_seconds else None
        state = self._container.attrs["State"]
        if state["Running"]:
            self._infrastructure = False
            return None
        cause = self._cause(state)
        if not self._infrastructure and state["ExitCode"] in ENDED_BY_AN_ENGINE and not state["OOMKilled"]:
            self._infrastructure = ended_by_engine(self._client, self._container.id)
        return f"{cause}, which the Docker engine sent" if self._infrastructure else cause

    def _cause(self, state: dict[str, Any]) -> str:
        status = state["ExitCode"]
        if state["OOMKilled"] and status == KILLED:
            return f"out of memory: its limit is {self._config.memory // MEGABYTE} MB"
        if status == ALONE:
            return f"its container heard nothing from us for {self._config.alone_seconds:g} seconds"
        return f"it died of signal {status - 128}" if status > 128 else f"it ended with status {status}"

    def _ask_to_stop(self) -> None:
        if self._channels:
            self._channels.interrupt()

    def _kill(self) -> None:
        try:
            self._container.kill()
        except ENGINE_ERRORS as error:
            # It may have ended by itself; if not, ``close`` removes it.
            logger.info("A container could not be killed: %s", error)

    def _end(self) -> None:
        if self._container:
            try:
                self._container.remove(force=True, v=True)
            except NotFound:
                pass
            except ENGINE_ERRORS as error:
                # Without its owner it ends by itself, and remove_orphans removes it later.
                logger.warning("A container could not be removed: %s", error)
        if self._lifeline:
            self._lifeline.close()
        if self._channels:
            self._channels.close()
        if self._client:
            self._client.close()

    def _image(self) -> Any:
        try:
            return self._client.images.get(self._config.image)
        except ImageNotFound as error:
            reason = f"there is no image {self._config.image}; `make sandbox-image` builds it"
            raise SandboxError(reason) from error

    def _make_folder(self) -> None:
        self._config.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._private = Path(tempfile.mkdtemp(prefix="s", dir=self._config.root))
        mark_folder(self._private, self._labels)
        sockets = self._private / "k"
        sockets.mkdir()
        # The container's root lacks some capabilities, but must write here; the parent keeps others out.
        sockets.chmod(0o777)
        if len(os.fsencode(sockets / "k-1")) > SOCKET_PATH_LIMIT:
            raise SandboxError(f"{self._config.root} is too long for sockets: name a shorter folder")

    def _connection(self) -> Connection:
        if not self._config.address:
            return ipc_connection(self._private_folder() / "k" / "k")
        public, secret = (key.decode() for key in zmq.curve_keypair())
        keys = {"curve_publickey": public, "curve_secretkey": secret}
        return ipc_connection("") | {"transport": "tcp", "ip": self._config.address} | keys | TCP_PORTS

    def _published(self) -> dict[str, int]:
        """The ports of the engine's host at which the kernel's ports are published."""
        self._container.reload()
        return {
            name: int(self._container.ports[f"{port}/tcp"][0]["HostPort"]) for name, port in TCP_PORTS.items()
        }

    def _options(self, cpus: int) -> dict[str, Any]:
        config = self._config
        options: dict[str, Any] = {
            "command": [str(CONNECTION_FILE), str(config.alone_seconds)],
            "labels": self._labels.as_dict(),
            "environment": dict(config.environment),
            "hostname": "sandbox",
            "working_dir": str(WORKING_FOLDER),
            "init": True,
            "stdin_open": True,
            "network": config.network,
            "mem_limit": config.memory,
            "memswap_limit": config.memory,
            "shm_size": config.shared_memory,
            "nano_cpus": int(min(config.cpus, cpus) * 1e9),
            "pids_limit": config.pids,
            "cap_drop": ["ALL"],
            "cap_add": list(config.capabilities),
            "security_opt": ["no-new-privileges"],
            "log_config": LogConfig(
                type=LogConfig.types.JSON, config={"max-size": str(config.log_bytes), "max-file": "1"}
            ),
        }
        if config.address:
            options["ports"] = {f"{port}/tcp": (config.publish_on, None) for port in TCP_PORTS.values()}
        else:
            options["mounts"] = [Mount(str(SOCKETS), str(self._private_folder() / "k"), type="bind")]
        return options

    def _describe(self, image: Any, engine: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
        config = self._config
        return {
            "kind": "docker",
            "image": config.image,
            "digest": image.id,
            **versions,
            "limits": {
                **asdict(self.limits),
                "memory": config.memory,
                "cpus": min(config.cpus, engine["NCPU"]),
                "pids": config.pids,
                "network": config.network,
                "capabilities": list(config.capabilities),
            },
            "hardware": {
                "architecture": engine["Architecture"],
                "system": f"{engine['OperatingSystem']} {engine['KernelVersion']}",
                "cpus": engine["NCPU"],
                "memory": engine["MemTotal"],
                "engine": engine["ServerVersion"],
            },
        }
