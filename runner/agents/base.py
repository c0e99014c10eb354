"""The interface of agents: given the task and the history, an agent chooses the next action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict

EXECUTE = "execute"
EDIT = "edit"
SUBMIT = "submit"
INTERRUPT = "interrupt"
WAIT = "continue_wait"
REFLECT = "reflect"

WHILE_RUNNING = (INTERRUPT, WAIT)
"""Actions for a cell that still runs after its time limit. Every agent knows them."""


class Message(TypedDict):
    """One message of a chat, as OpenAI-compatible endpoints accept it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an agent may know about a task: no gold answer, landmark or solution."""

    task_id: str
    query: str


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier step, as an agent sees it.

    Attributes:
        kind: the action's type. Empty where the reply could not be read; ``content`` is then the whole reply.
        pre_executed: executed before the agent started.
    """

    thought: str
    kind: str
    content: str
    observation: str
    pre_executed: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """What an agent wants done.

    Attributes:
        kind: its type, as the agent wrote it.
        content: a cell, an edit (see ``runner.execution.edits``), or JSON to submit.
        observation: given by the agent itself where nothing is to be executed; otherwise None.
    """

    kind: str
    content: str
    observation: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model.

    Attributes:
        purpose: ``act``, or ``reflect`` for an agent that judges its answer.
        digest: SHA-256 of the messages, to check messages that are rebuilt from a record.
        cost: US dollars.
        estimated: the endpoint did not count the tokens, so they are a quarter of the characters.
        tries: how many requests it took; 1 where the first succeeded.
    """

    purpose: str
    digest: str
    prompt_tokens: int
    response_tokens: int
    cost: float
    estimated: bool
    tries: int
    asked: datetime
    answered: datetime


@dataclass(frozen=True, slots=True)
class Reply:
    """What an agent answers.

    Attributes:
        action: None where the reply can't be read or the agent is done.
        problem: tells the agent why its reply can't be read and what to do; otherwise empty.
        text: the whole reply of the model.
        calls: the calls of the model that it took.
        done: the agent has nothing more to do and submits no answer.
    """

    thought: str = ""
    action: Action | None = None
    problem: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    done: bool = False


class AgentUnavailable(RuntimeError):
    """The agent can't answer, and not because of what it did. The message says why and what to do.

    Attributes:
        retry: whether the attempt may work when it is tried again later.
    """

    def __init__(self, message: str, *, retry: bool) -> None:
        super().__init__(message)
        self.retry = retry


class PromptTooLong(RuntimeError):
    """The history does not fit into the model's context window. The message is the endpoint's."""


class Agent(ABC):
    """Decides what to do next.

    An agent keeps no state between calls: its prompts depend on the task and the history alone, so that they
    can be rebuilt from a record of the steps.

    Attributes:
        name: its name in the registry.
        actions: the types of action that it knows, in the order in which messages list them.
    """

    name: str
    actions: tuple[str, ...]

    @abstractmethod
    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        """The next action. May take minutes. Called from its own thread, one call at a time.

        Raises:
            AgentUnavailable: the model can't be reached or refuses the request.
            PromptTooLong: the history does not fit into the model's context window.
        """

    def settings(self) -> Mapping[str, Any]:
        """Settings from which ``make_agent`` makes the same agent. They are recorded: no secrets."""
        return {}

    def limits(self) -> Mapping[str, Any]:
        """Fields of ``runner.execution.limits.Limits`` that this agent changes from the defaults."""
        return {}

    def prompts(self, task: Assignment, history: Sequence[Past]) -> list[Message]:
        """The messages that its model gets to choose the next action; empty for no model. Pure."""
        return []

    def close(self) -> None:  # noqa: B027 - most agents have nothing to end
        """Makes a running call of ``next`` end soon. Called once, from another thread."""
