"""Whatever is sent: it is checked or refused in words, nothing else is raised, and nothing is left."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.domain.errors import InputError
from leaderboard.intake.archives import unpack
from leaderboard.intake.check import check_folder
from leaderboard.intake.destination import MEGABYTE, ArchiveLimits
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import Report
from tests.fuzzing import FUZZ, inputs
from tests.intake.folders import KNOWN_TASKS, write_file
from tests.intake.strategies import CONTENTS, damaged, tars, zips

LIMITS = ArchiveLimits(files=60, total_bytes=200_000, file_bytes=50_000, ratio=20, ratio_from=30_000, depth=6)


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
        known_tasks=KNOWN_TASKS,
        left_out=left_out,  # type: ignore[arg-type]
        reader=Reader(workers=1, max_bytes=MEGABYTE),
    )
    for finding in (*report.findings, *(found for line in report.files for found in line.findings)):
        assert finding.problem.file
        assert finding.problem.reason
    assert report.as_data()["totals"]
    return report


@settings(FUZZ, max_examples=inputs("zips"))
@given(damaged(zips()))
def test_any_zip_is_checked_or_refused(data: bytes) -> None:
    check(data)


@settings(FUZZ, max_examples=inputs("tars"))
@given(damaged(tars()))
def test_any_tar_is_checked_or_refused(data: bytes) -> None:
    check(data)


@settings(FUZZ, max_examples=inputs("bytes"))
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


@settings(FUZZ, max_examples=inputs("layouts"))
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
