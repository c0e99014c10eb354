"""Where Warm-up lies, and its tasks."""

from __future__ import annotations

from pathlib import Path

from runner.execution.recording import read_tasks

ROOT = Path(__file__).resolve().parent.parent.parent
WARMUP = ROOT / "fixtures" / "warmup"
TASKS = {task["task_id"]: task for task in read_tasks(WARMUP / "tasks.jsonl")}
