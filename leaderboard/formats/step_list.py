"""Builds the steps of a trajectory from messages and events in which observations come later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Shown, Step, StepKind
from leaderboard.formats.amounts import NO_USAGE, Usage, seconds_between, time_text
from leaderboard.formats.shapes import NEVER_BEGAN
from leaderboard.formats.tool_calls import MESSAGE, Call, answer_in


@dataclass(slots=True)
class Draft:
    """An unfinished step; ``started`` is as in the file, ``observations`` are the parts so far.

    ``usage`` is that of the model's turn, for the turn's first step. ``agent`` is as in `Step`.
    """

    call: Call
    thought: str = ""
    started: JsonValue = None
    duration: float | None = None
    observations: list[str] = field(default_factory=list)
    media: list[Media] = field(default_factory=list)
    usage: Usage = NO_USAGE
    shown: Shown | None = None
    agent: str = ""

    def observe(self, text: str, *, media: Iterable[Media] = (), ended: JsonValue = None) -> None:
        """Add a part of the observation; the time when it ``ended`` gives the duration, if not known yet."""
        self.observations.append(text)
        self.media += media
        if self.duration is None and ended is not None:
            self.duration = seconds_between(self.started, ended)

    def step(self, number: int) -> Step:
        usage = self.usage
        return Step(
            number=number,
            kind=self.call.kind,
            action_type=self.call.action_type,
            action=self.call.action,
            thought=self.thought,
            observation="\n\n".join(self.observations) if self.observations else None,
            duration=self.duration,
            started=time_text(self.started),
            media=tuple(self.media),
            shown=self.shown,
            agent=self.agent,
            prompt_tokens=usage.prompt_tokens,
            response_tokens=usage.response_tokens,
            cost=usage.cost,
            cached_tokens=usage.cached_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        )


class StepList:
    """Steps in order, which can be found by the id of their call, and the texts before the first one."""

    def __init__(self) -> None:
        self.prompt = ""
        self.query = ""
        self._drafts: list[Draft] = []
        self._by_id: dict[str, Draft] = {}

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

    def tell(self, text: str, media: Iterable[Media] = ()) -> None:
        """A message to the agent: its query, or what it saw after its last step."""
        if self.last is None:
            self.query = self.query or text
        elif text:
            self.last.observe(text, media=media)

    def build(self, *, name: str, place: str) -> tuple[Step, ...]:
        """The steps; a message after the submission is added to the submission's observation.

        Raises:
            InputError: there is none.
        """
        while len(self._drafts) > 1 and _is_afterword(*self._drafts[-2:]):
            message = self._drafts.pop()
            self._drafts[-1].observations += filter(None, (message.thought, *message.observations))
            self._drafts[-1].media += message.media
        if not self._drafts:
            raise InputError(Problem(name, place, "the agent took no step", NEVER_BEGAN))
        return tuple(draft.step(number) for number, draft in enumerate(self._drafts, start=1))

    def answer(self) -> JsonValue | Missing:
        """The answer that the attempt's own last step submits, or MISSING: a sub-agent's is none."""
        own = next((draft for draft in reversed(self._drafts) if not draft.agent), None)
        return MISSING if own is None else answer_in(own.call.submitted)


def message_step(text: str, *, started: JsonValue = None) -> Draft:
    """A step in which the agent only wrote a message."""
    return Draft(Call(StepKind.OTHER, MESSAGE, ""), text, started)


def _is_afterword(before: Draft, last: Draft) -> bool:
    is_message = last.call.action_type == MESSAGE and not last.call.action
    return is_message and before.call.kind is StepKind.SUBMIT and before.agent == last.agent
