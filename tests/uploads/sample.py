"""A small archive with what is often found wrong; `python -m tests.uploads.sample` stores its report."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from leaderboard.intake.check import check_folder
from leaderboard.intake.known_tasks import shipped_tasks
from leaderboard.intake.reader import Reader

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "leaderboard/uploads/sample_report.json"
RUN = ROOT / "fixtures/warmup/runs/scripted-expert"
ANSWERS = (
    '{"task_id": "marginette", "answer": {"accuracy": 0.75}}',
    '{"task_id": "pairwise-nli", "answer": "{\\"accuracy\\": 0.5}"}',
    '{"task_id": "stance-on-thread", "answer": {"accuracy": 0.',
)


def write_files(folder: Path) -> None:
    """The files of the archive."""
    for task in ("keygrain", "dialect-crumbs", "gloss-polarity"):
        shutil.copytree(RUN / task, folder / task)
    (folder / "keygrain/metrics.json").write_text('{"output_match": 1.0, "submitted": 1}')
    whole = (folder / "gloss-polarity/history.json").read_bytes()
    (folder / "gloss-polarity/history.json").write_bytes(whole[: len(whole) // 2])
    (folder / "answers.jsonl").write_text("\n".join(ANSWERS))
    (folder / "agent.log").write_text("started\n")
    (folder / "entry.yaml").write_text("benchmark: warm-up\nset: all\nagent: My agent\nmodel: some-model-1\n")


def sample_report() -> str:
    """The report on the archive, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        reader = Reader(workers=1)
        report = check_folder(Path(folder), name="results.zip", known_tasks=shipped_tasks(), reader=reader)
    return json.dumps(report.as_data(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SAMPLE.write_text(sample_report(), "utf-8")
