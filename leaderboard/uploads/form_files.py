"""The files of an HTML form as one upload: a single file unchanged, several packed into a tar."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.uploadedfile import UploadedFile

from leaderboard.domain.errors import InputError, Problem
from leaderboard.uploads.storage import make_private


@contextmanager
def bundled(files: list[UploadedFile[Any]]) -> Iterator[File[Any]]:
    """One file to upload, made from a form's files.

    Raises:
        InputError: the form has no file.
    """
    if not files:
        raise InputError(Problem("upload", "files", "no file was picked", "pick an archive or files"))
    if len(files) == 1:
        yield files[0]
        return
    with tempfile.TemporaryFile(dir=make_private(settings.SUPERBOARD_UPLOADS)) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for file in files:
                member = tarfile.TarInfo(file.name or "file")
                member.size = file.size or 0
                archive.addfile(member, file.file)
        bundle = File(packed, "files.tar")
        bundle.size = packed.tell()
        yield bundle
