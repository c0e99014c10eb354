"""The contract of agents: from the task and the history to the next action, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict

from runner.words import Template, Told, Value

EXECUTE = "execute"
EDIT = "edit"
SUBMIT = "submit"
INTERRUPT = "interrupt"
WAIT = "continue_wait"
REFLECT = "reflect"

WHILE_RUNNING = (INTERRUPT, WAIT)
"""What an agent can answer while a cell that ran out of its time still runs; every agent knows these."""


class Message(TypedDict):
    """One message of a chat, as OpenAI-compatible endpoints take it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """All that an agent may know of a task. It holds no gold answer, landmark or solution."""

    task_id: str
    query: str


@dataclass(frozen=True, slots=True)
class Past:
    """A step that was taken, as an agent looks back on it.

    Attributes:
        kind: the action's type; empty where the reply could not be read, and ``content`` is then all of it.
        pre_executed: run before the agent took over.
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
        content: a cell, an edit (see ``runner.edits``), or JSON to submit.
        observation: where the agent answers itself, and nothing is to be executed; otherwise None.
    """

    kind: str
    content: str
    observation: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model.

    Attributes:
        purpose: ``act``, or what else the agent asked for.
        digest: SHA-256 of the messages, to check that they are reproduced from a record.
        cost: US dollars.
        estimated: the endpoint did not count the tokens; they are a quarter of the characters.
        tries: 1 where the first try succeeded.
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
        action: None where there is none, because the reply can't be read or the agent is done.
        problem: why it can't be read and what to do about it, in words for the agent; empty otherwise.
        text: all that the model wrote.
        calls: what it took; may be several.
        done: the agent has nothing to do any more and has not submitted.
    """

    thought: str = ""
    action: Action | None = None
    problem: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    done: bool = False

    @property
    def prompt_tokens(self) -> int:
        """Over all calls."""
        return sum(call.prompt_tokens for call in self.calls)

    @property
    def response_tokens(self) -> int:
        """Over all calls."""
        return sum(call.response_tokens for call in self.calls)

    @property
    def cost(self) -> float:
        """US dollars over all calls."""
        return sum(call.cost for call in self.calls)


class AgentUnavailable(Told, RuntimeError):
    """The agent can't answer, and it is not its fault; the sentence says why and what to do.

    Attributes:
        retry: whether it may help to try the attempt again later.
    """

    def __init__(self, template: Template, *, retry: bool, **values: Value) -> None:
        super().__init__(template, **values)
        self.retry = retry


class PromptTooLong(RuntimeError):
    """The history does not fit into the model's window any more; the message has the endpoint's words."""


class Agent(ABC):
    """Decides what to do next.

    An agent is a function of the task and the history: it keeps nothing from call to call, so that what it
    was shown can be worked out again from a record of the steps.

    Attributes:
        name: its name in the registry.
        actions: the types of action that it knows, in the order in which a message lists them.
    """

    name: str
    actions: tuple[str, ...]

    @abstractmethod
    def next(self, task: Assignment, history: Sequence[Past]) -> Reply:
        """The next action. May take minutes; is called from a thread of its own, never twice at a time.

        Raises:
            AgentUnavailable: the model can't be reached or refuses us.
            PromptTooLong: the model's window is too small for the history.
        """

    def settings(self) -> Mapping[str, Any]:
        """What makes the same agent again with ``make_agent``. Goes into records: holds no secret."""
        return {}

    def limits(self) -> Mapping[str, Any]:
        """Fields of ``runner.execution.Limits`` that this agent wants different from the defaults."""
        return {}

    def prompts(self, task: Assignment, history: Sequence[Past]) -> list[Message]:
        """What its model is shown to choose the next action; nothing where there is no model. Pure."""
        return []

    def close(self) -> None:  # noqa: B027 - most agents have nothing to give up
        """Gives up a call of ``next`` that is on its way, soon. Called from another thread, once."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of an agent, for a form.

    Attributes:
        kind: ``text``, ``integer``, ``number`` or ``flag``.
        optional: can be left empty, which means none.
        required: has no default.
    """

    name: str
    kind: str
    help: Template
    default: Any = None
    optional: bool = False
    required: bool = False
    minimum: float | None = field(default=None)
    maximum: float | None = field(default=None)
