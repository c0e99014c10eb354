"""Load the bundled data: SUPER's catalogue and published figures, our benchmarks and their recordings."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.names import ensure_entry
from leaderboard.formats.run_folder import read_metadata
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.models import Benchmark, TaskSet
from leaderboard.operating.imports import import_run


def load_fixtures(root: Path, *, say: Callable[[str], None]) -> None:
    """Load everything under ``root``. Idempotent. ``say`` gets a line for each part."""
    super_benchmark = _load_benchmark(root / "super", say)
    for path in sorted((root / "super" / "results").glob("*.json")):
        _load_results(super_benchmark, path, say)
    warm_up = _load_benchmark(root / "warmup", say)
    for folder in sorted((root / "warmup" / "runs").iterdir()):
        _load_recordings(warm_up.task_sets.get(), [folder], say)
    papers = _load_benchmark(root / "papers", say)
    for task_set in papers.task_sets.all():
        for folder in sorted((root / "papers" / "runs").glob(f"*/{task_set.slug}")):
            _load_recordings(task_set, sorted(folder.iterdir()), say)


def _load_benchmark(folder: Path, say: Callable[[str], None]) -> Benchmark:
    benchmark = save_benchmark(json.loads((folder / "benchmark.json").read_text(encoding="utf-8")))
    task_sets = {task_set.slug: task_set for task_set in benchmark.task_sets.all()}
    only_set = next(iter(task_sets)) if len(task_sets) == 1 else None
    by_set: dict[str, list[TaskSpec]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for slug, spec in read_tasks(path, set_name=only_set).tasks:
            by_set[slug].append(spec)
    for slug, specs in by_set.items():
        import_tasks(task_sets[slug], specs)
    say(f"{benchmark}: {sum(map(len, by_set.values()))} tasks in {len(by_set)} task sets")
    return benchmark


def _load_results(benchmark: Benchmark, path: Path, say: Callable[[str], None]) -> None:
    """Record an entry's reported scores, task by task; its trajectories are not in the repository."""
    record = json.loads(path.read_text(encoding="utf-8"))
    task_set: TaskSet = benchmark.task_sets.get(slug=record["set"].rpartition("/")[2])
    entry = ensure_entry(
        task_set=task_set,
        agent=record["agent"],
        model=record["model"],
        origin=record["source"],
        origin_url=record["source_url"],
    )
    tasks = {task.task_id: task for task in task_set.tasks.all()}
    for task_id, values in record["scores"].items():
        reported = dict(zip(record["metrics"], values, strict=True))
        record_attempt(entry=entry, task=tasks[task_id], number=1, reported=reported)
    refresh_figures(task_set, [entry])
    say(f"{entry}: reported scores of {len(record['scores'])} attempts")


def _load_recordings(task_set: TaskSet, folders: Sequence[Path], say: Callable[[str], None]) -> None:
    """Import an agent's recorded attempts: a folder for the first at each task, one for the second, and on.

    The metadata.json in each task's folder names the agent and its model.
    """
    metadata_path = next(folders[0].glob("*/metadata.json"))
    args = read_metadata(metadata_path.read_bytes(), name=metadata_path.name).args
    count = 0
    for number, folder in enumerate(folders, start=1):
        report = import_run(
            folder,
            task_set=task_set,
            agent=args["agent"],
            model=args["model"],
            number=number,
            origin="Superboard, which ships with it",
            workers=1,
        )
        for problem in report.problems:
            say(str(problem))
        count += len(report.added) + len(report.changed) + len(report.unchanged)
    say(f"{args['agent']} · {args['model']}: {count} recorded attempts at {task_set.key}")
