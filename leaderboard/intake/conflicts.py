"""Finds conflicting attempts: several with one number at one task, and files with the same bytes."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from leaderboard.domain.errors import Problem
from leaderboard.formats.bundles import Bundle
from leaderboard.intake.answer_files import attach, trajectory_and_answer
from leaderboard.intake.findings import FileReport, Verdict, error
from leaderboard.intake.found_files import FoundAttempt
from leaderboard.intake.reader import Reader


def separate_conflicts(
    found: list[FoundAttempt], reader: Reader
) -> tuple[list[FoundAttempt], list[FileReport]]:
    """Return the attempts without conflict, sorted by task, and the files of the others.

    A trajectory and an answer from a file of answers do not conflict: the answer is attached.
    """
    by_number: defaultdict[tuple[str, int], list[FoundAttempt]] = defaultdict(list)
    others: list[FileReport] = []
    for attempt in _numbered_from_one(_numbered_across_logs(found, others)):
        by_number[attempt.task_id, attempt.number].append(attempt)
    unique: list[FoundAttempt] = []
    pairs = (trajectory_and_answer(same_number) for same_number in by_number.values())
    texts = reader.read_answers([answer for _attempt, answer in filter(None, pairs)])
    for _key, same_number in sorted(by_number.items()):
        if len(same_number) == 1:
            unique.extend(same_number)
        elif pair := trajectory_and_answer(same_number):
            answer = pair[1]
            attempt, line = attach(*pair, texts[answer.name, answer.sample])
            unique.append(attempt)
            others.append(line)
        else:
            # All are refused: only the submitter knows which one is right.
            others.extend(_conflicting(attempt, same_number) for attempt in same_number)
    return _without_copies(unique, others), others


def _numbered_across_logs(found: list[FoundAttempt], others: list[FileReport]) -> list[FoundAttempt]:
    """The attempts; where several logs have the same numbers at a task, they are repeats of it.

    Their attempts are numbered in the order of the logs' names, which begin with the time of the run.
    """
    kept = _without_copies([attempt for attempt in found if attempt.counts_in_file], others)
    by_task: defaultdict[str, list[FoundAttempt]] = defaultdict(list)
    for attempt in sorted(kept, key=lambda attempt: (attempt.name, attempt.number)):
        by_task[attempt.task_id].append(attempt)
    numbered = [attempt for attempt in found if not attempt.counts_in_file]
    for attempts in by_task.values():
        # In one file, two with one number are a mistake.
        places = Counter((attempt.name, attempt.number) for attempt in attempts)
        repeats = len({attempt.number for attempt in attempts}) < len(attempts) == len(places)
        numbers = range(1, len(attempts) + 1) if repeats else [attempt.number for attempt in attempts]
        numbered += [
            replace(attempt, number=number) for attempt, number in zip(attempts, numbers, strict=True)
        ]
    return numbered


def _numbered_from_one(found: list[FoundAttempt]) -> Iterable[FoundAttempt]:
    """The attempts, renumbered from 1 if they count from 0; trajectories and answers separately."""
    for is_answer in (False, True):
        kind = [attempt for attempt in found if attempt.is_answer is is_answer]
        shift = 0 if all(attempt.number for attempt in kind) else 1
        yield from (replace(attempt, number=attempt.number + shift) for attempt in kind)


def _conflicting(attempt: FoundAttempt, same_number: list[FoundAttempt]) -> FileReport:
    others = ", ".join(
        f"{other.name} {other.sample}".strip() for other in same_number if other is not attempt
    )
    reason = f"this and {others[:500]} are both attempt {attempt.number} at {attempt.task_id}"
    remedy = "keep one, or number them: attempt_1, attempt_2"
    return attempt.line(Verdict.REFUSED, error(Problem(attempt.name, attempt.sample, reason, remedy)))


def _digest(source: Path | Bundle) -> bytes:
    if isinstance(source, Bundle):
        return hashlib.sha256(source.read_bytes()).digest()
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _without_copies(attempts: list[FoundAttempt], others: list[FileReport]) -> list[FoundAttempt]:
    """The attempts but those with the same bytes as an earlier one, which are refused in ``others``.

    Of files with several attempts, only logs are compared.
    """
    files = {one.name: one for one in reversed(attempts) if not one.sample or one.counts_in_file}
    sizes = Counter(file.size for file in files.values() if file.trajectory)
    first: dict[bytes, str] = {}
    kept: list[FoundAttempt] = []
    originals: dict[str, str] = {}
    for attempt in attempts:
        file = files.get(attempt.name)
        if file and file.trajectory and sizes[file.size] > 1 and file.name not in originals:
            originals[file.name] = first.setdefault(_digest(file.trajectory), file.name)
        original = originals.get(attempt.name, attempt.name)
        if original == attempt.name:
            kept.append(attempt)
        else:
            reason = f"it has the same bytes as {original}"
            problem = Problem(attempt.name, "", reason, "leave it out, or replace it with the right file")
            others.append(attempt.line(Verdict.REFUSED, error(problem)))
    return kept
