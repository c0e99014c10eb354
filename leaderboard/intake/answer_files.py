"""Answers that lie beside trajectories: found for the attempt they are of, and joined to it."""

from __future__ import annotations

import json
from dataclasses import replace

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Trajectory
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.documents import check_size, count_non_finite, too_deep
from leaderboard.intake.findings import Finding, Verdict, error, note, warning
from leaderboard.intake.found_files import FoundAttempt, OtherFile


def pair_of(rivals: list[FoundAttempt]) -> tuple[FoundAttempt, FoundAttempt] | None:
    """The trajectory and the answer, where attempts of one number are one of each and no more."""
    answers = [rival for rival in rivals if rival.is_answer]
    trajectories = [rival for rival in rivals if rival.trajectory and not rival.is_answer]
    if len(rivals) == 2 and answers and trajectories:
        return trajectories[0], answers[0]
    return None


class AnswerFiles:
    """Files of answers, each opened once for all attempts that it has answers to."""

    def __init__(self, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._opened: dict[str, formats.File] = {}

    def join(self, attempt: FoundAttempt, answer: FoundAttempt) -> tuple[FoundAttempt, OtherFile]:
        """The attempt with the answer beside it, and the answer's own line of the report."""
        try:
            text = self._text(answer)
        except InputError as refused:
            why = (error(refused.problem),)
            return attempt, OtherFile(answer.name, answer.size, Verdict.REFUSED, why, sample=answer.sample)
        given = GivenAnswer(attempt.task_id, text, answer.name, answer.sample)
        file = f"{attempt.name} {attempt.sample}".strip()
        reason = f"the answer to {attempt.task_id}, attempt {attempt.number}, for {file}"
        why = (note(Problem(answer.name, answer.sample, reason)),)
        line = OtherFile(answer.name, answer.size, Verdict.USED, why, sample=answer.sample)
        return replace(attempt, answer=given), line

    def _text(self, answer: FoundAttempt) -> str:
        value = self._open(answer).read(answer.sample).answer
        try:
            return json.dumps(value)
        except RecursionError:
            raise InputError(too_deep(answer.name)) from None

    def _open(self, answer: FoundAttempt) -> formats.File:
        if answer.name not in self._opened:
            assert answer.trajectory is not None  # noqa: S101 - it was opened to know that it holds answers
            check_size(answer.size, name=answer.name, max_bytes=self._max_bytes)
            data = answer.trajectory.read_bytes()
            self._opened[answer.name] = formats.open_file(data, name=answer.name, max_bytes=self._max_bytes)
        return self._opened[answer.name]


def with_answer(
    trajectory: Trajectory, given: GivenAnswer | None, *, name: str
) -> tuple[Trajectory, tuple[Finding, ...]]:
    """The trajectory with the answer given beside it, where it has none of its own, which counts.

    Args:
        trajectory: as `formats.read` gave it.
        given: what a file of answers says; null says that there is none.
        name: of the trajectory's file; problems say it.
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
        reason = "the answer holds NaN or an infinite number, which matches nothing"
        notes.append(Problem(given.file, given.place, reason))
    joined = replace(
        trajectory,
        answer=answer,
        ending=Ending.SUBMITTED,
        warnings=(*trajectory.warnings, *notes),
    )
    return joined, ()


def _compare(own: JsonValue, answer: JsonValue, given: GivenAnswer, name: str) -> Finding:
    if _same(own, answer):
        return note(Problem(name, "", f"its answer is at {given.where} too"))
    reason = f"its answer is another one than at {given.where}; its own counts"
    return warning(Problem(name, "answer", reason, "leave out the answer that is not meant"))


def _same(one: JsonValue, other: JsonValue) -> bool:
    try:
        # As text where they are not equal: NaN is not itself.
        return bool(one == other) or json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except RecursionError:
        return False
