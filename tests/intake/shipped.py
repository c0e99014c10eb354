"""What the shipped catalogue has to say; `python -m tests.intake.shipped` writes it from the fixtures."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CATALOGUE = ROOT / "leaderboard/intake/catalogue.json"


def ids_of_fixtures() -> dict[str, list[str]]:
    """Task ids by task set, from every benchmark under fixtures/."""
    sets: defaultdict[str, list[str]] = defaultdict(list)
    for folder in sorted((ROOT / "fixtures").iterdir()):
        benchmark = json.loads((folder / "benchmark.json").read_text())
        only = benchmark["task_sets"][0]["slug"]
        for line in (folder / "tasks.jsonl").read_text().splitlines():
            task = json.loads(line)
            sets[f"{benchmark['slug']}/{task.get('set', only)}"].append(task["task_id"])
    return dict(sets)


if __name__ == "__main__":
    CATALOGUE.write_text(json.dumps(ids_of_fixtures(), indent=1) + "\n")
