"""Agents without a model: they follow a script of actions for each task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from runner.agents.base import (
    EDIT,
    EXECUTE,
    SUBMIT,
    WHILE_RUNNING,
    Action,
    Agent,
    Assignment,
    Call,
    Past,
    Reply,
)
from runner.agents.messages import NEW_OBSERVATION, OLD_OBSERVATION, estimate_tokens
from runner.agents.replies import no_action
from runner.agents.settings import SettingError, Settings


@dataclass(frozen=True, slots=True)
class Move:
    """A thought and an action of a script; ``kind`` is the action's type."""

    thought: str
    kind: str
    content: str


class ScriptedSettings(Settings):
    script: str = Field(min_length=1, description="a JSON file like those in fixtures/warmup/agents")
    attempt: int = Field(
        default=1, ge=1, description="which attempt at each task it makes, if it has several"
    )


@dataclass(frozen=True)
class ScriptedAgent(Agent):
    """All moves of one agent, by task.

    Attributes:
        scaffold, model: its names on a board.
        context_tokens: limit of the tokens of all prompts together; None for no limit.
        cell_seconds: how long a cell may run before the agent is asked whether to wait.
        moves: for each task id its moves, in order. They do not depend on the observations.
        script: the file that it was read from, or empty.
        attempts: how many attempts at a task the script has.
    """

    scaffold: str
    model: str
    context_tokens: int | None
    cell_seconds: float
    moves: Mapping[str, tuple[Move, ...]]
    script: str = ""
    attempts: int = 1

    name = "scripted"
    actions = (EXECUTE, EDIT, SUBMIT)

    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        """See the contract. Tokens are estimated as if a model had been shown the history."""
        moves = self.moves.get(task.task_id, ())
        made = sum(not step.pre_executed for step in history)
        if made >= len(moves):
            return Reply(done=True)
        move = moves[made]
        known = move.kind in (*self.actions, *WHILE_RUNNING)
        return Reply(
            thought=move.thought,
            action=Action(move.kind, move.content) if known else None,
            problem="" if known else no_action(self.actions),
            text=move.content,
            calls=(_call(task, history, move),),
        )

    def settings(self) -> Mapping[str, Any]:
        """See the contract; only the script's file name, as its folder is this machine's."""
        return {"script": Path(self.script).name}

    def limits(self) -> Mapping[str, Any]:
        return {"prompt_tokens": self.context_tokens, "cell_seconds": self.cell_seconds}


def make(settings: ScriptedSettings) -> ScriptedAgent:
    """The agent of a script.

    Raises:
        SettingError: the file can't be read, or is not a script.
    """
    try:
        return load(Path(settings.script), attempt=settings.attempt)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SettingError("script", f"{settings.script} can't be read as a script ({error})") from error


def load(path: Path, *, attempt: int = 1) -> ScriptedAgent:
    """Reads an agent's script for one attempt at each of its tasks.

    The file is a JSON object ``{scaffold, model, context_tokens, cell_seconds, tasks}``; ``tasks`` holds for
    each task id a list of ``{thought, action: {type, content}}``, or a list of such lists, one for each
    attempt; after the last one they begin again. A content can be a list of lines without newlines.

    Raises:
        KeyError, TypeError, ValueError: the file is not such an object.
    """
    script = json.loads(path.read_text())
    attempts = {
        task_id: moves if moves and isinstance(moves[0], list) else [moves]
        for task_id, moves in script["tasks"].items()
    }
    return ScriptedAgent(
        scaffold=script["scaffold"],
        model=script["model"],
        context_tokens=script["context_tokens"],
        cell_seconds=float(script["cell_seconds"]),
        moves={
            task_id: tuple(
                Move(move["thought"], move["action"]["type"], _text(move["action"]["content"]))
                for move in made[(attempt - 1) % len(made)]
            )
            for task_id, made in attempts.items()
        },
        script=str(path),
        attempts=max(map(len, attempts.values()), default=0),
    )


def _call(task: Assignment, history: Sequence[Past], move: Move) -> Call:
    sizes = [len(step.observation) for step in history]
    seen = sum(min(size, OLD_OBSERVATION) for size in sizes[:-1]) + min(sum(sizes[-1:]), NEW_OBSERVATION)
    wrote = sum(len(step.thought) + len(step.content) for step in history)
    now = datetime.now(UTC)
    return Call(
        purpose="act",
        digest="",
        prompt_tokens=estimate_tokens(len(task.query) + wrote + seen),
        response_tokens=estimate_tokens(len(move.thought) + len(move.content)),
        cost=0.0,
        estimated=True,
        tries=1,
        asked=now,
        answered=now,
    )


def _text(content: str | list[str]) -> str:
    return content if isinstance(content, str) else "\n".join(content)
