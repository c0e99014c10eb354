"""Tasks that come with their files, and the scripted agents of these, through the runner."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.models import TaskSet
from runner.agents.scripted import ScriptedAgent
from runner.sandbox.environment import prepare_base
from runner.sandbox.fake import FakeSandbox
from runner.worker.bundled import BUNDLES, scripts
from runner.worker.jobs import work_on_next
from runner.worker.provision import agent_of, task_files_of
from tests.cast import PET, make_set
from tests.runs.cast import WORKER, make_run
from tests.warmup.places import ROOT

PAPERS = BUNDLES["small-papers"]


def small_papers(level: int) -> TaskSet:
    benchmark = save_benchmark(json.loads((PAPERS / "benchmark.json").read_text()))
    task_set: TaskSet = benchmark.task_sets.get(level=level)
    file = read_tasks(PAPERS / f"papers_n={level}.jsonl")
    import_tasks(task_set, [spec for _slug, spec in file.tasks])
    return task_set


@pytest.mark.django_db
def test_a_bundled_task_gets_its_own_code_and_another_task_nothing() -> None:
    task = small_papers(1).tasks.get(task_id="halflife_1")
    with FakeSandbox({}) as sandbox:
        task_files_of(task)(sandbox)
        files = dict(sandbox.files)
    code = PAPERS / "repositories" / "halflife_1" / "halflife" / "halflife" / "model.py"
    assert code.read_bytes() in files.values()
    with FakeSandbox({}) as sandbox:
        task_files_of(make_set(PET).tasks.get())(sandbox)
        assert not sandbox.files


def test_a_script_makes_another_attempt_each_time_and_begins_again_after_the_last() -> None:
    def second_move(attempt: int) -> str:
        agent = agent_of("scripted-rewriter", {}, attempt=attempt)
        assert isinstance(agent, ScriptedAgent)
        return agent.moves["minhash_0"][1].content

    assert "md5" in second_move(1)
    assert "md5" not in second_move(2)
    assert second_move(6) == second_move(1)


def test_no_two_bundled_agents_have_one_name() -> None:
    names = [path.stem for _benchmark, path in scripts()]

    assert len(names) == len(set(names)) == 5


@pytest.mark.django_db(transaction=True)
def test_a_run_solves_a_masked_task_in_the_attempts_in_which_its_script_is_right(
    settings: Settings, var: Path
) -> None:
    prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    (var / "kernel-env").symlink_to(ROOT / "var" / "kernel-env")
    settings.VAR = var
    task_set = small_papers(1)
    tasks = list(task_set.tasks.filter(task_id="minhash_0"))
    run = make_run(task_set=task_set, tasks=tasks, attempts=3, agent="scripted-rewriter")

    while work_on_next(WORKER):
        pass

    solved = run.entry.attempts.filter(scores__metric="solved").values_list("number", "scores__value")
    assert dict(solved) == {1: 0.0, 2: 0.0, 3: 1.0}
    figures = run.entry.figures.filter(scorer="board", category="minhash")
    assert dict(figures.values_list("metric", "value"))["pass_1"] == pytest.approx(1 / 3)
