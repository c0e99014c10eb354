"""Leaves out the attempts at a task beyond what a benchmark allows one entry."""

from __future__ import annotations

from collections import Counter, defaultdict

from leaderboard.domain.errors import Problem
from leaderboard.intake.findings import FileReport, Verdict, error
from leaderboard.intake.found_files import FoundAttempt


def within_limit(found: list[FoundAttempt], *, most: int, others: list[FileReport]) -> list[FoundAttempt]:
    """The first ``most`` attempts at each task, by number; ``others`` gets a line for each file with more.

    Answers beside trajectories are counted apart, since each of them may belong to a trajectory.
    """
    by_task: defaultdict[tuple[str, bool], list[FoundAttempt]] = defaultdict(list)
    for attempt in found:
        by_task[attempt.task_id, attempt.is_answer].append(attempt)
    refused: set[int] = set()
    for (task_id, _is_answer), attempts in by_task.items():
        beyond = sorted(attempts, key=lambda attempt: attempt.number)[most:]
        refused.update(map(id, beyond))
        # One line for a file, however many of its attempts are too many.
        for name, count in Counter(attempt.name for attempt in beyond).items():
            size = next(attempt.size for attempt in beyond if attempt.name == name)
            why = error(_too_many(name, task_id, attempts=len(attempts), beyond=count, most=most))
            others.append(FileReport(name, size, Verdict.REFUSED, (why,)))
    return [attempt for attempt in found if id(attempt) not in refused]


def _too_many(name: str, task_id: str, *, attempts: int, beyond: int, most: int) -> Problem:
    reason = (
        f"there are {attempts:,} attempts at {task_id}, and the benchmark allows an entry {most:,} at a task "
        f"(max_attempts): {beyond:,} in this file are not used"
    )
    return Problem(name, f"task {task_id}", reason, f"keep {most:,} attempts at the task")
