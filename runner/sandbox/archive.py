"""Reads and writes files of a container by the engine's archive calls, without a program inside."""

from __future__ import annotations

import base64
import io
import json
import tarfile
import time
from pathlib import PurePosixPath
from typing import Any

from docker.errors import NotFound

from runner.sandbox.base import SandboxError
from runner.sandbox.engine import sandbox_error

# Go's bits for the type of a file.
DIRECTORY, SYMLINK = 1 << 31, 1 << 27
NO_FILE = DIRECTORY | SYMLINK | 1 << 26 | 1 << 25 | 1 << 24 | 1 << 21 | 1 << 19
LONGEST_NAME = 4096
TAR_OVERHEAD = 64_000


class Archive:
    """The files of one container, which may have stopped."""

    def __init__(self, client: Any, container: str) -> None:
        self._api = client.api
        self._container = container

    def resolve(self, root: PurePosixPath, name: str) -> PurePosixPath:
        """The path of a name relative to ``root``, with all links followed. It need not exist.

        Raises:
            SandboxError: it leads out of ``root``, or is not a file name.
        """
        if "\0" in name or len(name) > LONGEST_NAME:
            raise SandboxError("that is not a file name")
        path = root
        about: dict[str, Any] | None = {"mode": DIRECTORY}
        for part in PurePosixPath(name).parts:
            if about and not about["mode"] & (DIRECTORY | SYMLINK):
                raise SandboxError(f"{name} leads through something that is not a folder")
            path = path.parent if part == ".." else path / part
            about = self._stat(path)
            if about and about["mode"] & SYMLINK:
                path = PurePosixPath(about["linkTarget"])
        if not path.is_relative_to(root):
            raise SandboxError(f"{name} is not in the working folder")
        return path

    def write(self, folder: PurePosixPath, path: PurePosixPath, data: bytes, mode: int = 0o644) -> None:
        """Writes a file, and makes the folders between ``folder``, which must exist, and it.

        Raises:
            SandboxError: the path is not a regular file, or the engine fails.
        """
        about = self._stat(path)
        if about and about["mode"] & NO_FILE:
            raise SandboxError(f"{path} is not a file")
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size, member.mode, member.mtime = len(data), mode, int(time.time())
            tar.addfile(member, io.BytesIO(data))
        with sandbox_error(f"the Docker engine could not write {path}"):
            self._api.put_archive(self._container, str(folder), packed.getvalue())

    def read(self, path: PurePosixPath, limit: int) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: no such file.
            SandboxError: it is not a regular file, has more bytes than ``limit``, or the engine fails.
        """
        about = self._stat(path)
        if not about:
            raise FileNotFoundError(str(path))
        if about["mode"] & NO_FILE:
            raise SandboxError(f"{path} is not a file")
        too_large = SandboxError(f"{path} has more bytes than the limit of {limit:,}")
        if about["size"] > limit:
            raise too_large
        packed = io.BytesIO()
        with sandbox_error(f"the Docker engine could not read {path}"):
            try:
                chunks, _about = self._api.get_archive(self._container, str(path))
            except NotFound as error:
                raise FileNotFoundError(str(path)) from error
            for chunk in chunks:
                packed.write(chunk)
                # The file may grow while it is read.
                if packed.tell() > limit + TAR_OVERHEAD:
                    raise too_large
        packed.seek(0)
        with tarfile.open(fileobj=packed) as tar:
            member = tar.next()
            file = tar.extractfile(member) if member and member.isfile() else None
            if not file:
                raise SandboxError(f"{path} is not a file")
            data = file.read(limit + 1)
        if len(data) > limit:
            raise too_large
        return data

    def _stat(self, path: PurePosixPath) -> dict[str, Any] | None:
        """What the engine says about a path, of a link itself; None where nothing exists."""
        url = f"{self._api.base_url}/v{self._api.api_version}/containers/{self._container}/archive"
        with sandbox_error(f"the Docker engine could not look for {path}"):
            answer = self._api.head(url, params={"path": str(path)}, timeout=self._api.timeout)
            if answer.status_code == 404:
                # A missing container gives 404 too; then this raises.
                self._api.inspect_container(self._container)
                return None
        said = answer.headers.get("X-Docker-Container-Path-Stat")
        if not said:
            raise SandboxError(f"the Docker engine could not look for {path}: status {answer.status_code}")
        about: dict[str, Any] = json.loads(base64.b64decode(said))
        return about
