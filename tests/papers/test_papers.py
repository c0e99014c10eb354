"""The two small papers: made again they are the same, and their recordings score as the documents say."""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from leaderboard import formats
from leaderboard.masking.functions import RAISE
from leaderboard.scoring.autoexperiment.rules import is_right, judge
from runner.agents import scripted
from runner.execution.recording import OFFLINE, lay_out, machine_paths, read_tasks, record
from runner.sandbox.environment import prepare_base
from runner.sandbox.fake import FakeSandbox
from runner.sandbox.local import LocalSandbox
from tests.warmup.places import ROOT

PAPERS = ROOT / "fixtures" / "papers"
FILES = sorted(PAPERS.glob("papers_n=*.jsonl"))
POINTS = {
    f"{point['paper_id']}_{point['func_ids']}": point
    for path in FILES
    for point in map(json.loads, path.read_text().splitlines())
}
TASKS = {task["task_id"]: task for path in FILES for task in read_tasks(path)}
RECORDINGS = sorted((PAPERS / "runs").glob("*/*/*/*/history.json"))
FUNCTIONS = {
    "halflife": [
        "halflife/model.py::HalfLifeModel.recall",
        "halflife/model.py::HalfLifeModel.step",
        "halflife/metrics.py::area_under_curve",
    ],
    "minhash": ["minhash/sketch.py::signature"],
}


def test_two_papers_make_tasks_at_the_levels_0_to_3() -> None:
    by_set: defaultdict[str, list[str]] = defaultdict(list)
    for task in TASKS.values():
        by_set[task["set"]].append(task["task_id"])

    assert {level: len(tasks) for level, tasks in by_set.items()} == {"n0": 2, "n1": 4, "n2": 3, "n3": 1}
    assert by_set["n2"] == ["halflife_0,1", "halflife_0,2", "halflife_1,2"]


def test_made_again_they_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    for paper, functions in FUNCTIONS.items():
        named = [word for function in functions for word in ("--function", function)]
        call_command(
            "make_masked", str(PAPERS / "code" / paper), "--paper", paper, "--name", "papers", *named,
            "--experiments", str(PAPERS / "code" / f"{paper}.jsonl"), "--out", str(tmp_path),
            "--levels", f"0-{len(functions)}", stdout=io.StringIO(),
        )  # fmt: skip

    made = {path.relative_to(tmp_path): path.read_bytes() for path in files_in(tmp_path)}
    kept = [*FILES, *files_in(PAPERS / "repositories")]
    assert made == {path.relative_to(PAPERS): path.read_bytes() for path in kept}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


@pytest.mark.parametrize("task_id", ["halflife_0,1", "minhash_0"])
def test_a_sandbox_holds_the_masked_code_and_no_other(task_id: str) -> None:
    with FakeSandbox({}) as sandbox:
        lay_out(TASKS[task_id], PAPERS, sandbox)
        files = dict(sandbox.files)

    paper = POINTS[task_id]["paper_id"]
    copy = PAPERS / "repositories" / task_id
    names = {path.relative_to(copy).as_posix() for path in files_in(copy)}
    assert {path.partition("workspace/")[2] or path for path in files} == names
    text = b"\n".join(files.values()).decode()
    assert text.count(RAISE) == len(POINTS[task_id]["func_details"])
    assert not [source for source in POINTS[task_id]["removed"].values() if source in text]
    assert all(name.startswith(f"{paper}/") for name in names)


def test_an_agent_that_restores_the_functions_solves_the_task_in_its_sandbox(tmp_path: Path) -> None:
    base = prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    agent = scripted.load(PAPERS / "agents" / "scripted-restorer.json")
    task = TASKS["halflife_0,1,2"]

    with LocalSandbox(tmp_path / "sandbox", base, OFFLINE) as sandbox:
        lay_out(task, PAPERS, sandbox)
        recording = record(task, agent, sandbox)

    printed = "".join(step["observation"] for step in recording["history"])
    assert "test MAE 0.2980" in printed
    assert is_right(judge(POINTS[task["task_id"]]["results"], recording["history"][-1]["action"]["content"]))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: "/".join(path.parts[-5:-1]))
