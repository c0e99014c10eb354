"""What the shipped catalogue has to say; `python -m tests.intake.shipped` writes it from the fixtures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
CATALOGUE = ROOT / "leaderboard/intake/catalogue.json"


def sets_of_fixtures() -> dict[str, dict[str, Any]]:
    """What the catalogue says of each task set, from every benchmark under fixtures/."""
    sets: dict[str, dict[str, Any]] = {}
    for folder in sorted((ROOT / "fixtures").iterdir()):
        benchmark = json.loads((folder / "benchmark.json").read_text())
        only = benchmark["task_sets"][0]["slug"]
        for line in (folder / "tasks.jsonl").read_text().splitlines():
            task = json.loads(line)
            key = f"{benchmark['slug']}/{task.get('set', only)}"
            about = {name: benchmark[name] for name in ("max_attempts", "scoring")}
            known = sets.setdefault(key, {**about, "tasks": []})
            known["tasks"].append(task["task_id"])
    return sets


if __name__ == "__main__":
    CATALOGUE.write_text(json.dumps(sets_of_fixtures(), indent=1) + "\n")
