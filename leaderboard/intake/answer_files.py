"""Attaches the answers in answers.json or answers.jsonl to the trajectories beside it."""

from __future__ import annotations

import json
from dataclasses import replace

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Trajectory
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.documents import count_non_finite
from leaderboard.intake.findings import FileReport, Finding, Verdict, error, note, warning
from leaderboard.intake.found_files import FoundAttempt


def trajectory_and_answer(attempts: list[FoundAttempt]) -> tuple[FoundAttempt, FoundAttempt] | None:
    """The trajectory and the answer, if ``attempts`` is exactly one of each."""
    answers = [attempt for attempt in attempts if attempt.is_answer]
    trajectories = [attempt for attempt in attempts if attempt.trajectory and not attempt.is_answer]
    if len(attempts) == 2 and answers and trajectories:
        return trajectories[0], answers[0]
    return None


def attach(
    attempt: FoundAttempt, answer: FoundAttempt, text: str | InputError
) -> tuple[FoundAttempt, FileReport]:
    """The attempt with the answer attached, as JSON ``text``, and the report line of the answer."""
    if isinstance(text, InputError):
        why = (error(text.problem),)
        return attempt, FileReport(answer.name, answer.size, Verdict.REFUSED, why, answer.sample)
    given = GivenAnswer(attempt.task_id, text, answer.name, answer.sample)
    file = f"{attempt.name} {attempt.sample}".strip()
    reason = f"the answer to {attempt.task_id}, attempt {attempt.number}, for {file}"
    why = (note(Problem(answer.name, answer.sample, reason)),)
    return replace(attempt, answer=given), FileReport(
        answer.name, answer.size, Verdict.USED, why, answer.sample
    )


def with_answer(
    trajectory: Trajectory, given: GivenAnswer | None, *, name: str
) -> tuple[Trajectory, tuple[Finding, ...]]:
    """The trajectory with the given answer, and findings; an answer in the trajectory takes precedence.

    A given answer of null means that there is none. ``name`` is that of the trajectory's file.
    """
    if given is None:
        return trajectory, ()
    answer = given.answer()
    if trajectory.answer is not MISSING:
        return trajectory, (_compare(trajectory.answer, answer, given, name),)
    if answer is None:
        return trajectory, ()
    notes = [Problem(name, "", f"the answer is from {given.where}")]
    if count_non_finite(answer):
        reason = "the answer contains NaN or an infinite number, which matches nothing"
        notes.append(Problem(given.file, given.place, reason))
    warnings = (*trajectory.warnings, *notes)
    return replace(trajectory, answer=answer, ending=Ending.SUBMITTED, warnings=warnings), ()


def _compare(own: JsonValue, answer: JsonValue, given: GivenAnswer, name: str) -> Finding:
    if _same(own, answer):
        return note(Problem(name, "", f"the same answer is also at {given.where}"))
    reason = f"its answer differs from the one at {given.where}; the trajectory's own counts"
    return warning(Problem(name, "answer", reason, "remove the wrong answer"))


def _same(one: JsonValue, other: JsonValue) -> bool:
    try:
        # Compare as text too: NaN does not equal itself.
        return bool(one == other) or json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except RecursionError:
        return False
