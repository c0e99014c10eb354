"""Builds the steps of a trajectory from messages and events in which observations come later."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Step, StepKind
from leaderboard.formats.tool_calls import MESSAGE, Call, answer_in


@dataclass(slots=True)
class Draft:
    """An unfinished step; ``observations`` are the parts of its observation so far."""

    call: Call
    thought: str = ""
    started: str = ""
    duration: float | None = None
    pre_executed: bool = False
    observations: list[str] = field(default_factory=list)

    def step(self, number: int) -> Step:
        return Step(
            number=number,
            kind=self.call.kind,
            action_type=self.call.action_type,
            action=self.call.action,
            thought=self.thought,
            observation="\n\n".join(self.observations) if self.observations else None,
            duration=self.duration,
            started=self.started,
            pre_executed=self.pre_executed,
        )


class StepList:
    """Steps in order, which can be found by the id of their call."""

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._by_id: dict[str, Draft] = {}

    def __len__(self) -> int:
        return len(self._drafts)

    @property
    def last(self) -> Draft | None:
        """The step added last."""
        return self._drafts[-1] if self._drafts else None

    def add(self, draft: Draft, *, call_id: JsonValue = None) -> Draft:
        """Add a step; its observation will refer to ``call_id``."""
        self._drafts.append(draft)
        self.add_id(draft, call_id)
        return draft

    def add_id(self, draft: Draft, call_id: JsonValue) -> None:
        """Give a step another id for `find`."""
        if isinstance(call_id, str | int):
            self._by_id[str(call_id)] = draft

    def find(self, call_id: JsonValue) -> Draft | None:
        """The step of the call with this id."""
        return self._by_id.get(str(call_id)) if isinstance(call_id, str | int) else None

    def build(self, *, name: str, place: str) -> tuple[Step, ...]:
        """The steps; a message after the submission is added to the submission's observation.

        Raises:
            InputError: there is none.
        """
        while len(self._drafts) > 1 and _is_afterword(*self._drafts[-2:]):
            message = self._drafts.pop()
            self._drafts[-1].observations += [
                text for text in (message.thought, *message.observations) if text
            ]
        if not self._drafts:
            reason = "the agent took no step"
            raise InputError(Problem(name, place, reason, "leave out attempts that never began"))
        return tuple(draft.step(number) for number, draft in enumerate(self._drafts, start=1))

    def answer(self) -> JsonValue | Missing:
        """The answer that the last step submits, or MISSING."""
        return answer_in(self._drafts[-1].call.submitted) if self._drafts else MISSING


def message_step(text: str, *, started: str = "") -> Draft:
    """A step in which the agent only wrote a message."""
    return Draft(Call(StepKind.OTHER, MESSAGE, ""), text, started)


def _is_afterword(before: Draft, last: Draft) -> bool:
    return before.call.kind is StepKind.SUBMIT and last.call.action_type == MESSAGE and not last.call.action
