"""ReAct: one thought and one action at a time. ReAct-SUPER also edits files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from runner.agents.base import EDIT, EXECUTE, SUBMIT, Agent, Assignment, Message, Past, Reply
from runner.agents.llm import Model, ModelSettings
from runner.agents.messages import NEW_OBSERVATION, OLD_OBSERVATION, build, prompt_text
from runner.agents.replies import parse_reply


class ReactSettings(ModelSettings):
    older_observation: int = Field(
        default=OLD_OBSERVATION,
        ge=0,
        description="how many last characters of each older observation are shown",
    )
    newest_observation: int = Field(
        default=NEW_OBSERVATION,
        ge=0,
        description="how many last characters of the newest observation are shown",
    )


class ReactAgent(Agent):
    """Asks a model for the next step: it runs cells and submits an answer.

    Attributes:
        instructions: name of the file in ``prompts/`` with the system prompt.
    """

    name = "react"
    actions: tuple[str, ...] = (EXECUTE, SUBMIT)
    instructions = "react"

    def __init__(self, settings: ReactSettings, model: Model | None = None) -> None:
        self._settings = settings
        self._model = model or Model(settings)

    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        completion = self._model.complete(self.prompts(task, history), "act")
        reply = parse_reply(completion.text, self.actions, cut_off=completion.cut_off)
        problem = f"{reply.problem}\n{prompt_text('format')}" if reply.problem else ""
        return replace(reply, problem=problem, calls=(completion.call,))

    def prompts(self, task: Assignment, history: Sequence[Past]) -> list[Message]:
        return build(
            prompt_text(self.instructions),
            task,
            history,
            older=self._settings.older_observation,
            newest=self._settings.newest_observation,
        )

    def settings(self) -> Mapping[str, Any]:
        return self._settings.model_dump()

    def close(self) -> None:
        self._model.close()


class ReactSuperAgent(ReactAgent):
    """`ReactAgent` with the ``edit`` action."""

    name = "react-super"
    actions = (EXECUTE, EDIT, SUBMIT)
    instructions = "react_super"
