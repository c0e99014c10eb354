"""The files of an HTML form as one upload: a single file unchanged, several packed into a tar."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO, Any, Self

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from leaderboard.domain.errors import InputError, Problem
from leaderboard.uploads.storage import make_private

CHUNK = 1 << 18


class Bundle:
    """One file to upload, made from a form's files; a context manager that removes its temporary file.

    Raises:
        InputError: on entry, if the form has no file.
    """

    def __init__(self, files: list[UploadedFile[Any]]) -> None:
        self._files = files
        self._tar: IO[bytes] | None = None
        self.name = ""
        self.size = 0

    def __enter__(self) -> Self:
        if not self._files:
            raise InputError(Problem("upload", "", "no file was picked", "pick an archive or files"))
        first = self._files[0]
        self.name, self.size = first.name or "", first.size or 0
        if len(self._files) > 1:
            self._tar = tempfile.TemporaryFile(dir=make_private(settings.SUPERBOARD_UPLOADS))
            with tarfile.open(fileobj=self._tar, mode="w") as archive:
                for file in self._files:
                    member = tarfile.TarInfo(file.name or "file")
                    member.size = file.size or 0
                    archive.addfile(member, file.file)
            self.name, self.size = "files.tar", self._tar.tell()
            self._tar.seek(0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tar:
            self._tar.close()

    def chunks(self) -> Iterator[bytes]:
        """Its content, in chunks."""
        if self._tar is None:
            yield from self._files[0].chunks()
            return
        while chunk := self._tar.read(CHUNK):
            yield chunk
