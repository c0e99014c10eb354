"""Diagnose an attempt: what it was stuck at or what is wrong with its answer, and the facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from leaderboard.diagnosis.answers import check_answer, find_given_up, has_result, template_of
from leaderboard.diagnosis.classes import CLASSES
from leaderboard.diagnosis.data import check_data
from leaderboard.diagnosis.facts import find_facts
from leaderboard.diagnosis.model import Confidence, Diagnosis, Finding, evidence
from leaderboard.diagnosis.numbers import find_numbers, numbers_of
from leaderboard.diagnosis.obstacles import READING, SLOW, Obstacle, find_obstacles
from leaderboard.diagnosis.origins import check_origins
from leaderboard.diagnosis.outputs import read_event
from leaderboard.diagnosis.request import check_request
from leaderboard.domain.durations import duration_text
from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import Ending, Trajectory

LONGEST_QUERY: Final = 8_000
"""Characters of a query that are read."""
MOST: Final = 3
"""Findings of one attempt."""
SMALLEST_SHARE: Final = 0.1
"""Of an attempt's effort: what took less stopped nothing. A further finding took at least twice as much."""
MUCH_READING: Final = 10
"""Steps of reading that may have used up a budget."""
_UNTIL: Final = {
    Ending.CONTEXT: "until its context was used up",
    Ending.COST: "until its cost limit was reached",
    Ending.TIME: "until its time was used up",
    Ending.STEPS: "until its steps were used up",
    Ending.EXCEPTION: "until it ended by an exception",
}
_TIMES: Final = {
    "edit-failed": ("{n} edit", "{n} edits"),
    "format-error": ("{n} reply", "{n} replies"),
}


def diagnose(trajectory: Trajectory, landmarks: Sequence[LandmarkResult] = ()) -> Diagnosis:
    """Why an attempt failed, if it did, and the facts. Linear in the trajectory; never raises.

    ``landmarks`` are those of a scoring: without the places of landmarks that reveal the gold answer.
    Nothing else of a task is known here, so a diagnosis can't tell whether an answer is right.
    """
    if not trajectory.steps:
        return Diagnosis()
    query = trajectory.query[:LONGEST_QUERY]
    events = [read_event(step) for step in trajectory.steps if not step.pre_executed]
    numbers = numbers_of(trajectory.answer)
    all_searched = find_numbers(numbers, trajectory.steps)
    if has_result(trajectory.answer):
        found = [
            *check_answer(trajectory.answer, template_of(query), numbers, all_searched=all_searched),
            *check_origins(query, events, numbers),
            *check_data(query, events),
            *check_request(query, trajectory.steps, events),
        ]
    else:
        found = list(_obstacles(find_obstacles(events, trajectory.shown_ending), trajectory.shown_ending))
        given_up = find_given_up(trajectory)
        if given_up:
            found.insert(0, given_up)
    facts = find_facts(trajectory, events, numbers if all_searched else (), landmarks)
    return Diagnosis(tuple(_one_a_class(found))[:MOST], tuple(facts))


def _one_a_class(findings: Iterable[Finding]) -> Iterator[Finding]:
    seen = set()
    for finding in findings:
        if finding.kind not in seen:
            seen.add(finding.kind)
            yield finding


def _obstacles(obstacles: Sequence[Obstacle], ending: Ending) -> Iterator[Finding]:
    for number, obstacle in enumerate(obstacles):
        if obstacle.kind == READING and (number or ending not in _UNTIL or obstacle.steps < MUCH_READING):
            continue
        if obstacle.share >= SMALLEST_SHARE * (2 if number else 1):
            yield _finding(obstacle, ending)


def _finding(obstacle: Obstacle, ending: Ending) -> Finding:
    first, last = obstacle.first_step, obstacle.last_step
    where = f"in step {first}" if first == last else f"in steps {first} to {last}"
    parts = [where, _UNTIL.get(ending, "")]
    if obstacle.kind == SLOW and obstacle.seconds:
        parts.insert(0, f"{duration_text(obstacle.seconds)} of execution")
    elif obstacle.times:
        one, many = _TIMES.get(obstacle.kind, ("{n} command failed so", "{n} commands failed so"))
        parts.insert(0, plural(obstacle.times, one, many))
    sentence = f"{CLASSES[obstacle.kind]}: {', '.join(filter(None, parts))}."
    confidence = Confidence.LOW
    if obstacle.share >= 0.3:
        often = obstacle.share >= 0.5 and (obstacle.times >= 3 or obstacle.kind == SLOW)
        confidence = Confidence.HIGH if often else Confidence.MEDIUM
    line_step = obstacle.line_step or None
    return Finding(obstacle.kind, sentence, first, last, evidence(obstacle.line), line_step, confidence)
