"""Files in and out of a container, by the engine's archive calls: no program inside has to take part."""

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
from runner.sandbox.engine import translated
from runner.words import gettext_noop as _

# Go's bits for what a file is.
DIRECTORY, SYMLINK = 1 << 31, 1 << 27
NO_FILE = DIRECTORY | SYMLINK | 1 << 26 | 1 << 25 | 1 << 24 | 1 << 21 | 1 << 19
LONGEST_NAME = 4096
TAR_OVERHEAD = 64_000


class Archive:
    """The files of one container, also after it has stopped."""

    def __init__(self, client: Any, container: str) -> None:
        self._api = client.api
        self._container = container

    def resolve(self, root: PurePosixPath, name: str) -> PurePosixPath:
        """Where a name, seen from ``root``, leads after all links; it need not exist.

        Raises:
            SandboxError: it leads out of ``root``, or is no name.
        """
        if "\0" in name or len(name) > LONGEST_NAME:
            raise SandboxError(_("that is no file name"))
        path = root
        about: dict[str, Any] | None = {"mode": DIRECTORY}
        for part in PurePosixPath(name).parts:
            if about and not about["mode"] & (DIRECTORY | SYMLINK):
                raise SandboxError(_("{name} leads through something that is no folder"), name=name)
            path = path.parent if part == ".." else path / part
            about = self._stat(path)
            if about and about["mode"] & SYMLINK:
                path = PurePosixPath(about["linkTarget"])
        if not path.is_relative_to(root):
            raise SandboxError(_("{name} is not in the working folder"), name=name)
        return path

    def write(self, folder: PurePosixPath, path: PurePosixPath, data: bytes, mode: int = 0o644) -> None:
        """Writes a file below a folder that exists, with the folders between.

        Raises:
            SandboxError: there is something else of that name, or the engine fails.
        """
        about = self._stat(path)
        if about and about["mode"] & NO_FILE:
            raise SandboxError(_("{name} is not a file"), name=str(path))
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size, member.mode, member.mtime = len(data), mode, int(time.time())
            tar.addfile(member, io.BytesIO(data))
        with translated(_("the Docker engine could not write {name}: {detail}"), name=str(path)):
            self._api.put_archive(self._container, str(folder), packed.getvalue())

    def read(self, path: PurePosixPath, limit: int) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: there is none.
            SandboxError: it is something else, has more bytes than ``limit``, or the engine fails.
        """
        about = self._stat(path)
        if not about:
            raise FileNotFoundError(str(path))
        if about["mode"] & NO_FILE:
            raise SandboxError(_("{name} is not a file"), name=str(path))
        too_large = SandboxError(
            _("{name} has more bytes than the limit of {most}"), name=str(path), most=limit
        )
        if about["size"] > limit:
            raise too_large
        packed = io.BytesIO()
        with translated(_("the Docker engine could not read {name}: {detail}"), name=str(path)):
            try:
                chunks, _about = self._api.get_archive(self._container, str(path))
            except NotFound as error:
                raise FileNotFoundError(str(path)) from error
            for chunk in chunks:
                packed.write(chunk)
                # Not by the size it was said to have: it may be growing.
                if packed.tell() > limit + TAR_OVERHEAD:
                    raise too_large
        packed.seek(0)
        with tarfile.open(fileobj=packed) as tar:
            member = tar.next()
            file = tar.extractfile(member) if member and member.isfile() else None
            if not file:
                raise SandboxError(_("{name} is not a file"), name=str(path))
            data = file.read(limit + 1)
        if len(data) > limit:
            raise too_large
        return data

    def _stat(self, path: PurePosixPath) -> dict[str, Any] | None:
        """What the engine says of a path without following a link there; None where there is nothing."""
        url = f"{self._api.base_url}/v{self._api.api_version}/containers/{self._container}/archive"
        with translated(_("the Docker engine could not look for {name}: {detail}"), name=str(path)):
            answer = self._api.head(url, params={"path": str(path)}, timeout=self._api.timeout)
            if answer.status_code == 404:
                # So it answers too where there is no container any more; this raises then.
                self._api.inspect_container(self._container)
                return None
        said = answer.headers.get("X-Docker-Container-Path-Stat")
        if not said:
            raise SandboxError(
                _("the Docker engine could not look for {name}: status {status}"),
                name=str(path),
                status=answer.status_code,
            )
        about: dict[str, Any] = json.loads(base64.b64decode(said))
        return about
