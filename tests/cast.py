"""Small benchmarks and runs of our own making: what the tests of services, commands and pages start from.

The cast: Solver answers rightly and passes the landmarks, Novice does neither; Rival is whoever else ranks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.names import ensure_entry
from leaderboard.formats.task_records import CATEGORIES
from leaderboard.models import Attempt, Entry, Revision, Task, TaskSet
from leaderboard.operating.imports import RunImport, import_run

SOLVER, NOVICE, RIVAL, MODEL = "Solver", "Novice", "Rival", "gpt-4o"
LONG_ENOUGH = {
    "execution_start_time": "2024-08-06 10:00:00.5",
    "execution_end_time": "2024-08-06 10:00:20.5",
}
PET = TaskSpec(
    task_id="pet",
    query="Train PET and report its loss.",
    gold={"loss": 0.5},
    landmarks=(r"epoch \d+", "never printed"),
    entrypoint="train.py",
    categories=("data",),
)
CET = TaskSpec(task_id="cet", gold={"f1": 0.25}, landmarks=("f1",), categories=("data", "cpu"))
DPT = TaskSpec(task_id="dpt", gold=3, categories=("goal",))


def make_set(*specs: TaskSpec, slug: str = "masked") -> TaskSet:
    """The task set ``slug`` of a benchmark called super, with these tasks."""
    benchmark = save_benchmark(
        {
            "slug": "super",
            "name": "SUPER",
            "summary": "",
            "url": "",
            "position": 0,
            "scoring": "super",
            "categories": [{"slug": slug, "name": slug.title()} for slug in CATEGORIES],
            "task_sets": [
                {"slug": name, "name": name.title(), "summary": "", "is_default": name == "masked"}
                for name in ("masked", "expert")
            ],
        }
    )
    task_set: TaskSet = benchmark.task_sets.get(slug=slug)
    import_tasks(task_set, specs)
    return task_set


def history(answer: Any = None, *, observation: str | None = "epoch 1\nloss 0.5", **fields: Any) -> Any:
    """A history.json: train.py runs for 20 seconds and prints ``observation``, then comes the answer."""
    train = {
        "thought": "Train it.",
        "action": {"type": "execute", "content": "!python train.py"},
        "observation": observation,
        **LONG_ENOUGH,
    }
    submit = {
        "thought": "Done.",
        "action": {"type": "submit", "content": answer},
        "observation": "submitted",
    }
    return {"query": PET.query, "history": [train, submit], **fields}


def unanswered() -> Any:
    """A history.json that breaks off before an answer."""
    told = history()
    return {**told, "history": told["history"][:1]}


def metrics(*values: float | None) -> dict[str, float | None]:
    """A metrics.json: accuracy, landmarks, script executed, submitted."""
    return dict(zip(("output_match", "checkpoints", "entrypoint", "submitted"), values, strict=False))


def add_attempt(run: Path, task_id: str, **files: Any) -> Path:
    """A task folder in a run's folder; ``history=…`` becomes history.json, bytes as they are."""
    folder = run / task_id
    folder.mkdir(parents=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / f"{name}.json").write_bytes(data)
    return folder


def bring_in(run: Path, task_set: TaskSet, agent: str = SOLVER, **options: Any) -> RunImport:
    """Import a run's folder in this process."""
    return import_run(run, task_set=task_set, agent=agent, model=MODEL, workers=1, **options)


def attempt_at(
    task_set: TaskSet, run: Path, answer: Any = None, agent: str = SOLVER, **fields: Any
) -> Attempt:
    """Import one attempt at the task pet, and give it back."""
    add_attempt(run, "pet", history=history({"loss": 0.5} if answer is None else answer, **fields))
    report = bring_in(run, task_set, agent)
    assert report.problems == []
    return Attempt.objects.get(entry__agent__name=agent, task__task_id="pet", task__task_set=task_set)


def report(
    task_set: TaskSet, agent: str, accuracies: Mapping[str, float | None], *, model: str = MODEL
) -> Entry:
    """An entry with reported accuracies by task id, and no trajectories."""
    entry = ensure_entry(task_set=task_set, agent=agent, model=model)
    tasks = {task.task_id: task for task in Task.objects.filter(task_set=task_set)}
    for task_id, value in accuracies.items():
        record_attempt(entry=entry, task=tasks[task_id], number=1, reported={"accuracy": value})
    refresh_figures(task_set, [entry])
    return entry


def all_rows(*, keys: bool = True) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of ours, to compare before and after; not the revision, which moves unseen."""
    rows = {
        model.__name__: list(model.objects.order_by("pk").values())  # type: ignore[attr-defined]
        for model in apps.get_app_config("leaderboard").get_models()
        if model is not Revision
    }
    if not keys:
        for table in rows.values():
            for row in table:
                row.pop("id", None)
    return rows


def stored_blobs() -> set[str]:
    """The names of all files in the blob store."""
    return {path.name for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()}
