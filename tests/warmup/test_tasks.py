"""Each Warm-up task can be solved, and only by doing what its category says."""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from leaderboard import formats
from leaderboard.domain.scores import LandmarkStatus, Scored
from leaderboard.formats.super_tasks import read_tasks
from leaderboard.formats.task_records import CATEGORIES
from leaderboard.scoring.super import SCORING
from runner.agents.scripted import Move, ScriptedAgent
from runner.execution.recording import OFFLINE, lay_out, record
from runner.sandbox.local import LocalSandbox
from tests.warmup.places import TASKS, WARMUP

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FIGURES: dict[str, Any] = {
    "dialect-crumbs": {"accuracy": r"test accuracy ([\d.]+)", "weighted_f1": r"weighted F1 ([\d.]+)"},
    "stance-on-thread": {"accuracy": r"test accuracy ([\d.]+)", "posts": r"over (\d+) posts"},
    "keygrain": {"mrr": r"MRR ([\d.]+)", "p_at_3": r"P@3 ([\d.]+)"},
    "pairwise-nli": {
        "accuracy": r"^accuracy ([\d.]+)",
        "recall": {"contradiction": r"recall contradiction ([\d.]+)", "neutral": r"recall neutral ([\d.]+)"},
    },
    "gloss-polarity": {"accuracy": r"^accuracy ([\d.]+)", "macro_f1": r"macro F1 ([\d.]+)"},
    "marginette": {"accuracy": r"final test accuracy ([\d.]+)"},
}
"""Where the scripts print what the tasks ask for, in the shape of the answers."""

INSTALL = "!pip install --no-index --find-links ../wheelhouse -r requirements.txt"
AS_IT_STANDS = {
    "no package": ("dialect-crumbs", "!python train.py --order 3", "No module named 'tinymetrics'"),
    "new package": (
        "dialect-crumbs",
        f"{INSTALL}\n!python train.py --order 3",
        "cannot import name 'weighted_f1'",
    ),
    "raw data": ("stance-on-thread", "!python run_nb.py", "No such file or directory: 'data/train.jsonl'"),
    "no GPU": ("keygrain", "!python rank.py", "No CUDA device is available"),
    "no half": (
        "keygrain",
        '!sed -i \'s/Device("cuda")/Device("cpu")/\' keygrain/model.py && python rank.py',
        "is not implemented for 'Half'",
    ),
    "crash": ("pairwise-nli", "!python main.py", "IndexError"),
    "other goal": ("gloss-polarity", "!python experiment.py", "evaluated 320 glosses, seed 13"),
    "endless": ("marginette", "!timeout 5 python fit.py", "epochs=2000"),
    "mini": ("marginette", "!python fit.py --config configs/mini.json", "final test accuracy 0.7111"),
    "stale": ("marginette", "!python fit.py --config configs/small.json", "final test accuracy 0.7000"),
}
"""The ways to run a task's script without doing what the task needs, and what comes of each."""

Recordings = dict[str, dict[str, Any]]


def run(task_id: str, cells: list[str], base_packages: Path, folder: Path) -> dict[str, Any]:
    moves = tuple(Move("", "execute", cell) for cell in cells)
    agent = ScriptedAgent("scripted", "test", None, 120.0, {task_id: moves})
    with LocalSandbox(folder, base_packages, OFFLINE) as sandbox:
        lay_out(TASKS[task_id], WARMUP, sandbox)
        return record(TASKS[task_id], agent, sandbox)


def text_of(recording: dict[str, Any]) -> str:
    text = "".join(step["observation"] for step in recording["history"])
    return COLOURS.sub("", text).replace("\r\n", "\n")


def run_everything(base_packages: Path, scratch: Path) -> Recordings:
    jobs = {task_id: (task_id, task["solution"]) for task_id, task in TASKS.items()}
    jobs |= {name: (task_id, [f"%cd {task_id}", cell]) for name, (task_id, cell, _) in AS_IT_STANDS.items()}
    # All at once: the scripts are paced, so together they take about as long as the longest.
    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = {
            name: pool.submit(run, task_id, cells, base_packages, scratch / name)
            for name, (task_id, cells) in jobs.items()
        }
        return {name: future.result() for name, future in futures.items()}


@pytest.fixture(scope="module")
def recordings(base_packages: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Recordings:
    scratch = tmp_path_factory.mktemp("warmup")
    # Done by the first of pytest's workers to come here, for all of them.
    shared = scratch.parent if worker_id == "master" else scratch.parent.parent
    done = shared / "warmup-recordings.json"
    with done.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            done.write_text(json.dumps(run_everything(base_packages, scratch)))
    recorded: Recordings = json.loads(done.read_text())
    return recorded


def score(task_id: str, recording: dict[str, Any]) -> Scored:
    specs = {spec.task_id: spec for _, spec in read_tasks(WARMUP / "tasks.jsonl", set_name="all").tasks}
    return SCORING.score(specs[task_id], formats.read(json.dumps(recording).encode(), name="history.json"))


def figures(pattern: Any, text: str) -> Any:
    if isinstance(pattern, dict):
        return {name: figures(part, text) for name, part in pattern.items()}
    found = re.findall(pattern, text, re.MULTILINE)
    return json.loads(found[-1])


@pytest.mark.parametrize("task_id", TASKS)
def test_the_expert_solution_gives_the_gold_answer(task_id: str, recordings: Recordings) -> None:
    assert figures(FIGURES[task_id], text_of(recordings[task_id])) == json.loads(TASKS[task_id]["answer"])


@pytest.mark.parametrize("task_id", TASKS)
def test_the_expert_solution_hits_every_landmark_and_runs_the_script(
    task_id: str, recordings: Recordings
) -> None:
    scoring = score(task_id, recordings[task_id])

    assert {landmark.status for landmark in scoring.landmarks} == {LandmarkStatus.HIT}
    assert {card.scorer: card.scores["script_executed"].value for card in scoring.cards} == {
        "super-strict": 1.0,
        "super-paper": 1.0,
    }


@pytest.mark.parametrize("name", AS_IT_STANDS)
def test_a_task_needs_what_its_category_says(name: str, recordings: Recordings) -> None:
    task_id, _, outcome = AS_IT_STANDS[name]

    assert outcome in text_of(recordings[name])
    assert any(
        landmark.status is LandmarkStatus.MISSED for landmark in score(task_id, recordings[name]).landmarks
    )


def test_there_is_one_task_for_each_category() -> None:
    assert [task["categories"] for task in TASKS.values()] == [[category] for category in CATEGORIES]
    assert all(3 <= len(task["landmarks"]) <= 5 for task in TASKS.values())


@pytest.mark.parametrize(
    ("script", "folder"), [("build_wheels.py", "wheelhouse"), ("make_data.py", "repositories")]
)
def test_wheels_and_data_are_made_again_byte_for_byte(script: str, folder: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, WARMUP / script, tmp_path], check=True)

    made = [path.relative_to(tmp_path) for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert len(made) > 1
    for path in made:
        assert (tmp_path / path).read_bytes() == (WARMUP / folder / path).read_bytes(), path
