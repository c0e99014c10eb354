"""Builds the steps of a trajectory from messages and events, whose observations come later."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Step, StepKind
from leaderboard.formats.tool_calls import TALK, Call, answer_in


@dataclass(slots=True)
class Draft:
    """A step in the making; ``seen`` are the parts of its observation, so far."""

    call: Call
    thought: str = ""
    started: str = ""
    duration: float | None = None
    pre_executed: bool = False
    seen: list[str] = field(default_factory=list)

    def step(self, number: int) -> Step:
        return Step(
            number=number,
            kind=self.call.kind,
            action_type=self.call.action_type,
            action=self.call.action,
            thought=self.thought,
            observation="\n\n".join(self.seen) if self.seen else None,
            duration=self.duration,
            started=self.started,
            pre_executed=self.pre_executed,
        )


class StepList:
    """Steps in order, findable by the id of the call that made them."""

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
        """Add a step; ``call_id`` is what its observation will refer to."""
        self._drafts.append(draft)
        self.know(draft, call_id)
        return draft

    def know(self, draft: Draft, call_id: JsonValue) -> None:
        """Let a step be found by a further id."""
        if isinstance(call_id, str | int):
            self._by_id[str(call_id)] = draft

    def find(self, call_id: JsonValue) -> Draft | None:
        """The step made by the call with this id."""
        return self._by_id.get(str(call_id)) if isinstance(call_id, str | int) else None

    def build(self, *, name: str, place: str) -> tuple[Step, ...]:
        """The steps; what an agent says after it has submitted belongs to the submission.

        Raises:
            InputError: there is none.
        """
        while len(self._drafts) > 1 and _is_afterword(*self._drafts[-2:]):
            word = self._drafts.pop()
            self._drafts[-1].seen += [text for text in (word.thought, *word.seen) if text]
        if not self._drafts:
            reason = "the agent did not take a step"
            raise InputError(Problem(name, place, reason, "leave out attempts that never began"))
        return tuple(draft.step(number) for number, draft in enumerate(self._drafts, start=1))

    def answer(self) -> JsonValue | Missing:
        """What the last step submits, or MISSING."""
        return answer_in(self._drafts[-1].call.submitted) if self._drafts else MISSING


def talk(text: str, *, started: str = "") -> Draft:
    """A step in which the agent only spoke."""
    return Draft(Call(StepKind.OTHER, TALK, ""), text, started)


def _is_afterword(before: Draft, last: Draft) -> bool:
    return before.call.kind is StepKind.SUBMIT and last.call.action_type == TALK and not last.call.action
