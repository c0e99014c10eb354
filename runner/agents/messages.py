"""The messages that a model is shown: a pure function of the task, the history and two sizes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib import resources

from runner.agents.base import REFLECT, WHILE_RUNNING, Assignment, Message, Past

OLD_OBSERVATION = 500
NEW_OBSERVATION = 50_000
CHARACTERS_PER_TOKEN = 4


def prompt_text(name: str) -> str:
    """The text of a file in ``prompts/``, without its last newline."""
    return (resources.files("runner.agents") / "prompts" / f"{name}.txt").read_text("utf-8").rstrip("\n")


def build(
    system: str,
    task: Assignment,
    history: Sequence[Past],
    *,
    older: int = OLD_OBSERVATION,
    newest: int = NEW_OBSERVATION,
) -> list[Message]:
    """The messages from which a model chooses its next action; ``system`` are its instructions.

    Of the steps before the last reflection only the pre-executed ones and the lessons are shown. The newest
    observation is cut to its last ``newest`` characters, each other one to its last ``older``.
    """
    lessons = [step.content for step in history if step.kind == REFLECT]
    steps = [step for step in history if step.pre_executed] + _this_trial(history)
    messages: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": _opening(task, lessons)},
    ]
    for number, step in enumerate(steps, start=1):
        size = newest if number == len(steps) else older
        messages += [
            {"role": "assistant", "content": said(step)},
            {"role": "user", "content": f"Observation:\n{cut(step.observation, size)}"},
        ]
    return messages


def said(step: Past) -> str:
    """A step in the format that the model is asked for; a reply that could not be read stays as it was."""
    if not step.kind:
        # Some endpoints refuse an empty message.
        return step.content or "(nothing)"
    head = f"Thought: {step.thought}\nAction: {step.kind}"
    return head if step.kind in WHILE_RUNNING else f"{head}\n<content>\n{step.content}\n</content>"


def cut(text: str, size: int) -> str:
    """The last ``size`` characters of a text, below a line that says how many are missing."""
    if len(text) <= size:
        return text
    return f"[{len(text) - size} characters before this are not shown]\n{text[len(text) - size :]}"


def digest(messages: Sequence[Message]) -> str:
    """The SHA-256 of messages, in hexadecimal."""
    return hashlib.sha256(json.dumps(messages).encode()).hexdigest()


def estimate_tokens(characters: int) -> int:
    """An estimate for text whose tokens the endpoint did not count."""
    return characters // CHARACTERS_PER_TOKEN


def _this_trial(history: Sequence[Past]) -> list[Past]:
    start = max((number for number, step in enumerate(history, 1) if step.kind == REFLECT), default=0)
    return [step for step in history[start:] if not step.pre_executed]


def _opening(task: Assignment, lessons: Sequence[str]) -> str:
    if not lessons:
        return f"Task:\n{task.query}"
    learned = "\n\n".join(f"After trial {number}: {lesson}" for number, lesson in enumerate(lessons, start=1))
    return f"Task:\n{task.query}\n\nThis is a new trial. What you wrote about the ones before:\n\n{learned}"
