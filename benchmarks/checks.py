"""All runs in one archive, validated by the client and checked by the site, against importing them."""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from functools import cache
from pathlib import Path

from benchmarks.imports import import_runs
from benchmarks.runs import find_runs
from benchmarks.table import Row
from benchmarks.temporary_site import ROOT, VAR
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Team, Upload
from leaderboard.uploads.check_writes import claim_upload
from leaderboard.uploads.checking import check_upload
from leaderboard.uploads.services import append_chunk, start_upload

PIECE = 4 << 20
BOUND = "at most 1.3 times as long: a ratio of 0.77"
VALIDATE = (sys.executable, "-c", "from leaderboard.client.main import main; main()", "validate")


def measure() -> list[Row]:
    imported = import_runs()
    archive = _archive()
    start = time.perf_counter()
    subprocess.run([*VALIDATE, archive], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - ours
    validated = time.perf_counter() - start
    start = time.perf_counter()
    upload = _send(archive)
    sent = time.perf_counter() - start
    while claim := claim_upload():
        assert check_upload(claim) is UploadState.CHECKED
    checked = time.perf_counter() - start
    attempts = sum(part.summary["attempts"] for part in upload.parts.all())
    size = archive.stat().st_size / 1_000_000
    return [
        Row(
            f"validate of one archive of {attempts} attempts, {size:.1f} MB, against importing their folders",
            validated,
            imported.seconds,
            "s",
            BOUND,
        ),
        Row("sending and checking it, against the same", checked, imported.seconds, "s", BOUND),
        Row("of that, receiving it", sent, checked, "s", ""),
    ]


@cache
def _archive() -> Path:
    """Every run in a folder of its own, with what is said of it."""
    path = VAR / "runs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for run in find_runs():
            benchmark, _slash, task_set = run.task_set.partition("/")
            said = {"benchmark": benchmark, "set": task_set, "agent": run.agent, "model": run.model}
            description = "".join(f"{key}: {word}\n" for key, word in said.items())
            archive.writestr(f"{run.folder.name}/entry.yaml", description)
            for file in sorted(run.folder.rglob("*.*")):
                archive.write(file, file.relative_to(run.folder.parent))
    return path


def _send(archive: Path) -> Upload:
    team, _ = Team.objects.get_or_create(name="Benchmarks", slug="benchmarks")
    size = archive.stat().st_size
    upload = start_upload(team=team, user=None, name=archive.name, size=size, form={})
    with archive.open("rb") as content:
        return append_chunk(upload, offset=0, chunks=iter(lambda: content.read(PIECE), b""))
