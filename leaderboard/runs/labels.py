"""Labels for a run's record: its sandbox, its limits, its agent's settings."""

from __future__ import annotations

from typing import Any

from django.utils.formats import number_format

from leaderboard.domain.budgets import BUDGETS
from leaderboard.runs import offers

RECORD_LABELS: dict[str, str] = {
    "agent": "Agent",
    "script": "Script",
    "kind": "Sandbox",
    "image": "Image",
    "digest": "Digest of the image",
    "limits": "Limits of the sandbox",
    "hardware": "Hardware",
    "budget": "Limits of an attempt",
    "kept": "characters of an output kept",
    "piece": "characters streamed at once",
    "whole": "bytes of an output in a file",
    "file": "bytes of the largest file read",
    "stream_seconds": "seconds between two pieces",
    "silence_seconds": "seconds of silence at a cell's end",
    "interrupt_seconds": "seconds to stop after an interrupt",
    "start_seconds": "seconds to start",
    "memory": "bytes of memory",
    "cpus": "processors",
    "pids": "processes",
    "network": "network",
    "capabilities": "capabilities",
    "architecture": "architecture",
    "system": "system",
    "processor": "processor",
    "engine": "engine",
}
"""Labels by the names that `runner.sandbox` uses; names of programs have no label."""


def record_label(name: str) -> str:
    """The display name of a sandbox property, a limit or an agent's setting."""
    if name in BUDGETS:
        return BUDGETS[name].form_label
    settings = (agent.labels[name] for agent in offers.agents() if name in agent.labels)
    return RECORD_LABELS.get(name) or next(settings, name)


def record_value_text(value: Any) -> str:
    """The text for a recorded value, with numbers grouped by thousands."""
    if isinstance(value, dict):
        known = ((record_label(name), each) for name, each in value.items() if each not in (None, "", []))
        return ", ".join(f"{name} {record_value_text(each)}" for name, each in known)
    if isinstance(value, list):
        return ", ".join(map(record_value_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_format(value, force_grouping=True) if isinstance(value, int | float) else str(value)
