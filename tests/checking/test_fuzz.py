"""Whatever is sent: it is checked or refused in words, nothing else is raised, and nothing is left."""

from __future__ import annotations

import gzip
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path

from backports import zstd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.checking.archives import unpack
from leaderboard.checking.folder import check_folder, read_all
from leaderboard.checking.limits import MEGABYTE, ArchiveLimits
from leaderboard.checking.report import Report
from leaderboard.domain.errors import InputError
from tests.checking.archives import Zip, file, sparse, special, tar
from tests.checking.folders import CATALOGUE, trajectory, write_file

LIMITS = ArchiveLimits(files=60, total_bytes=200_000, file_bytes=50_000, ratio=20, ratio_from=30_000, depth=6)
FUZZ = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(data: bytes) -> Report | None:
    """Send bytes down the whole way; the report, or None where they were refused whole."""
    with tempfile.TemporaryDirectory() as name:
        archive, around = Path(name, "upload"), Path(name, "around")
        around.mkdir()
        archive.write_bytes(data)
        into = around / "into"
        refusal = None
        try:
            left_out = unpack(archive, into, name="upload.zip", limits=LIMITS)
        except InputError as refused:
            refusal = refused.problem
        if refusal is None:
            assert list(around.iterdir()) == [into]
            return check_all(into, left_out)
        assert refusal.file
        assert refusal.reason
        assert list(around.iterdir()) == []
        return None


def check_all(folder: Path, left_out: tuple[object, ...] = ()) -> Report:
    report = check_folder(
        folder,
        name="upload.zip",
        catalogue=CATALOGUE,
        left_out=left_out,  # type: ignore[arg-type]
        read=lambda attempts: read_all(attempts, workers=1, max_bytes=MEGABYTE),
    )
    for finding in (*report.findings, *(found for line in report.files for found in line.findings)):
        assert finding.problem.file
        assert finding.problem.reason
    assert report.as_data()["totals"]
    return report


NAMES = st.one_of(
    st.sampled_from(
        ["cet/history.json", "cet.json", "CET/1.json", "amos/attempt_2/x.traj", "../x", "/x", "CON",
         "entry.yaml", "metrics.json", "cet/metrics.json", "cet/metadata.json", "output.jsonl", "x.eval", "",
         "__MACOSX/x", "cet", "a/b/c/d/e/f/g", "é.json", "e\u0301.json",
         "x" * 300, "a\\..\\b", ".", "\x1b[2J", "\u202e.json"]
    ),
    st.text(max_size=30),
)  # fmt: skip
CONTENTS = st.one_of(
    st.sampled_from(
        [trajectory(), trajectory("other", task_id="cet"), trajectory()[:40], b"{}", b"[]",
         b"", b'{"output_match": 7}', b'{"task": "cet"}', b'{"task": 3}', b"agent: [",
         b"a: &a [*a]", b"agent: A\nset: expert\n", b'{"trajectory": 3}',
         b'{"task_id": "cet", "answer": 1}\n{"task_id": "amos", "answer": 2}\n', b"\xff\xfe{",
         b"[" * 3000, b'{"nbformat": 4, "cells": {}}', Zip().add("header.json", b"{}").end(), bytes(60_000),
         bytes(40_000)]
    ),
    st.binary(max_size=200),
)  # fmt: skip
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}
SPECIALS = st.sampled_from([b"1", b"2", b"3", b"4", b"5", b"6", b"L", b"S", b"x", b"g", b"Z", b"\0"])


@st.composite
def zips(draw: st.DrawFn) -> bytes:
    archive = Zip()
    for _ in range(draw(st.integers(0, 6))):
        method = draw(st.sampled_from([0, 8, 93, 12]))
        honest = draw(st.booleans())
        name = draw(NAMES).encode("utf-8", "surrogatepass")
        archive.add(
            name,
            draw(CONTENTS),
            method=method,
            flags=draw(st.sampled_from([1 << 11, 0, 1 << 11 | 1])) if not honest else 1 << 11,
            mode=draw(st.sampled_from([0, 0o120777, 0o100644, 0o040755, 0o010644])),
            size=None if honest else draw(st.integers(0, 2**32 - 1)),
        )
    return archive.end()


@st.composite
def tars(draw: st.DrawFn) -> bytes:
    members = []
    for _ in range(draw(st.integers(0, 5))):
        name = draw(NAMES).encode("utf-8", "replace").decode().replace("\0", "?")
        if draw(st.integers(0, 3)):
            members.append(file(name, draw(CONTENTS)))
        else:
            members.append(special(name, draw(SPECIALS), "cet.json"))
    data = tar(*members)
    if draw(st.integers(0, 5)) == 0:
        offsets = draw(st.lists(st.integers(0, 2**31), max_size=4))
        data = sparse("cet.json", [(offset, b"x") for offset in offsets], draw(st.integers(0, 2**31)))
    return COMPRESSORS[draw(st.sampled_from(sorted(COMPRESSORS)))](data)


@st.composite
def damaged(draw: st.DrawFn, sound: st.SearchStrategy[bytes]) -> bytes:
    """An archive with some bytes changed, taken out or put in."""
    data = bytearray(draw(sound))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        kind = draw(st.sampled_from(["change", "cut", "put in", "end"]))
        if kind == "change" and data:
            data[at] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 600))]
        elif kind == "put in":
            data[at:at] = draw(st.binary(max_size=30))
        else:
            del data[at:]
    return bytes(data)


@settings(FUZZ, max_examples=1500)
@given(damaged(zips()))
def test_any_zip_is_checked_or_refused(data: bytes) -> None:
    check(data)


@settings(FUZZ, max_examples=1200)
@given(damaged(tars()))
def test_any_tar_is_checked_or_refused(data: bytes) -> None:
    check(data)


@settings(FUZZ, max_examples=300)
@given(st.binary(max_size=2_000))
def test_any_bytes_are_checked_or_refused(data: bytes) -> None:
    check(data)


SAFE = st.sampled_from(
    [
        "cet",
        "CET",
        "amos_goal",
        "amos",
        "conv-graph",
        "run_1",
        "run_2",
        "attempt_1",
        "attempt-2",
        "0",
        "cet_1",
        "x",
    ]
)
FILES = st.sampled_from(
    ["history.json", "history.ipynb", "metrics.json", "metadata.json", "cet.json", "amos_2.traj",
     "output.jsonl", "answers.json", "log.eval", "entry.yaml", "entry.json", "notes.txt", "1.json",
     "trajectory.json"]
)  # fmt: skip


@settings(FUZZ, max_examples=1000)
@given(st.lists(st.tuples(st.lists(SAFE, max_size=3), FILES, CONTENTS), max_size=8))
def test_any_layout_is_reported(files: list[tuple[list[str], str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        for folders, own, content in files:
            write_file(Path(name), "/".join((*folders, own)), content)

        report = check_all(Path(name))

    # Every file is in the report, or beside one that is.
    beside = {"metrics.json", "metadata.json"}
    missing = {"/".join((*folders, own)) for folders, own, _ in files if own not in beside}
    assert missing <= {line.name for line in report.files} or not report.task_set
