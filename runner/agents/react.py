"""ReAct: one thought and one action at a time, with cells and a submission to work with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.agents.base import EXECUTE, SUBMIT, Agent, Assignment, Message, Past, Reply
from runner.agents.llm import Model, ModelSettings
from runner.agents.messages import NEW_OBSERVATION, OLD_OBSERVATION, build, prompt_text
from runner.agents.replies import parse_reply
from runner.agents.settings import setting
from runner.words import gettext_noop as _


@dataclass(frozen=True, slots=True)
class ReactSettings(ModelSettings):
    """The model, and how much it is shown."""

    older_observation: int = setting(
        OLD_OBSERVATION, about=_("characters shown of the end of each older observation"), minimum=0
    )
    newest_observation: int = setting(
        NEW_OBSERVATION, about=_("characters shown of the end of the newest observation"), minimum=0
    )


class ReactAgent(Agent):
    """Asks a model for the next step.

    Attributes:
        instructions: which file of ``prompts/`` tells the model what it can do.

    Args:
        settings: the model, and how much it is shown.
        model: to be asked; made from the settings unless given.
    """

    name = "react"
    actions: tuple[str, ...] = (EXECUTE, SUBMIT)
    instructions = "react"

    def __init__(self, settings: ReactSettings, model: Model | None = None) -> None:
        self._settings = settings
        self._model = model or Model(settings)

    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        """See the contract."""
        completion = self._model.complete(self.prompts(task, history), "act")
        parsed = parse_reply(completion.text, self.actions, cut_off=completion.cut_off)
        problem = f"{parsed.problem}\n{prompt_text('format')}" if parsed.problem else ""
        return Reply(parsed.thought, parsed.action, problem, completion.text, (completion.call,))

    def prompts(self, task: Assignment, history: Sequence[Past]) -> list[Message]:
        """See the contract."""
        return build(
            prompt_text(self.instructions),
            task,
            history,
            older=self._settings.older_observation,
            newest=self._settings.newest_observation,
        )

    def settings(self) -> Mapping[str, Any]:
        """See the contract."""
        return dataclasses.asdict(self._settings)

    def close(self) -> None:
        """See the contract."""
        self._model.close()
