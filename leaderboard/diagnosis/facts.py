"""What happened in an attempt, whatever stopped it: each fact is a `Finding` of one of ``FACTS``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.diagnosis.model import Confidence, Finding, evidence
from leaderboard.diagnosis.numbers import How, Number
from leaderboard.diagnosis.outputs import Event, Outcome, command_of
from leaderboard.domain.amounts import dollars
from leaderboard.domain.durations import duration_text
from leaderboard.domain.repetitions import LEAST, find_repetitions
from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import Ending, StepKind, Trajectory

FACTS: Final = ("last-error", "repetition", "slowest-command", "last-landmark", "budget", "number")
"""The kinds of facts, in the order in which they are told."""
WIDEST_GAP: Final = 3
"""Steps from one sending of an action to the next: with more between them it is a new try."""
SHORTEST_SLOW: Final = 60.0
"""Seconds that a command took at least to be told of, and at least ``SLOW_SHARE`` of all."""
SLOW_SHARE: Final = 0.3
MOST_NUMBERS: Final = 10
"""Numbers of an answer whose first place is told."""

_NOT_SENT: Final = (StepKind.WAIT, StepKind.INTERRUPT, StepKind.EXCEPTION)
_NAMES: Final = {StepKind.EDIT: "edit", StepKind.CREATE: "edit", StepKind.VIEW: "look at a file"}
_ENDED: Final = {
    Ending.CONTEXT: "Its context was used up",
    Ending.COST: "Its cost limit was reached",
    Ending.TIME: "Its time was used up",
    Ending.STEPS: "Its steps were used up",
    Ending.EXCEPTION: "It ended by an exception",
    Ending.SUBMITTED: "It submitted",
    Ending.EMPTY: "It submitted no result",
    Ending.UNKNOWN: "It ended",
}


def find_facts(
    trajectory: Trajectory,
    events: Sequence[Event],
    numbers: Sequence[Number],
    landmarks: Sequence[LandmarkResult],
) -> Iterator[Finding]:
    """The facts of an attempt in the order of ``FACTS``."""
    yield from _last_error(events)
    yield from _repetition(events)
    yield from _slowest(events)
    yield from _last_landmark(events, landmarks)
    yield _budget(trajectory)
    yield from (_origin(number) for number in numbers[:MOST_NUMBERS])


def _last_error(events: Sequence[Event]) -> Iterator[Finding]:
    failed = [event for event in events if event.outcome is Outcome.FAILED]
    if failed:
        step = failed[-1].step
        sentence = f"The last command that failed: {_shown(command_of(step))}"
        yield Finding(
            "last-error", sentence, step.number, step.number, evidence(failed[-1].line), step.number
        )


def _repetition(events: Sequence[Event]) -> Iterator[Finding]:
    """The longest repetition; without any, the action that was sent again and again with others between."""
    repeated = _without_gaps(events) or _with_gaps(events)
    if not repeated:
        return
    first, last = repeated[0].step, repeated[-1].step
    name = _NAMES.get(last.kind, "command")
    refused = sum(event.outcome is Outcome.REFUSED for event in repeated)
    failed = sum(event.outcome in (Outcome.FAILED, Outcome.SLOW) for event in repeated)
    how = f"refused {refused:,} times" if refused > failed else f"sent {len(repeated):,} times"
    what = f"the same {name} {how}"
    if last.kind is StepKind.FORMAT_ERROR:
        what = f"{len(repeated):,} replies that were not in the form asked for"
    elif failed > refused:
        what += f", {failed:,} of them without success"
    sentence = f"Steps {first.number} to {last.number}: {what}."
    line = evidence(repeated[-1].line)
    yield Finding("repetition", sentence, first.number, last.number, line, last.number)


def _without_gaps(events: Sequence[Event]) -> list[Event]:
    """The longest run of steps that do the same with the same result, as the steps are shown folded."""
    kinds = {event.step.number: event.step.kind for event in events}
    found = find_repetitions([event.step for event in events])
    sent = (each for each in found if kinds[each.first] not in _NOT_SENT)
    longest = max(sent, key=lambda each: each.times, default=None)
    return [event for event in events if longest and longest.first <= event.step.number <= longest.last]


def _with_gaps(events: Sequence[Event]) -> list[Event]:
    """The action that was sent most often with at most ``WIDEST_GAP`` steps from one time to the next."""
    runs: dict[str, list[int]] = {}
    longest: list[int] = []
    for index, event in enumerate(events):
        action = " ".join(event.step.action.split())
        if event.step.kind in _NOT_SENT or (not action and event.step.kind is not StepKind.FORMAT_ERROR):
            continue
        run = runs.get(action)
        if run is None or index - run[-1] > WIDEST_GAP:
            run = runs[action] = []
        run.append(index)
        if len(run) > len(longest):
            longest = run
    return [events[index] for index in longest] if len(longest) >= LEAST else []


def _slowest(events: Sequence[Event]) -> Iterator[Finding]:
    by_command: dict[str, list[Event]] = {}
    for event in events:
        if event.step.duration:
            by_command.setdefault(command_of(event.step), []).append(event)
    seconds = {command: sum(e.step.duration or 0.0 for e in each) for command, each in by_command.items()}
    total = sum(seconds.values())
    command = max(seconds, key=lambda each: seconds[each], default="")
    if not total or seconds[command] < max(SHORTEST_SLOW, SLOW_SHARE * total):
        return
    steps = by_command[command]
    times = plural(len(steps), "once", "{n} times")
    sentence = (
        f"Of {duration_text(total)} of execution, {duration_text(seconds[command])} went to one command, "
        f"executed {times}: {_shown(command)}"
    )
    yield Finding("slowest-command", sentence, steps[0].step.number, steps[-1].step.number)


def _last_landmark(events: Sequence[Event], landmarks: Sequence[LandmarkResult]) -> Iterator[Finding]:
    """The landmark that the agent reached last, of those whose places may be told."""
    own = {event.step.number for event in events}
    firsts = [(found.first_step, found.number) for found in landmarks if found.first_step in own]
    if not firsts:
        return
    step, number = max((step or 0, number) for step, number in firsts)
    after = sum(event.step.number > step for event in events)
    followed = plural(after, "{n} step followed", "{n} steps followed")
    sentence = f"The last landmark that is shown, number {number}, was reached in step {step}; {followed}."
    yield Finding("last-landmark", sentence, step, step)


def _budget(trajectory: Trajectory) -> Finding:
    steps = [
        step for step in trajectory.steps if not step.pre_executed and step.kind is not StepKind.EXCEPTION
    ]
    used = [plural(len(steps), "{n} step", "{n} steps")]
    if trajectory.duration is not None:
        used.append(f"{duration_text(trajectory.duration)} of execution")
    if trajectory.prompt_tokens is not None:
        used.append(f"{trajectory.prompt_tokens:,} prompt tokens")
    if trajectory.cost is not None:
        used.append(dollars(trajectory.cost))
    last = trajectory.steps[-1].number if trajectory.steps else None
    sentence = f"{_ENDED[trajectory.shown_ending]} after {', '.join(used)}."
    return Finding("budget", sentence, last, last)


def _origin(number: Number) -> Finding:
    name = f"{number.name or 'The answer'} = {number.value:.10g}"
    if not number.seen:
        how = "not seen in any output" if number.is_telling else "not seen in an output with its name"
        return Finding("number", f"{name}: {how}.", confidence=Confidence.MEDIUM)
    seen = min(number.as_it_is or number.seen, key=lambda each: (each.step, each.how))
    how = {How.PRINTED: "printed", How.ROUNDED: "rounded", How.SCALED: "in another scale"}[seen.how]
    sentence = f"{name}: first seen in step {seen.step}, {how}."
    return Finding("number", sentence, seen.step, seen.step, evidence(seen.line), seen.step)


def _shown(command: str) -> str:
    return evidence(command)[:120] or "(empty)"
