"""Tasks that come with their files, and the scripted agents of these, through the runner."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.domain.errors import InputError
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.models import TaskSet
from runner.agents.scripted import ScriptedAgent
from runner.execution.recording import lay_out
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


@pytest.mark.parametrize(
    "repository",
    [
        "", ".", "repositories", "repositories/", "repositories/.", "repositories/..", "halflife_0/..",
        "repositories/../../../../in", "../repositories/halflife_0", "/etc", "/repositories/halflife_0",
        "repositories//etc", "repositories/out", "repositories/readme", "repositories/none", "x" * 300,
        "repositories/a\0b", "https://github.com/authors/halflife",
    ],
)  # fmt: skip
def test_a_tasks_repository_leads_nowhere_but_to_a_folder_of_the_bundle(
    tmp_path: Path, repository: str
) -> None:
    (tmp_path / "repositories" / "halflife_0").mkdir(parents=True)
    (tmp_path / "repositories" / "halflife_0" / "model.py").write_text("masked")
    (tmp_path / "repositories" / "readme").write_text("no folder")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("of this machine")
    (tmp_path / "repositories" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "repositories" / "halflife_0" / "key").symlink_to(tmp_path / "secret" / "key")

    with FakeSandbox({}) as sandbox:
        with pytest.raises(InputError, match="names no folder of the bundled repositories"):
            lay_out({"github_repo": repository}, tmp_path, sandbox)
        assert not sandbox.files
        lay_out({"github_repo": "repositories/halflife_0"}, tmp_path, sandbox)
        assert list(sandbox.files.values()) == [b"masked"]


@pytest.mark.django_db
def test_a_job_whose_task_names_another_folder_fails_at_once_and_says_why(var: Path) -> None:
    task_set = small_papers(1)
    task_set.tasks.update(repository="repositories/../../..")
    run = make_run(task_set=task_set, tasks=[task_set.tasks.first()], agent="scripted-rewriter")

    assert work_on_next(WORKER)

    job = run.jobs.get()
    assert job.state == "failed"
    assert "names no folder of the bundled repositories" in job.reason


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
