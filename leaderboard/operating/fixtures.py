"""Load the bundled benchmarks: a folder each, with its tasks, reported results and recorded attempts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.selectors import get_task_set, get_task_set_of_level
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.editing import describe_import
from leaderboard.entries.names import ensure_entry
from leaderboard.formats.run_folder import METADATA_NAME, read_metadata
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.intake.description import description_from_data
from leaderboard.models import Benchmark, TaskSet
from leaderboard.operating.imports import import_run


def load_fixtures(root: Path, *, say: Callable[[str], None]) -> None:
    """Load every benchmark under ``root``, ordered by its position. Idempotent. ``say`` gets a line a part.

    A benchmark is a folder with these files, of which only the first one has to be there::

        benchmark.json                           what `save_benchmark` takes
        *.jsonl                                  tasks; each names its set, unless there is only one
        results/*.json                           an entry's reported scores, and its description
        runs/<agent>/<task>/                     an agent's recorded attempts, if there is only one set
        runs/<agent>/<set>/attempt_<n>/<task>/   and if there are several

    Raises:
        InputError: a file is wrong; what was loaded before it stays.
    """
    read = ((path.parent, json.loads(path.read_text("utf-8"))) for path in root.glob("*/benchmark.json"))
    for folder, record in sorted(read, key=lambda each: (each[1].get("position", 0), each[0])):
        benchmark = save_benchmark(record)
        _load_tasks(benchmark, folder, say)
        for path in sorted(folder.glob("results/*.json")):
            _load_results(benchmark, path, say)
        for runs in sorted(folder.glob("runs/*/")):
            _load_recordings(benchmark, runs, say)


def _load_tasks(benchmark: Benchmark, folder: Path, say: Callable[[str], None]) -> None:
    by_set: dict[tuple[str, int | None], list[TaskSpec]] = defaultdict(list)
    sets = [task_set.slug for task_set in benchmark.task_sets.all()]
    for path in sorted(folder.glob("*.jsonl")):
        file = read_tasks(path, sets=sets, set_name=_only_set(benchmark))
        for slug, spec in file.tasks:
            by_set[slug, file.level].append(spec)
    for (slug, level), specs in by_set.items():
        import_tasks(_set_of(benchmark, slug, level), specs)
    say(f"{benchmark}: {sum(map(len, by_set.values()))} tasks in {len(by_set)} task sets")


def _only_set(benchmark: Benchmark) -> str | None:
    """The slug of a benchmark's task set, if it has one only."""
    slugs = [task_set.slug for task_set in benchmark.task_sets.all()]
    return slugs[0] if len(slugs) == 1 else None


def _set_of(benchmark: Benchmark, slug: str, level: int | None = None) -> TaskSet:
    if not slug and level is not None:
        return get_task_set_of_level(benchmark.slug, level)
    return get_task_set(f"{benchmark.slug}/{slug}")


def _load_results(benchmark: Benchmark, path: Path, say: Callable[[str], None]) -> None:
    """Record an entry's reported scores, task by task; its trajectories are not in the repository."""
    record = json.loads(path.read_text(encoding="utf-8"))
    task_set = _set_of(benchmark, record["set"].rpartition("/")[2])
    entry = ensure_entry(
        task_set=task_set,
        agent=record["agent"],
        model=record["model"],
        origin=record["source"],
        origin_url=record["source_url"],
    )
    describe_import(entry, description_from_data(record.get("description", {}), name=path.name))
    tasks = {task.task_id: task for task in task_set.tasks.all()}
    for task_id, values in record["scores"].items():
        reported = dict(zip(record["metrics"], values, strict=True))
        record_attempt(entry=entry, task=tasks[task_id], number=1, reported=reported)
    refresh_figures(task_set, [entry])
    say(f"{entry}: reported scores of {len(record['scores'])} attempts")


def _load_recordings(benchmark: Benchmark, folder: Path, say: Callable[[str], None]) -> None:
    """Import an agent's recorded attempts; each task folder's metadata.json names the agent and its model."""
    counts: dict[str, int] = defaultdict(int)
    for run, slug, number in _runs(folder, _only_set(benchmark)):
        metadata_path = next(run.glob(f"*/{METADATA_NAME}"))
        args = read_metadata(metadata_path.read_bytes(), name=metadata_path.name).args
        report = import_run(
            run,
            task_set=_set_of(benchmark, slug),
            agent=args["agent"],
            model=args["model"],
            number=number,
            origin="Superboard, which ships with it",
            workers=1,
        )
        for problem in report.problems:
            say(str(problem))
        done = len(report.added) + len(report.changed) + len(report.unchanged)
        counts[f"{args['agent']} · {args['model']}"] += done
    for name, count in counts.items():
        say(f"{name}: {count} recorded attempts")


def _runs(folder: Path, only_set: str | None) -> Iterator[tuple[Path, str, int]]:
    """The folders of an agent that have a folder for each task, with their sets and attempts' numbers."""
    attempts = sorted(folder.glob("*/attempt_*/"))
    for attempt in attempts:
        yield attempt, attempt.parent.name, int(attempt.name.removeprefix("attempt_"))
    if not attempts and only_set:
        yield folder, only_set, 1
