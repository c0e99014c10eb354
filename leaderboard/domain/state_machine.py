"""A state machine as data: the transitions and their causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

State = TypeVar("State", bound=StrEnum)


class IllegalTransition(ValueError):
    """The state machine does not allow this transition."""


@dataclass(frozen=True, slots=True)
class StateMachine(Generic[State]):
    """The states and transitions of one kind of object.

    Attributes:
        noun: the kind of object with its article: ``a job``.
        start: the first state.
        transitions: for each state the states that can follow it, each with the cause.
        ends: states in which it can end, each with a cause, which may be empty.
    """

    noun: str
    start: State
    transitions: Mapping[State, Mapping[State, str]]
    ends: Mapping[State, str]

    def check(self, current: State, wanted: State) -> None:
        """Raise `IllegalTransition` unless ``wanted`` can follow ``current``."""
        if wanted not in self.transitions[current]:
            allowed = ", ".join(self.transitions[current]) or "nothing"
            raise IllegalTransition(
                f"{self.noun} that is {current} can't become {wanted}; it can become: {allowed}"
            )

    def diagram(self) -> str:
        """The transitions as a Mermaid state diagram, for the documentation."""
        lines = ["stateDiagram-v2", f"    [*] --> {self.start}"]
        for state, following in self.transitions.items():
            lines += [f"    {state} --> {wanted}: {why}" for wanted, why in following.items()]
        lines += [f"    {state} --> [*]" + (f": {why}" if why else "") for state, why in self.ends.items()]
        return "\n".join(lines)
