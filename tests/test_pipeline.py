"""Many attempts at once: one that breaks something keeps no other out."""

from __future__ import annotations

import hashlib
import json
import signal
from pathlib import Path

import pytest

from leaderboard import pipeline
from leaderboard.domain.errors import Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.bundles import Bundle
from leaderboard.formats.run_folder import AttemptFiles, scan_run
from leaderboard.intake.pool import ITEMS_WORTH_PROCESSES
from leaderboard.pipeline import Source, SourceResult, prepare_all
from leaderboard.scoring.super import SCORING
from tests.cast import add_attempt, history
from tests.formats.frameworks import v1_events


class KillsItsProcess(TaskSpec):
    """A task that can't be sent anywhere without the process that unpacks it being killed."""

    def __reduce__(self) -> tuple[object, ...]:
        return (signal.raise_signal, (signal.SIGKILL.value,))


def sources(root: Path, odd: TaskSpec | None = None) -> list[Source]:
    for number in range(ITEMS_WORTH_PROCESSES):
        add_attempt(root, f"task-{number}", history=history({"loss": 0.5}))
    specs = {"task-3": odd} if odd else {}
    return [
        Source(files, specs.get(files.task_id) or TaskSpec(files.task_id), SCORING, "title", "", 1 << 20)
        for files in scan_run(root).attempts
    ]


def test_every_file_is_prepared_in_processes(tmp_path: Path) -> None:
    results = {source.spec.task_id: result for source, result in prepare_all(sources(tmp_path), workers=2)}

    assert len(results) == ITEMS_WORTH_PROCESSES
    assert all(isinstance(result, SourceResult) for result in results.values())


def test_a_fault_of_ours_is_that_files_problem_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "prepare_sample", lambda *args, **options: 1 / 0)

    ((_, problem),) = prepare_all(sources(tmp_path)[:1], workers=1)

    assert isinstance(problem, Problem)
    assert (problem.file, problem.reason) == (
        "task-0/history.json",
        "reading it failed unexpectedly (ZeroDivisionError)",
    )


def test_a_file_of_many_answers_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(f'{{"task_id": "a", "answer": {n}}}' for n in range(1, 6)))
    of_one_file = [
        Source(AttemptFiles("a", "", file, sample=f"line {n}"), TaskSpec("a"), SCORING, "title", "", 1 << 20)
        for n in range(1, 6)
    ]
    opened: list[str] = []
    real = pipeline.open_original

    def note(data: bytes, *, name: str, max_bytes: int) -> pipeline.Original:
        opened.append(name)
        return real(data, name=name, max_bytes=max_bytes)

    monkeypatch.setattr(pipeline, "open_original", note)

    answers = [
        result.prepared.trajectory.answer
        for _source, result in prepare_all(of_one_file, workers=1)
        if isinstance(result, SourceResult) and result.prepared
    ]

    assert (answers, opened) == ([1, 2, 3, 4, 5], ["answers.jsonl"])


def test_a_process_that_is_killed_costs_only_the_file_it_was_at(tmp_path: Path) -> None:
    results = {
        source.files.task_id: result
        for source, result in prepare_all(sources(tmp_path, KillsItsProcess("task-3")), workers=2)
    }

    problem = results.pop("task-3")
    assert isinstance(problem, Problem)
    assert "was killed" in problem.reason
    assert len(results) == ITEMS_WORTH_PROCESSES - 1
    assert all(isinstance(result, SourceResult) for result in results.values())


def test_the_original_of_several_files_is_their_archive(tmp_path: Path) -> None:
    files = {"events/event-00000-x.json": v1_events(("terminal", {"command": "ls"}, "x"))[2]}
    path = tmp_path / "event.json"
    path.write_text(json.dumps(files["events/event-00000-x.json"]))
    size = path.stat().st_size
    bundle = Bundle.of("cet", {"events/event-00000-x.json": (path, size)})
    source = Source(AttemptFiles("cet", "run", bundle), TaskSpec("cet"), SCORING, "title", "", 1 << 20)

    ((_, result),) = prepare_all([source], workers=1)

    assert isinstance(result, SourceResult)
    assert result.prepared
    assert result.prepared.original_name == "cet.zip"
    assert result.prepared.original.digest == hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert bundle.size == len(bundle.read_bytes())
