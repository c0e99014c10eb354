"""A state machine as data: which state can follow which, and what makes it follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

State = TypeVar("State", bound=StrEnum)


class IllegalTransition(ValueError):
    """Something can't go from its state to the one asked for."""


@dataclass(frozen=True, slots=True)
class StateMachine(Generic[State]):
    """Every transition of one kind of thing.

    Attributes:
        noun: what is in these states, with its article: ``a job``.
        start: the state in which it begins.
        transitions: for each state those that can follow it, each with what makes it follow.
        ends: states in which it can end, each with the reason; empty where there is nothing to say.
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
        """The transitions as a Mermaid state diagram, as the documentation shows it."""
        lines = ["stateDiagram-v2", f"    [*] --> {self.start}"]
        for state, following in self.transitions.items():
            lines += [f"    {state} --> {wanted}: {why}" for wanted, why in following.items()]
        lines += [f"    {state} --> [*]" + (f": {why}" if why else "") for state, why in self.ends.items()]
        return "\n".join(lines)
