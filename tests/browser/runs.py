"""Runs in the authors' layout, made for these tests: what real ones hold now and then, in one place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.names import ensure_entry
from leaderboard.models import TaskSet
from leaderboard.operating.imports import import_run

CHECKPOINT = 1500
"""The line of the long output with the landmark's hit."""
NEEDLE = 2100
"""A line of the long output with something to look for, folded away at first view."""
LONG_OUTPUT = "".join(
    f"checkpoint {n} written\n"
    if n == CHECKPOINT
    else f"a needle in line {n}\n"
    if n == NEEDLE
    else f"line {n} says little\n"
    for n in range(1, 3001)
)
WIDE_OUTPUT = (
    "short\n" + "a" * 9_000 + "needle" + "b" * 70_000 + "\U0001f600 needle end\n" + "w" * 7_000 + "\n"
)
"""Few lines, and one longer than a page."""
COLOURED = "\x1b[32mepoch 1\x1b[0m of 1: \x1b[1mloss\x1b[0m 0.25\n"
REDRAWN = "progress 10%\rprogress 55%\rall of it is done now\n"
GOLD = "31.415926"

SPECS = (
    TaskSpec(
        "long", landmarks=(r"checkpoint \d+ written", "never printed"), gold={"pi": GOLD}, query="Go on."
    ),
    TaskSpec("terminal", landmarks=(r"epoch 1.*loss\S* 0\.\d+", r"progress 5\d%")),
    TaskSpec("wide"),
    TaskSpec("given", landmarks=("data is ready", "model is trained")),
)


def step(action: str, observation: str, *, thought: str = "", kind: str = "execute") -> dict[str, Any]:
    """A step of history.json."""
    return {"thought": thought, "action": {"type": kind, "content": action}, "observation": observation}


def history(*steps: dict[str, Any], answer: object = None, query: str = "") -> dict[str, Any]:
    """A history.json that ends with ``answer``."""
    submit = {"thought": "", "action": {"type": "submit", "content": answer}, "observation": ""}
    return {"query": query, "history": [*steps, submit], "total_cost": 0.5}


HISTORIES = {
    "long": history(
        step("!ls", "README.md\n", thought="First a look around."),
        step("!python train.py", LONG_OUTPUT, thought="Now the training."),
        step("!cat nothing", "cat: nothing: No such file or directory\n"),
        answer={"pi": 3},
        query="Go on.",
    ),
    "terminal": history(step("!python colours.py", COLOURED), step("!python bar.py", REDRAWN), answer=1),
    "wide": history(
        step("!cat data.json", WIDE_OUTPUT),
        step("!retry", "fatal: no such thing\n", thought="A needle, a *needle*."),
        *[step("!retry", "fatal: no such thing\n") for _ in range(9)],
        answer=1,
    ),
    "given": history(
        step("!prepare", "data is ready\n", thought="[pre-executed by user]"),
        step("!train", "model is trained\n"),
        answer=1,
    ),
}


def write_run(folder: Path, histories: dict[str, dict[str, Any]]) -> Path:
    """``folder`` with a task folder each."""
    for task_id, content in histories.items():
        (folder / task_id).mkdir(parents=True)
        (folder / task_id / "history.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def import_odd_runs(folder: Path) -> None:
    """The benchmark ``odd``: an agent with trajectories, and one of which only an accuracy is known."""
    task_set = _benchmark("odd", SPECS)
    run = write_run(folder, HISTORIES)
    report = import_run(run, task_set=task_set, agent="Odd", model="one", workers=1)
    assert not report.problems
    silent = ensure_entry(task_set=task_set, agent="Silent", model="two")
    for task in task_set.tasks.all():
        record_attempt(entry=silent, task=task, number=1, reported={"accuracy": 0.5})
    refresh_figures(task_set, [silent])


def import_hostile_run(folder: Path, payloads: Sequence[str]) -> None:
    """The benchmark ``hostile``: each text of an agent or its owner is one of ``payloads``."""
    everything = "\n".join(payloads)
    specs = (
        TaskSpec(
            "hostile",
            title=payloads[0],
            query=everything,
            landmarks=(r"<script>.*</script>",),
            gold={"hidden": 1},
        ),
    )
    task_set = _benchmark("hostile", specs)
    content = history(
        *(step(payload, payload, thought=payload, kind=payload[:40]) for payload in payloads),
        step(everything, everything * 60, thought=everything),
        answer={payload: payload for payload in payloads},
        query=everything,
    )
    run = write_run(folder, {"hostile": content})
    named = [payload for payload in payloads if "\0" not in payload]
    for agent, model in zip(named, reversed(named), strict=True):
        report = import_run(run, task_set=task_set, agent=agent[:100], model=model[:100], workers=1)
        assert not report.problems


def _benchmark(slug: str, specs: Sequence[TaskSpec]) -> TaskSet:
    record = {"slug": slug, "name": slug.title(), "position": 9, "scoring": "super"}
    sets = [{"slug": "all", "name": "All", "summary": "", "is_default": False}]
    task_set = save_benchmark({**record, "categories": [], "task_sets": sets}).task_sets.get()
    import_tasks(task_set, specs)
    return task_set
