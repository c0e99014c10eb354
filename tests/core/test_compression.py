"""Blobs and compressed columns written by any encoder of zstd are read, whatever its frames' headers say."""

from __future__ import annotations

import base64
import hashlib

import pytest
from backports import zstd
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.http import FileResponse

from leaderboard.core import blobs
from leaderboard.models.fields import CompressedTextField
from leaderboard.pipeline import pack

CONTENT = b"cet\n" * 100 + "déjà vu\n".encode() * 3
FRAMES = {
    "zstandard 0.25, level 3": "KLUv/WCuALUAAGhjZXQKZMOpasOgIHZ1AgAt30lcdUQ=",
    "level 19": "KLUv/WCuAL0AAHBjZXQKZMOpasOgIHZ1CgIALTRKpF4i",
    "without its size": "KLUv/QAAtQAAaGNldApkw6lqw6AgdnUCAC3fSVx1RA==",
    "with a checksum": "KLUv/WSuALUAAGhjZXQKZMOpasOgIHZ1AgAt30lcdUTGw3sP",
    "a stream": "KLUv/QBYtQAAaGNldApkw6lqw6AgdnUCAC3fSVx1RA==",
}
"""``CONTENT``, compressed by the library that wrote them before this one."""


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_column_written_by_another_encoder_is_read(frame: str) -> None:
    packed = base64.b64decode(frame)

    assert CompressedTextField().from_db_value(packed, None, connection) == CONTENT.decode()


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_blob_written_by_another_encoder_is_read(frame: str) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    default_storage.save(f"blobs/{digest[:2]}/{digest}.zst", ContentFile(base64.b64decode(frame)))

    assert blobs.read(digest) == CONTENT


@pytest.mark.parametrize("options", [{}, {zstd.CompressionParameter.content_size_flag: 0}])
def test_a_large_column_is_read_whole(options: dict[int, int]) -> None:
    text = "".join(f"{n * n:x}\n" for n in range(200_000))
    packed = zstd.compress(text.encode(), options=options)
    assert len(packed) > 1 << 18

    assert CompressedTextField().from_db_value(packed, None, connection) == text


@pytest.mark.parametrize("lines", [10, 200_000])
def test_a_column_that_was_cut_off_is_an_error(lines: int) -> None:
    packed = zstd.compress("".join(f"{n * n:x}\n" for n in range(lines)).encode())[:-3]

    with pytest.raises(zstd.ZstdError):
        CompressedTextField().from_db_value(packed, None, connection)


def test_a_response_takes_no_length_from_a_compressed_blob() -> None:
    packed = pack(CONTENT)
    blobs.store(packed)

    with blobs.open_blob(packed.digest) as reader:
        response = FileResponse(reader)

        assert "Content-Length" not in response.headers
        assert b"".join(response) == CONTENT
