"""manage.py cut_masked, in a real kernel, on Warm-up's solutions."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard import formats
from leaderboard.catalogue.selectors import task_spec
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.domain.scores import LandmarkStatus
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.models import Task, TaskSet
from leaderboard.scoring.super import SCORING
from runner.agents.scripted import Move, ScriptedAgent
from runner.execution.attempt import execute_attempt
from runner.execution.history import history_json
from runner.execution.limits import Limits
from runner.execution.records import Recorder
from runner.making.proving import Proof
from runner.management.commands import cut_masked
from runner.sandbox.base import SandboxError
from runner.sandbox.engine import Labels
from runner.worker.provision import make_sandbox, task_files_of
from tests.warmup.places import TASKS, WARMUP

pytestmark = pytest.mark.django_db
PATTERNS = {
    "stance-on-thread": {"accuracy": r"test accuracy ([\d.]+)", "posts": r"over (\d+) posts"},
    "keygrain": {"mrr": r"MRR ([\d.]+)", "p_at_3": r"P@3 ([\d.]+)"},
}


@pytest.fixture(autouse=True)
def warm_up() -> TaskSet:
    """Warm-up's tasks, and beside them a set for what is cut out of them."""
    record = json.loads((WARMUP / "benchmark.json").read_text())
    masked = {"slug": "masked", "name": "Masked", "summary": ""}
    benchmark = save_benchmark({**record, "task_sets": [*record["task_sets"], masked]})
    task_set: TaskSet = benchmark.task_sets.get(slug="all")
    import_tasks(task_set, [spec for _slug, spec in read_tasks(WARMUP / "tasks.jsonl", set_name="all").tasks])
    return task_set


def describe(folder: Path, task_id: str, category: str, *, last: str = "") -> Path:
    """A description that masks a task's third cell; its script needs no pause between epochs."""
    cells = [*TASKS[task_id]["solution"][:3], last or f"{TASKS[task_id]['solution'][3]} --pace 0"]
    (folder / f"{task_id}-solution.json").write_text(json.dumps(cells))
    description = {
        "task": task_id,
        "notebook": f"{task_id}-solution.json",
        "answer_from": PATTERNS[task_id],
        "masked": [{"cells": [3], "categories": [category]}],
    }
    path = folder / f"{task_id}.json"
    path.write_text(json.dumps(description))
    return path


def cut(*args: Any, out: Path | None = None) -> tuple[str, str]:
    said, complained = io.StringIO(), io.StringIO()
    options = ["--out", str(out)] if out else []
    call_command(
        "cut_masked", *map(str, args), "--set", "warm-up/all", *options, stdout=said, stderr=complained
    )
    return said.getvalue(), complained.getvalue()


def attempt(task: Task, cells: list[str], folder: Path) -> Any:
    """Have a script make these cells and submit the gold answer; the scoring of its attempt."""
    spec = task_spec(task)
    moves = [*(Move("", "execute", cell) for cell in cells), Move("", "submit", json.dumps(spec.gold))]
    agent = ScriptedAgent("scripted", "test", None, 60.0, {task.task_id: tuple(moves)})
    sandbox = make_sandbox("local", task.task_set, folder, Labels("tests", "run", "job"))
    outcome = execute_attempt(
        spec, agent, sandbox, Limits.for_task(spec), Recorder(), prepare=task_files_of(task)
    )
    return SCORING.score(spec, formats.read(history_json(outcome), name="history.json"))


def test_tasks_are_cut_out_of_warm_up_proved_imported_and_solved_by_a_script(tmp_path: Path) -> None:
    out = tmp_path / "cut.jsonl"
    paths = [describe(tmp_path, "stance-on-thread", "data"), describe(tmp_path, "keygrain", "cpu")]

    said, _complained = cut(*paths, out=out)
    call_command("import_tasks", str(out), "--set", "warm-up/masked", stdout=io.StringIO())

    assert "stance-on-thread_data: 2 pre-executed cells run, 2 more give the gold answer" in said
    assert "keygrain_cpu: 2 pre-executed cells run, 2 more give the gold answer" in said
    for task_id in ("stance-on-thread_data", "keygrain_cpu"):
        task = Task.objects.get(task_set__slug="masked", task_id=task_id)
        assert list(task.categories.values_list("slug", flat=True)) == [task_id.rpartition("_")[2]]
        solution = [json.loads(cell)["content"] for cell in task.solution or ()]
        scoring = attempt(task, solution, tmp_path / task_id)
        assert {card.scores["accuracy"].value for card in scoring.cards} == {1.0}
        assert {found.status for found in scoring.landmarks} <= {LandmarkStatus.HIT, LandmarkStatus.GIVEN}


