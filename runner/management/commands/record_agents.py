"""Records the scripted agents' attempts at the bundled tasks."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runner.agents import scripted
from runner.agents.scripted import ScriptedAgent
from runner.execution import recording
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox

MOST_AT_ONCE = 12
"""Sandboxes at work at once: each has a kernel of its own."""

Task = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to record; ``folder`` is its own below ``runs/<agent>/``."""

    task: Task
    agent: ScriptedAgent
    folder: Path


class Command(BaseCommand):
    help = "Record the scripted agents of a bundled benchmark by executing their cells in Jupyter kernels."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", help="a folder in fixtures/ with agents: warmup or papers")
        parser.add_argument("agents", nargs="*", help="names of files in its agents/ (default: all)")
        # The folder's name appears in the recordings.
        parser.add_argument("--scratch", type=Path, help="default: /tmp/BUNDLE")

    def handle(self, *args: object, **options: Any) -> None:
        root = Path(settings.BASE_DIR)
        bundle = root / "fixtures" / options["bundle"]
        scripts = sorted((bundle / "agents").glob("*.json"))
        if not scripts:
            raise CommandError(
                f"there are no agents in {bundle / 'agents'}; name a folder of fixtures/ with some"
            )
        scratch: Path = options["scratch"] or Path("/tmp", options["bundle"])  # noqa: S108 - a neutral name
        if scratch.exists():
            raise CommandError(f"{scratch} exists; remove it or name another folder with --scratch")
        base = prepare_base(Path(settings.VAR) / "kernel-env", root / "constraints.txt")
        tasks = [task for path in sorted(bundle.glob("*.jsonl")) for task in recording.read_tasks(path)]
        scratch.mkdir(mode=0o700)
        try:
            for path in scripts:
                if not options["agents"] or path.stem in options["agents"]:
                    self._record_agent(path, tasks, bundle, base, scratch)
        finally:
            shutil.rmtree(scratch)

    def _record_agent(
        self, script: Path, tasks: Sequence[Task], bundle: Path, base: Path, scratch: Path
    ) -> None:
        attempts = list(_attempts(script, tasks))
        work = partial(_record, bundle=bundle, base=base, scratch=scratch)
        # The tasks' scripts mostly sleep, so all at once take as long as the longest.
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            for attempt, result in zip(attempts, pool.map(work, attempts), strict=True):
                name = f"{script.stem} {attempt.folder}"
                found = recording.machine_paths(result)
                if found:
                    paths = ", ".join(found)
                    raise CommandError(f"{name}: shows paths of this machine: {paths}")
                folder = bundle / "runs" / script.stem / attempt.folder
                recording.save(result, recording.metadata(attempt.task, attempt.agent), folder)
                self.stdout.write(f"{name}: {len(result['history'])} steps")


def _attempts(script: Path, tasks: Sequence[Task]) -> list[Attempt]:
    """Every attempt of a script; those at tasks of several sets have a folder for the set and the attempt."""
    found = []
    for number in range(1, scripted.load(script).attempts + 1):
        agent = scripted.load(script, attempt=number)
        for task in tasks:
            if task["task_id"] in agent.moves:
                above = Path(task["set"], f"attempt_{number}") if "set" in task else Path()
                found.append(Attempt(task, agent, above / task["task_id"]))
    return found


def _record(attempt: Attempt, *, bundle: Path, base: Path, scratch: Path) -> dict[str, Any]:
    folder = scratch / attempt.folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with LocalSandbox(folder, base, recording.OFFLINE) as sandbox:
        recording.lay_out(attempt.task, bundle, sandbox)
        result = recording.record(attempt.task, attempt.agent, sandbox)
    shutil.rmtree(folder)
    return result
