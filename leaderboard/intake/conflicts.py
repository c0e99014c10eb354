"""Attempts that can't both be meant: the same try at the same task, or the same bytes twice."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from leaderboard.domain.errors import Problem
from leaderboard.formats.documents import MAX_BYTES
from leaderboard.intake.answer_files import AnswerFiles, pair_of
from leaderboard.intake.findings import Verdict, error
from leaderboard.intake.found_files import FoundAttempt, OtherFile


def apart(
    found: list[FoundAttempt], *, max_bytes: int = MAX_BYTES
) -> tuple[list[FoundAttempt], list[OtherFile]]:
    """The attempts that have their number to themselves, by task, and the files of the others.

    An answer from a file of answers is no rival of the one trajectory of the same attempt: it joins that.
    """
    by_number: defaultdict[tuple[str, int], list[FoundAttempt]] = defaultdict(list)
    for attempt in _from_one(found):
        by_number[attempt.task_id, attempt.number].append(attempt)
    alone: list[FoundAttempt] = []
    others: list[OtherFile] = []
    answers = AnswerFiles(max_bytes=max_bytes)
    for _key, rivals in sorted(by_number.items()):
        if len(rivals) == 1:
            alone.extend(rivals)
        elif pair := pair_of(rivals):
            attempt, line = answers.join(*pair)
            alone.append(attempt)
            others.append(line)
        else:
            # None is used: which of them is meant is not ours to guess.
            others.extend(_contested(rival, rivals) for rival in rivals)
    copies = _copies(alone)
    others.extend(_copied(attempt, copies[attempt.name]) for attempt in alone if attempt.name in copies)
    return [attempt for attempt in alone if attempt.name not in copies], others


def _from_one(found: list[FoundAttempt]) -> Iterable[FoundAttempt]:
    """The attempts, counted from 1 where they were counted from 0; answers say their own numbers."""
    for is_answer in (False, True):
        kind = [attempt for attempt in found if attempt.is_answer is is_answer]
        shift = 0 if all(attempt.number for attempt in kind) else 1
        yield from (replace(attempt, number=attempt.number + shift) for attempt in kind)


def _contested(attempt: FoundAttempt, rivals: list[FoundAttempt]) -> OtherFile:
    others = ", ".join(f"{rival.name} {rival.sample}".strip() for rival in rivals if rival is not attempt)
    reason = f"this and {others[:500]} are both attempt {attempt.number} at {attempt.task_id}"
    remedy = "keep one, or number them: attempt_1, attempt_2"
    problem = Problem(attempt.name, attempt.sample, reason, remedy)
    return _refused(attempt, problem)


def _copies(attempts: list[FoundAttempt]) -> dict[str, FoundAttempt]:
    """The names of trajectories that have the very bytes of an earlier one's, and that earlier one."""
    by_size: defaultdict[int, list[FoundAttempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.trajectory and not attempt.sample:
            by_size[attempt.size].append(attempt)
    copies: dict[str, FoundAttempt] = {}
    for same_size in by_size.values():
        if len(same_size) == 1:
            continue
        first: dict[bytes, FoundAttempt] = {}
        for attempt in same_size:
            original = first.setdefault(_digest(attempt), attempt)
            if original is not attempt:
                copies[attempt.name] = original
    return copies


def _digest(attempt: FoundAttempt) -> bytes:
    assert attempt.trajectory is not None  # noqa: S101 - asked by the caller
    with attempt.trajectory.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _copied(attempt: FoundAttempt, original: FoundAttempt) -> OtherFile:
    reason = f"it has the same bytes as {original.name}"
    problem = Problem(attempt.name, "", reason, "leave it out, or put the right file in its place")
    return _refused(attempt, problem)


def _refused(attempt: FoundAttempt, problem: Problem) -> OtherFile:
    return OtherFile(
        attempt.name, attempt.size, Verdict.REFUSED, (error(problem),), sample=attempt.sample, attempt=attempt
    )
