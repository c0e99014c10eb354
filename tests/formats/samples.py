"""Small files of our own making, in each format."""

from __future__ import annotations

import json
from typing import Any

Document = dict[str, Any]


def as_bytes(document: Any) -> bytes:
    return json.dumps(document).encode()


def history(*actions: Any, **fields: Any) -> Document:
    """A history.json with a step for each action: one that is complete apart from its action."""
    steps = [
        {"thought": f"thought {n}", "action": action, "observation": f"saw {n}"}
        for n, action in enumerate(actions)
    ]
    return {"query": "Train the model.", "history": steps, **fields}


def act(kind: Any, content: Any = "ls") -> Document:
    return {"type": kind, "content": content}


def markdown(source: Any) -> Document:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: Any, observation: str | None = "") -> Document:
    result: Document = {"output_type": "execute_result", "metadata": {}, "execution_count": None}
    outputs = [] if observation is None else [{**result, "data": {"text/plain": [observation]}}]
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "execution_count": None,
        "outputs": outputs,
    }


def step_cells(
    number: int,
    kind: str = "execute",
    source: str = "ls",
    *,
    observation: str | None = "train.py",
    thought: str = "Look around.",
    time: str | None = "Execution Start time: 23:59:58, End time: 00:00:03 (duration: 5 seconds)",
) -> list[Document]:
    return [
        markdown(f"### Step {number}"),
        *([] if time is None else [markdown(time)]),
        markdown(["**Thought**: ", thought]),
        markdown(f"**Action ({kind})**:"),
        code(source, observation),
    ]


REACT_PRELUDE = [
    markdown(["### Query\n", "Train the model.\n", "Report its loss."]),
    markdown("### Prompt\n<details>\n[a log]\n</details>\n"),
]
SWE_AGENT_PRELUDE = [
    markdown("### System Prompt\n<details>\nSETTING: a shell.\n</details>\n"),
    REACT_PRELUDE[0],
]


def notebook(*steps: list[Document], prelude: list[Document] = REACT_PRELUDE) -> Document:
    cells = [*prelude, *(cell for step in steps for cell in step)]
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}


def swe_step(action: Any, **fields: Any) -> Document:
    """A step of a .traj, complete."""
    messages = [
        {"role": "system", "content": "A shell.", "agent": "main"},
        {"role": "user", "content": "Train the model.", "agent": "main"},
    ]
    return {
        "action": action,
        "observation": "train.py",
        "response": "DISCUSSION Look.",
        "thought": "Look.",
        "state": {"working_dir": "/repo"},
        "execution_time": 0.25,
        "query": messages,
        "extra_info": {},
        **fields,
    }


def traj(*steps: Any, history: Any = None, **info: Any) -> Document:
    asked = [{"role": "system", "content": "A shell."}, {"role": "user", "content": "Train the model."}]
    return {
        "trajectory": list(steps),
        "history": asked if history is None else history,
        "info": {"exit_status": "submitted", "submission": None, **info},
        "environment": "conv_graph",
        "replay_config": None,
    }
