"""The agents that can be run, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runner.agents import scripted
from runner.agents.base import Agent, Setting
from runner.agents.react import ReactAgent, ReactSettings
from runner.agents.react_super import ReactSuperAgent
from runner.agents.reflexion import ReflexionAgent, ReflexionSettings
from runner.agents.scripted import ScriptedSettings
from runner.agents.settings import SettingError, describe, fill
from runner.words import gettext_noop


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A kind of agent.

    Attributes:
        description: one sentence for whoever chooses one.
        settings: a dataclass whose fields are made by ``runner.agents.settings.setting``.
        make: from settings to the agent; raises ValueError where they lead to none.
    """

    description: str
    settings: type[Any]
    make: Callable[[Any], Agent]

    def form(self) -> tuple[Setting, ...]:
        """Its settings, in order, for a form."""
        return describe(self.settings)


REGISTRY: Mapping[str, AgentKind] = {
    "react": AgentKind(
        gettext_noop("A language model that runs cells and submits an answer."), ReactSettings, ReactAgent
    ),
    "react-super": AgentKind(
        gettext_noop("A language model that runs cells, edits files and submits an answer."),
        ReactSettings,
        ReactSuperAgent,
    ),
    "reflexion": AgentKind(
        gettext_noop(
            "ReAct-SUPER that judges its own answer before it submits it, and tries again if that is wrong."
        ),
        ReflexionSettings,
        ReflexionAgent,
    ),
    "scripted": AgentKind(
        gettext_noop("No language model: follows a list of actions that was written beforehand."),
        ScriptedSettings,
        scripted.make,
    ),
}


def make_agent(name: str, settings: Mapping[str, Any]) -> Agent:
    """An agent with these settings; what they leave out has its default.

    Raises:
        ValueError: there is no such agent, or a setting is unknown, missing or wrong; names the setting.
    """
    kind = REGISTRY.get(name)
    if kind is None:
        listed = ", ".join(REGISTRY)
        raise SettingError(
            "agent", gettext_noop("there is no agent {agent}; known are {known}"), agent=name, known=listed
        )
    return kind.make(fill(kind.settings, settings))
