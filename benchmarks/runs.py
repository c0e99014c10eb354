"""The runs that benchmarks import: published ones where they lie beside the repository, else made here."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.temporary_site import ROOT, VAR, client
from leaderboard.models import Task

PUBLISHED = ROOT.parent / "shared" / "published"
AGENTS = {"react-super": "ReAct-SUPER", "swe-agent": "SWE-Agent"}
STEPS = 43
"""Steps of a made attempt: the published ones' median."""


class Run(NamedTuple):
    """A folder to import, and what for."""

    folder: Path
    task_set: str
    agent: str
    model: str


@cache
def find_runs() -> list[Run]:
    """Every run to import, its task sets' catalogue loaded."""
    client()
    folders = sorted(PUBLISHED.glob("*_expert")) + sorted(PUBLISHED.glob("*_masked"))
    published = [Run(folder, *_names(folder)) for folder in folders]
    return published or [_made(name) for name in ("one", "another")]


def _names(folder: Path) -> tuple[str, str, str]:
    model, agent, task_set = folder.name.split("_")
    return f"super/{task_set}", AGENTS[agent], model


def _made(name: str) -> Run:
    """An attempt at every Masked task, of the published ones' usual size."""
    folder = VAR / "runs" / name
    output = "".join(f"\x1b[32mepoch {n}\x1b[0m: loss {1 / (n + 1):.4f}\n" for n in range(120))
    steps = [
        {
            "thought": f"Step {n}: look at what the script says.",
            "action": {"type": "execute", "content": f"python train.py --seed {n}\nls results/{n}"},
            "observation": output,
        }
        for n in range(STEPS)
    ]
    history = json.dumps({"query": "Train and report the accuracy.", "history": steps})
    for task_id in Task.objects.filter(task_set__slug="masked").values_list("task_id", flat=True):
        (folder / task_id).mkdir(parents=True)
        (folder / task_id / "history.json").write_text(history, encoding="utf-8")
    return Run(folder, "super/masked", name, "made")
