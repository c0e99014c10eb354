"""Records the scripted agents' attempts at Warm-up."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runner.agents import scripted
from runner.execution import recording
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox


class Command(BaseCommand):
    help = "Record the scripted agents of fixtures/warmup/agents by executing their cells in Jupyter kernels."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "agents", nargs="*", help="names of files in fixtures/warmup/agents (default: all)"
        )
        # The folder's name appears in the recordings.
        parser.add_argument("--scratch", type=Path, default=Path("/tmp/warmup"))  # noqa: S108 - a neutral name

    def handle(self, *args: object, **options: Any) -> None:
        root = Path(settings.BASE_DIR)
        warmup = root / "fixtures" / "warmup"
        scratch: Path = options["scratch"]
        if scratch.exists():
            raise CommandError(f"{scratch} exists; remove it or name another folder with --scratch")
        base = prepare_base(Path(settings.VAR) / "kernel-env", root / "constraints.txt")
        tasks = recording.read_tasks(warmup / "tasks.jsonl")
        names = options["agents"] or sorted(path.stem for path in (warmup / "agents").glob("*.json"))
        scratch.mkdir(mode=0o700)
        try:
            for name in names:
                self._record_agent(name, tasks, warmup, base, scratch)
        finally:
            shutil.rmtree(scratch)

    def _record_agent(
        self, name: str, tasks: list[dict[str, Any]], warmup: Path, base: Path, scratch: Path
    ) -> None:
        agent = scripted.load(warmup / "agents" / f"{name}.json")

        def attempt(task: dict[str, Any]) -> dict[str, Any]:
            folder = scratch / task["task_id"]
            with LocalSandbox(folder, base, recording.OFFLINE) as sandbox:
                recording.lay_out(task, warmup, sandbox)
                result = recording.record(task, agent, sandbox)
            shutil.rmtree(folder)
            return result

        chosen = [task for task in tasks if task["task_id"] in agent.moves]
        # The tasks' scripts mostly sleep, so all at once take as long as the longest.
        with ThreadPoolExecutor(max(1, len(chosen))) as pool:
            for task, result in zip(chosen, pool.map(attempt, chosen), strict=True):
                found = recording.machine_paths(result)
                if found:
                    paths = ", ".join(found)
                    raise CommandError(f"{name}, {task['task_id']}: shows paths of this machine: {paths}")
                folder = warmup / "runs" / name / task["task_id"]
                recording.save(result, recording.metadata(task, agent), folder)
                self.stdout.write(f"{name} {task['task_id']}: {len(result['history'])} steps")
