"""The published runs, where they are at hand, and the figures that must come out of them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.core.management import call_command

from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.models import TaskSet

PUBLISHED: Final = settings.BASE_DIR.parent / "shared" / "published"
MODEL: Final = "gpt-4o-2024-08-06"
REACT, SWE = "ReAct-SUPER", "SWE-Agent"
FOLDERS: Final = {
    (REACT, "expert"): f"{MODEL}_react-super_expert",
    (SWE, "expert"): f"{MODEL}_swe-agent_expert",
    (REACT, "masked"): f"{MODEL}_react-super_masked",
    (SWE, "masked"): f"{MODEL}_swe-agent_masked",
}
OVERALL: Final = ("accuracy", "landmarks", "script_executed", "submitted")
# The published table says 41.2 for ReAct-SUPER's Masked accuracy: 59.25 of 144 tasks is 41.1458…, which it
# rounded to 41.15 first. Rounded once it is 41.1.
FIGURES: Final = {
    (REACT, "expert"): [("14.4", 45), ("46.3", 45), ("32.5", 40), ("42.2", 45)],
    (SWE, "expert"): [("16.7", 45), ("33.8", 45), ("20.0", 40), ("24.4", 45)],
    (REACT, "masked"): [("41.1", 144), ("71.6", 144), ("65.7", 143), ("65.3", 144)],
    (SWE, "masked"): [("45.2", 144), ("73.5", 144), ("69.2", 143), ("66.0", 144)],
}
BY_CATEGORY: Final = {
    "dependency": (31, {REACT: ("48.9", "69.4"), SWE: ("54.0", "72.0")}),
    "data": (36, {REACT: ("23.6", "70.6"), SWE: ("30.2", "66.6")}),
    "cpu": (13, {REACT: ("69.2", "73.1"), SWE: ("61.5", "79.5")}),
    "issue": (13, {REACT: ("50.0", "76.9"), SWE: ("57.7", "76.9")}),
    "goal": (37, {REACT: ("44.4", "72.6"), SWE: ("46.8", "80.2")}),
    "configuration": (18, {REACT: ("31.5", "66.2"), SWE: ("34.3", "69.4")}),
}
NEEDS_THEM: Final = [
    pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published runs are not at hand"),
    pytest.mark.xdist_group("published"),
]


def boards() -> dict[str, dict[str, Any]]:
    """Each agent's figures by task set, as the leaderboard command prints them."""
    found = {}
    for task_set in ("masked", "expert"):
        out = io.StringIO()
        call_command("leaderboard", "--set", task_set, "--scorer", "board", "--json", stdout=out)
        entries = json.loads(out.getvalue())["entries"]
        found[task_set] = {entry["agent"]: entry["figures"] for entry in entries}
    return found


def check_figures(found: dict[str, dict[str, Any]]) -> None:
    """Check that `boards` gave what was published, overall and by category, each with its number of tasks."""
    for (agent, task_set), expected in FIGURES.items():
        figures = found[task_set][agent]
        assert [(figures[metric]["percent"], figures[metric]["tasks"]) for metric in OVERALL] == expected
    for category, (tasks, by_agent) in BY_CATEGORY.items():
        for agent, percents in by_agent.items():
            figures = found["masked"][agent]
            cells = [figures[f"{metric}:{category}"] for metric in ("accuracy", "landmarks")]
            assert [(cell["percent"], cell["tasks"]) for cell in cells] == [
                (each, tasks) for each in percents
            ]


def load_catalogue() -> None:
    """SUPER's tasks, and no entry: the names of the published ones are free."""
    folder = settings.BASE_DIR / "fixtures" / "super"
    benchmark = save_benchmark(json.loads((folder / "benchmark.json").read_text(encoding="utf-8")))
    tasks = read_tasks(folder / "tasks.jsonl", sets=("masked", "expert")).tasks
    for task_set in TaskSet.objects.filter(benchmark=benchmark):
        import_tasks(task_set, [spec for slug, spec in tasks if slug == task_set.slug])


def folders_of(*task_sets: str) -> dict[tuple[str, str], str]:
    """Those of ``FOLDERS`` on these task sets; all without one."""
    return {key: name for key, name in FOLDERS.items() if not task_sets or key[1] in task_sets}


def pack_published(target: Path, *task_sets: str) -> Path:
    """The runs on these task sets, or all four, in one zip: each with a description, below one for all."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("entry.yaml", f"benchmark: super\nmodel: {MODEL}\n")
        for (agent, task_set), name in folders_of(*task_sets).items():
            archive.writestr(f"{name}/entry.yaml", f"agent: {agent}\nset: {task_set}\n")
            for path in sorted((PUBLISHED / name).rglob("*.*")):
                archive.write(path, path.relative_to(PUBLISHED))
    return target
