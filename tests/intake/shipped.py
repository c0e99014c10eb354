"""What the shipped catalogue has to say; `python -m tests.intake.shipped` writes it from the fixtures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leaderboard.domain.tasks import MAX_ATTEMPTS
from runner.execution.recording import read_tasks

ROOT = Path(__file__).parent.parent.parent
CATALOGUE = ROOT / "leaderboard/intake/catalogue.json"


def sets_of_fixtures() -> dict[str, dict[str, Any]]:
    """What the catalogue says of each task set, from every benchmark under fixtures/."""
    sets: dict[str, dict[str, Any]] = {}
    for folder in sorted((ROOT / "fixtures").iterdir()):
        benchmark = json.loads((folder / "benchmark.json").read_text())
        only = benchmark["task_sets"][0]["slug"]
        for task in (task for path in sorted(folder.glob("*.jsonl")) for task in read_tasks(path)):
            key = f"{benchmark['slug']}/{task.get('set', only)}"
            most = benchmark.get("max_attempts", MAX_ATTEMPTS)
            about = {"max_attempts": most, "scoring": benchmark["scoring"]}
            known = sets.setdefault(key, {**about, "tasks": []})
            known["tasks"].append(task["task_id"])
    return sets


if __name__ == "__main__":
    CATALOGUE.write_text(json.dumps(sets_of_fixtures(), indent=1) + "\n")
