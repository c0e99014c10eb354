"""Builds the steps of agents that work in turns of a model, with the steps of their sub-agents in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats.amounts import MAX_AMOUNT, NO_USAGE, Usage
from leaderboard.formats.content import join_thoughts
from leaderboard.formats.documents import Notes, note_non_finite
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import MESSAGE, answer_in

_Seen = tuple[str, list[Media]]


@dataclass(slots=True)
class Turn:
    """One answer of a model: what it thought and said, its calls, and what the agent was told after it.

    ``raw_usage`` is for a format that gives ``usage`` only in the end.
    """

    started: JsonValue = None
    reasoning: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    calls: list[Draft] = field(default_factory=list)
    told: list[_Seen] = field(default_factory=list)
    usage: Usage = NO_USAGE
    raw_usage: JsonValue = None
    model: str = ""

    @property
    def thought(self) -> str:
        return join_thoughts(*self.reasoning, *self.texts)

    @property
    def words(self) -> str:
        """What it said, without what it thought."""
        return join_thoughts(*self.texts)

    def drafts(self) -> list[Draft]:
        """Its steps: one for each call, or a message; none if it said nothing."""
        thought = self.thought
        drafts = self.calls or ([message_step("", started=self.started)] if thought else [])
        if drafts:
            drafts[0].thought = thought
            drafts[0].usage = self.usage
            for text, media in self.told:
                drafts[-1].observe(text, media=media)
        return drafts


class Agent:
    """The turns of one agent; ``name`` is empty for the attempt's own."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.query = ""
        self.turns: list[Turn] = []
        self._by_key: dict[str, Turn] = {}

    def turn(self, key: JsonValue, started: JsonValue = None) -> Turn:
        """The turn with this key; a new one if there is none, or the key is no text."""
        if isinstance(key, str) and key in self._by_key:
            return self._by_key[key]
        turn = Turn(started)
        self.turns.append(turn)
        if isinstance(key, str):
            self._by_key[key] = turn
        return turn

    def tell(self, text: str, media: list[Media] | None = None) -> None:
        """A message to the agent: its query, or what it saw after its last turn."""
        if not self.turns:
            self.query = self.query or text
        elif text:
            self.turns[-1].told.append((text, media or []))


class Conversation:
    """An agent and its sub-agents; calls are found by their ids, whoever made them.

    ``names`` has the names of the sub-agents that calls start, by the call's id.
    """

    def __init__(self) -> None:
        self.main = Agent()
        self.calls: dict[str, Draft] = {}
        self.names: dict[str, str] = {}
        self.agents: list[Agent] = [self.main]
        self._under: dict[int, list[Agent]] = {}
        self._loose: list[Agent] = []

    def call(self, turn: Turn, draft: Draft, call_id: JsonValue) -> Draft:
        """Add a call to a turn."""
        turn.calls.append(draft)
        if isinstance(call_id, str):
            self.calls[call_id] = draft
        return draft

    def find(self, call_id: JsonValue) -> Draft | None:
        """The call with this id."""
        return self.calls.get(call_id) if isinstance(call_id, str) else None

    def start(self, agent: Agent, under: Draft | None) -> Agent:
        """Add a sub-agent that a call started; without a call its steps stand at the end."""
        self.agents.append(agent)
        (self._loose if under is None else self._under.setdefault(id(under), [])).append(agent)
        return agent

    def steps(self, prompt: str = "") -> StepList:
        """All steps in order, those of a sub-agent after the call that started it."""
        steps = StepList()
        steps.prompt, steps.query = prompt, self.main.query
        for draft in self._drafts(self.main):
            steps.add(draft)
        for agent in self._loose:
            for draft in self._drafts(agent):
                steps.add(draft)
        return steps

    def _drafts(self, agent: Agent, *, answered: bool = False) -> Iterator[Draft]:
        """The steps of an agent and of those under it; ``answered``: its last words are its call's result."""
        for turn in agent.turns:
            drafts = turn.drafts()
            if answered and turn is agent.turns[-1] and not turn.calls:
                return
            for draft in drafts:
                if agent.name:
                    draft.agent = agent.name
                    if draft.call.kind is StepKind.SUBMIT:
                        # It reports to the agent that started it; the attempt goes on.
                        draft.call = draft.call._replace(kind=StepKind.OTHER, submitted=None)
                yield draft
                for one in self._under.pop(id(draft), ()):
                    yield from self._drafts(one, answered=bool(draft.observations))

    def last_words(self) -> str:
        """What the agent said last, if it then ended without another call; else empty."""
        last = self.main.turns[-1] if self.main.turns else Turn()
        return "" if last.calls or last.told else last.words

    def usage(self) -> Usage:
        """The sum over all turns, those of sub-agents included."""
        found = [turn.usage for agent in self.agents for turn in agent.turns]
        sums = (_sum(one[position] for one in found) for position in range(len(NO_USAGE)))
        cost, *tokens = sums
        return Usage(cost, *(None if one is None else int(one) for one in tokens))

    def model(self) -> str:
        """The model of most of the agent's turns, the first of several; empty if none is named."""
        named = Counter(turn.model for turn in self.main.turns if turn.model)
        return named.most_common(1)[0][0] if named else ""


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and sum(known) <= MAX_AMOUNT else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: its ending and the file's own term for it.

    ``words`` are its last ones, its answer if it submitted none; empty if it did not end by itself.
    """

    words: str = ""
    ending: Ending = Ending.UNKNOWN
    detail: str = ""


def trajectory_of(
    conversation: Conversation,
    outcome: Outcome,
    *,
    format: str,  # noqa: A002 - as in Trajectory
    agent: str,
    name: str,
    notes: Notes,
    model: str = "",
    prompt: str = "",
    usage: Usage | None = None,
    elapsed: float | None = None,
) -> Trajectory:
    """The trajectory of a conversation: what it submitted, else its last words, is its answer.

    Raises:
        InputError: the agent took no step.
    """
    steps = conversation.steps(prompt)
    built = steps.build(name=name, place="")
    answer, submits = steps.answer(), built[-1].kind is StepKind.SUBMIT
    ending, detail = outcome.ending, outcome.detail
    if submits:
        ending, detail = Ending.SUBMITTED, built[-1].action_type
    elif ending in (Ending.UNKNOWN, Ending.SUBMITTED):
        answer = answer_in(outcome.words)
        ending = Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED
        detail = detail or (MESSAGE if answer is not MISSING else "")
    note_non_finite(answer, place="", notes=notes)
    return Trajectory(
        steps=built,
        format=format,
        query=steps.query,
        prompt=prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        **(usage or conversation.usage())._asdict(),
        warnings=notes.all(),
        agent=agent,
        model=model or conversation.model(),
        elapsed=elapsed,
    )


def at_least(stated: Usage, counted: Usage) -> Usage:
    """The stated totals, or what was counted where that is more."""
    cost, *counts = (_more(*pair) for pair in zip(stated, counted, strict=True))
    return Usage(cost, *(None if each is None else int(each) for each in counts))


def _more(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return max(known) if known else None
