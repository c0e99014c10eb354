"""All agents by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runner.agents import scripted
from runner.agents.base import Agent
from runner.agents.react import ReactAgent, ReactSettings, ReactSuperAgent
from runner.agents.reflexion import ReflexionAgent, ReflexionSettings
from runner.agents.scripted import ScriptedSettings
from runner.agents.settings import SettingError, Settings, fill


@dataclass(frozen=True, slots=True)
class AgentKind:
    """A kind of agent; ``make`` raises ValueError for settings that can't be used."""

    description: str
    settings: type[Settings]
    make: Callable[[Any], Agent]


REGISTRY: Mapping[str, AgentKind] = {
    "react": AgentKind("A language model that runs cells and submits an answer.", ReactSettings, ReactAgent),
    "react-super": AgentKind(
        "A language model that runs cells, edits files and submits an answer.", ReactSettings, ReactSuperAgent
    ),
    "reflexion": AgentKind(
        "ReAct-SUPER that judges its own answer before it submits it, and tries again if that is wrong.",
        ReflexionSettings,
        ReflexionAgent,
    ),
    "scripted": AgentKind(
        "No language model: follows a list of actions from a file.", ScriptedSettings, scripted.make
    ),
}


def make_agent(name: str, settings: Mapping[str, Any]) -> Agent:
    """An agent with these settings, and defaults for the others.

    Raises:
        ValueError: there is no such agent, or a setting is unknown, missing or wrong; names the setting.
    """
    kind = REGISTRY.get(name)
    if kind is None:
        raise SettingError("agent", f"there is no agent {name}; known are {', '.join(REGISTRY)}")
    return kind.make(fill(kind.settings, settings))
