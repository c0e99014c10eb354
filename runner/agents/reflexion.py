"""Reflexion: judges its own answer before it submits it, and tries again if it finds it wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from runner.agents.base import REFLECT, SUBMIT, Action, Assignment, Message, Past, Reply
from runner.agents.llm import Model
from runner.agents.messages import prompt_text, said
from runner.agents.react import ReactSettings, ReactSuperAgent

NEW_TRIAL = "The answer was not submitted. A new trial begins; the kernel and the files stay as they are."
_VERDICT = re.compile(r"(?im)^[\s*_#>]*verdict[\s*_]*:[\s*_]*(right|wrong)\b")
_REFLECTION = re.compile(r"(?ims)^[\s*_#>]*reflection[\s*_]*:[\s*_]*(.*)")


class ReflexionSettings(ReactSettings):
    trials: int = Field(
        default=3,
        ge=1,
        le=20,
        description="how many trials it has; the answer of the last one is always submitted",
    )


class ReflexionAgent(ReactSuperAgent):
    """ReAct-SUPER that reviews its trial before it submits, and tries again if it finds the answer wrong.

    The model judges from its own steps: it is never told whether an answer is right.
    """

    name = "reflexion"

    def __init__(self, settings: ReflexionSettings, model: Model | None = None) -> None:
        super().__init__(settings, model)
        self._trials = settings.trials

    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        reply = super().next(task, history)
        answer = reply.action
        trial = 1 + sum(step.kind == REFLECT for step in history)
        if answer is None or answer.kind != SUBMIT or trial >= self._trials:
            return reply
        judging: list[Message] = [
            *self.prompts(task, history),
            {"role": "assistant", "content": said(Past(reply.thought, answer.kind, answer.content, ""))},
            {"role": "user", "content": prompt_text("reflect")},
        ]
        verdict = self._model.complete(judging, REFLECT)
        lesson = _lesson(verdict.text)
        if lesson is not None:
            answer = Action(REFLECT, f"{lesson}\n(The answer was {answer.content})", NEW_TRIAL)
        text = f"{reply.text}\n\n{verdict.text}"
        return replace(reply, action=answer, text=text, calls=(*reply.calls, verdict.call))


def _lesson(text: str) -> str | None:
    """What to do better if the verdict is "wrong"; None if it is "right" or there is no verdict."""
    verdict = _VERDICT.search(text)
    if not verdict or verdict[1].lower() == "right":
        return None
    reflection = _REFLECTION.search(text)
    return (reflection[1] if reflection else text[verdict.end() :]).strip()