def test_what_is_not_proved_is_not_written_and_it_is_said_which_cell_failed(tmp_path: Path) -> None:
    out = tmp_path / "cut.jsonl"
    broken = describe(tmp_path, "keygrain", "cpu", last="!python rank.py --speed 0")

    complained = io.StringIO()
    with pytest.raises(CommandError, match="1 of 1 are not proved; nothing was written"):
        call_command("cut_masked", str(broken), "--set", "warm-up/all", "--out", str(out), stderr=complained)

    assert "keygrain_cpu: cell 4 (of the solution): its last shell command ended with the status 2" in (
        complained.getvalue()
    )
    assert "unrecognized arguments: --speed 0" in complained.getvalue()
    assert not out.exists()


def prove_by(monkeypatch: pytest.MonkeyPatch, proof: Any) -> None:
    monkeypatch.setattr(cut_masked, "prove", proof)


def test_nothing_is_executed_of_what_is_marked_as_unproved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prove_by(monkeypatch, lambda *args, **options: pytest.fail("it was executed"))
    out = tmp_path / "cut.jsonl"

    cut(describe(tmp_path, "keygrain", "cpu"), "--unproved", out=out)

    assert json.loads(out.read_text())["unproved"] is True


def test_a_sandbox_that_fails_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> Proof:
        raise SandboxError("no engine answers")

    prove_by(monkeypatch, fail)

    with pytest.raises(CommandError, match="the sandbox failed, so that nothing is proved: no engine"):
        cut(describe(tmp_path, "keygrain", "cpu"), out=tmp_path / "cut.jsonl")


def test_the_same_description_gives_the_same_bytes_and_no_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prove_by(monkeypatch, lambda *args, **options: Proof(notes=["look"]))
    path, first, second = describe(tmp_path, "keygrain", "cpu"), tmp_path / "1.jsonl", tmp_path / "2.jsonl"

    _said, complained = cut(path, out=first)
    cut(path, out=second)

    assert first.read_bytes() == second.read_bytes()
    assert complained == "keygrain_cpu: note: look\n"
    with pytest.raises(CommandError, match=r"1\.jsonl: the file exists \(name another file\)"):
        cut(path, out=first)
    with pytest.raises(CommandError, match="several descriptions cut the same task: keygrain_cpu"):
        cut(path, path, out=tmp_path / "3.jsonl")
    with pytest.raises(CommandError, match="its folder does not exist"):
        cut(path, out=tmp_path / "none" / "4.jsonl")


def test_the_cells_are_listed_with_their_numbers() -> None:
    said, _complained = cut(WARMUP / "masked" / "stance-on-thread.yaml", "--list")

    assert said.splitlines()[0] == "stance-on-thread   1 execute %cd stance-on-thread"
    with pytest.raises(CommandError, match="name the file to write with --out, or give --list"):
        cut(WARMUP / "masked" / "stance-on-thread.yaml")
    with pytest.raises(CommandError, match="--seconds must be more than 0"):
        cut(WARMUP / "masked" / "stance-on-thread.yaml", "--seconds", "nan", out=WARMUP / "cut.jsonl")


def test_a_task_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cuts.yaml"
    path.write_text("task: nobody\nmasked: [{cells: [1], categories: [data]}]")

    with pytest.raises(CommandError, match=r"line 1, \$\.task: “nobody” is not a task of warm-up/all"):
        cut(path, out=tmp_path / "cut.jsonl")


def test_the_bundled_descriptions_fit_the_bundled_solutions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prove_by(monkeypatch, lambda *args, **options: Proof())

    said, _complained = cut(*sorted((WARMUP / "masked").glob("*.yaml")), out=tmp_path / "cut.jsonl")

    assert "3 tasks" in said
