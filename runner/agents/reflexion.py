"""Reflexion: judges its own answer before it submits it, and tries again with what it learned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.agents.base import REFLECT, SUBMIT, Action, Assignment, Message, Past, Reply
from runner.agents.llm import Model
from runner.agents.messages import prompt_text, said
from runner.agents.react import ReactSettings
from runner.agents.react_super import ReactSuperAgent
from runner.agents.settings import setting
from runner.words import gettext_noop as _

NEW_TRIAL = "The answer was not submitted. A new trial begins; the kernel and the files stay as they are."
_VERDICT = re.compile(r"(?im)^[\s*_#>]*verdict[\s*_]*:[\s*_]*(right|wrong)\b")
_REFLECTION = re.compile(r"(?ims)^[\s*_#>]*reflection[\s*_]*:[\s*_]*(.*)")


@dataclass(frozen=True, slots=True)
class ReflexionSettings(ReactSettings):
    """As for ReAct, and how often to try."""

    trials: int = setting(
        3, about=_("how many answers it may find in all before it submits one"), minimum=1, maximum=20
    )


class ReflexionAgent(ReactSuperAgent):
    """ReAct-SUPER that rereads its trial before it submits, and tries again if it finds the answer wrong.

    The verdict is the model's own, from what it did and saw: nobody tells it whether an answer is right.
    """

    name = "reflexion"

    def __init__(self, settings: ReflexionSettings, model: Model | None = None) -> None:
        super().__init__(settings, model)
        self._trials = settings.trials

    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        """See the contract."""
        reply = super().next(task, history)
        answer = reply.action
        trial = 1 + sum(step.kind == REFLECT for step in history)
        if answer is None or answer.kind != SUBMIT or trial >= self._trials:
            return reply
        verdict = self._model.complete(self.judging_prompts(task, history, reply.thought, answer), REFLECT)
        lesson = _lesson(verdict.text)
        if lesson is not None:
            answer = Action(REFLECT, f"{lesson}\n(The answer was {answer.content})", NEW_TRIAL)
        text = f"{reply.text}\n\n{verdict.text}"
        return replace(reply, action=answer, text=text, calls=(*reply.calls, verdict.call))

    def judging_prompts(
        self, task: Assignment, history: Sequence[Past], thought: str, answer: Action
    ) -> list[Message]:
        """What the model is shown to judge an answer that it is about to submit. Pure."""
        submission = said(Past(thought, answer.kind, answer.content, ""))
        return [
            *self.prompts(task, history),
            {"role": "assistant", "content": submission},
            {"role": "user", "content": prompt_text("reflect")},
        ]


def _lesson(text: str) -> str | None:
    """What to do better, where the verdict is "wrong"; a judge who gives none lets the answer pass."""
    verdict = _VERDICT.search(text)
    if not verdict or verdict[1].lower() == "right":
        return None
    reflection = _REFLECTION.search(text)
    return (reflection[1] if reflection else text[verdict.end() :]).strip()
