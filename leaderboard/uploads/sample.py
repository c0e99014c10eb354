"""The sample report: what the check wrote about a small archive (tests/uploads/sample.py)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from leaderboard.models import Upload, UploadedFile

SAMPLE: Final = Path(__file__).with_name("sample_report.json")


def sample_report() -> tuple[Upload, list[UploadedFile]]:
    """An upload and the lines of its report, which are in no table."""
    report = _read()
    lines = [
        UploadedFile(
            name=file["name"],
            sample=file["sample"],
            size=file["size"],
            verdict=file["verdict"],
            format=file["format"],
            task_id=file["task"],
            number=file["attempt"],
            matched_by=file["matched_by"],
            problems=json.dumps(file["findings"]),
        )
        for file in report["files"]
    ]
    return Upload(name=report["name"], summary=report["totals"], problems=report["findings"]), lines


@cache
def _read() -> dict[str, Any]:
    report: dict[str, Any] = json.loads(SAMPLE.read_text("utf-8"))
    return report
