"""Agents that follow a script: the expert's and others' moves, written down beforehand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Move:
    """A thought and an action, as an agent emits them; ``kind`` is the action's type, as it wrote it."""

    thought: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    """All moves of one agent, by task.

    Attributes:
        scaffold, model: what it is called on a board.
        context_tokens: where its attempts end, in tokens summed over all prompts; None for no limit.
        cell_seconds: how long a cell may run before the agent is asked whether to go on.
        moves: for each task id, what it does, in order; it never looks at what comes back.
    """

    scaffold: str
    model: str
    context_tokens: int | None
    cell_seconds: float
    moves: Mapping[str, tuple[Move, ...]]


def load(path: Path) -> ScriptedAgent:
    """Reads an agent's script.

    The file is a JSON object ``{scaffold, model, context_tokens, cell_seconds, tasks}``; ``tasks`` holds for
    each task id a list of ``{thought, action: {type, content}}``. A content can be a list of lines, without
    their newlines.

    Raises:
        KeyError, TypeError, ValueError: the file is not such an object.
    """
    script = json.loads(path.read_text())
    return ScriptedAgent(
        scaffold=script["scaffold"],
        model=script["model"],
        context_tokens=script["context_tokens"],
        cell_seconds=float(script["cell_seconds"]),
        moves={
            task_id: tuple(
                Move(move["thought"], move["action"]["type"], _text(move["action"]["content"]))
                for move in moves
            )
            for task_id, moves in script["tasks"].items()
        },
    )


def _text(content: str | list[str]) -> str:
    return content if isinstance(content, str) else "\n".join(content)