def test_a_recording_is_of_its_script_and_tells_no_gold(path: Path) -> None:
    agent_name, task_set, attempt, task_id = path.parts[-5:-1]
    recording, about = json.loads(path.read_text()), json.loads(path.with_name("metadata.json").read_text())
    script = PAPERS / "agents" / f"{agent_name}.json"
    agent = scripted.load(script, attempt=int(attempt.removeprefix("attempt_")))
    moves = agent.moves[task_id]

    assert [step["thought"] for step in recording["history"]] == [move.thought for move in moves]
    assert (about["args"]["agent"], about["args"]["model"]) == (agent.scaffold, agent.model)
    assert (about["task"]["task_id"], about["task"]["set"]) == (task_id, task_set)
    assert not {"results", "solution", "removed"} & set(about["task"])
    assert machine_paths(recording) == []
    # What it submits is what it saw, though a script can't read.
    printed = "".join(step["observation"] for step in recording["history"])
    submitted = recording["history"][-1]["action"]["content"]
    assert all(str(number) in printed for number in numbers_in(submitted))


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(inner)
    elif value is not None:
        yield value


def test_every_agent_is_recorded_at_every_task_and_one_of_them_five_times() -> None:
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in RECORDINGS:
        counts[path.parts[-5]][path.parts[-2]] += 1

    assert counts == {
        "scripted-restorer": dict.fromkeys(TASKS, 1),
        "scripted-rewriter": dict.fromkeys(TASKS, 5),
    }


def test_the_documents_figures_are_those_of_a_plain_recomputation() -> None:
    """From the recordings' bytes to the table, with none of the site's code."""
    rights: defaultdict[tuple[str, int], defaultdict[str, list[bool]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for path in RECORDINGS:
        agent_name, task_set, _attempt, task_id = path.parts[-5:-1]
        submitted = json.loads(path.read_text())["history"][-1]["action"]["content"]
        right = by_fractions(POINTS[task_id]["results"], submitted)
        assert is_right(judge(POINTS[task_id]["results"], submitted)) is right
        rights[agent_name, int(task_set[1:])][task_id].append(right)

    rows = []
    for level in range(4):
        once, five = rights["scripted-restorer", level], rights["scripted-rewriter", level]
        figures = [mean_pass(once, 1), mean_pass(five, 1), mean_pass(five, 5)]
        rows.append(f"| {level} | " + " | ".join(f"{float(figure * 100):.1f}" for figure in figures) + " |")
    document = (ROOT / "docs" / "autoexperiment.md").read_text()
    assert re.findall(r"^\| \d \|.*$", document, re.MULTILINE) == rows


def by_fractions(gold: dict[str, Any], submitted: Any) -> bool:
    return all(
        name in (submitted or {}) and deviation(metrics, submitted[name]) <= Fraction(5, 100)
        for name, metrics in gold.items()
    )


def deviation(gold: dict[str, Any], submitted: dict[str, Any]) -> Fraction:
    off = []
    for metric, value in gold.items():
        theirs = submitted[metric]
        pairs = zip(value, theirs, strict=True) if isinstance(value, list) else [(value, theirs)]
        off += [abs(Fraction(str(a)) - Fraction(str(b))) / abs(Fraction(str(a))) for a, b in pairs]
    return sum(off, Fraction(0)) / len(off)


def mean_pass(by_task: dict[str, list[bool]], k: int) -> Fraction:
    """The share of draws of k attempts with a right one, drawn in every way there is, over tasks."""
    shares = []
    for attempts in by_task.values():
        draws = list(combinations(attempts, k))
        shares.append(Fraction(sum(map(any, draws)), len(draws)))
    return sum(shares, Fraction(0)) / len(shares)


def test_recordings_are_read_as_any_trajectory() -> None:
    path = next(path for path in RECORDINGS if path.parts[-2] == "halflife_0,1,2")

    trajectory = formats.read(path.read_bytes(), name=path.name)

    assert isinstance(trajectory.answer, dict)
    assert set(trajectory.answer) == {"Experiment 1", "Experiment 2"}
