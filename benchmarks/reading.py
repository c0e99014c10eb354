"""Reading a trajectory of about 5 MB in each format, against `json.loads` of the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO

from backports.zstd import zipfile

from benchmarks.made_files import MAKERS, Turn, json_lines, made_turns
from benchmarks.made_logs import LOG_MAKERS
from benchmarks.rendering import MEGABYTE
from benchmarks.table import Row
from benchmarks.timing import alternate
from leaderboard import formats

SIZE = 5 * MEGABYTE
BOUND = "at least half as fast: a ratio of 0.5"
RUNS = 5


def measure() -> list[Row]:
    """A row for each format, and one for a file of several attempts."""
    rows = [_row(name, *_made(make)) for name, make in {**MAKERS, **LOG_MAKERS}.items()]
    return [*rows, _row("JSON Lines, 100 attempts", *_made(json_lines))]


def _made(make: Callable[[list[Turn]], bytes]) -> tuple[bytes, list[bytes]]:
    """A file of the size, and the JSON documents in it; an archive is as large unpacked."""
    few = list(made_turns(100))
    size = sum(map(len, _documents(make(few))))
    data = make(list(made_turns(100 * SIZE // size)))
    return data, _documents(data)


def _documents(data: bytes) -> list[bytes]:
    if data.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return [archive.read(name) for name in archive.namelist()]
    return data.split(b"\n")


def _row(name: str, data: bytes, documents: list[bytes]) -> Row:
    ours, parsing = alternate(lambda: _read(data), lambda: _parse(documents), runs=RUNS)
    return Row(f"{name}, {sum(map(len, documents)) / MEGABYTE:.1f} MB", ours, parsing, "s", BOUND)


def _read(data: bytes) -> int:
    file = formats.open_file(data, name="made")
    return sum(len(file.read(sample.key).steps) for sample in file.samples)


def _parse(documents: list[bytes]) -> int:
    return sum(len(json.loads(document)) for document in documents)
