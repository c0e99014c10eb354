"""Sending an archive and checking it, against importing the same folder with the command that people use."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

from benchmarks.imports import import_runs
from benchmarks.runs import Run, find_runs
from benchmarks.table import Row
from benchmarks.temporary_site import VAR
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Team, Upload
from leaderboard.services.checking import check_upload
from leaderboard.services.checks import claim_upload
from leaderboard.services.uploads import append_chunk, start_upload

PIECE = 4 << 20


def measure() -> list[Row]:
    imported = import_runs()
    archives = [_packed(run) for run in find_runs()]
    start = time.perf_counter()
    uploads = [_send(archive, run) for archive, run in zip(archives, find_runs(), strict=True)]
    sent = time.perf_counter() - start
    for _ in uploads:
        claim = claim_upload()
        assert claim
        assert check_upload(claim) is UploadState.CHECKED
    checked = time.perf_counter() - start
    attempts = sum(Upload.objects.get(pk=upload.pk).summary["attempts"] for upload in uploads)
    return [
        Row(
            f"sending and checking archives of {attempts} attempts, against importing their folders",
            checked,
            imported.seconds,
            "s",
            "at most 1.3 times as long: a ratio of 0.77",
        ),
        Row("of that, receiving the archives", sent, checked, "s", ""),
    ]


def _packed(run: Run) -> Path:
    path = VAR / f"{run.folder.name}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(run.folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(run.folder))
    return path


def _send(archive: Path, run: Run) -> Upload:
    team, _ = Team.objects.get_or_create(name="Benchmarks", slug="benchmarks")
    benchmark, _slash, task_set = run.task_set.partition("/")
    form = {"benchmark": benchmark, "set": task_set, "agent": run.agent, "model": run.model}
    size = archive.stat().st_size
    upload = start_upload(team=team, user=None, name=archive.name, size=size, form=form)
    with archive.open("rb") as content:
        return append_chunk(upload, offset=0, chunks=iter(lambda: content.read(PIECE), b""))
