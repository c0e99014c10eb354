"""A benchmark says how many attempts at a task one entry may have; the rest of an upload lives."""

from __future__ import annotations

import json
from pathlib import Path

from leaderboard.intake.findings import Severity
from leaderboard.intake.known_tasks import KnownTasks
from tests.intake.folders import KNOWN_TASKS, found_in, write, write_file

CET, AMOS = "cet", "amos"


def answers(**counts: int) -> str:
    """An answers.jsonl with so many attempts at each task."""
    lines = [
        {"task_id": task, "attempt": number, "answer": number}
        for task, count in counts.items()
        for number in range(1, count + 1)
    ]
    return "\n".join(map(json.dumps, lines))


def test_attempts_beyond_ten_at_a_task_are_refused_in_one_line(tmp_path: Path) -> None:
    found = found_in(write_file(tmp_path, "answers.jsonl", answers(cet=102, amos=3)))

    assert [(each.task_id, each.number) for each in found.attempts] == [
        *((AMOS, n) for n in range(1, 4)),
        *((CET, n) for n in range(1, 11)),
    ]
    [line] = found.others
    [finding] = line.findings
    assert (line.name, finding.severity) == ("answers.jsonl", Severity.ERROR)
    assert str(finding.problem) == (
        "answers.jsonl, task cet: there are 102 attempts at cet, and the benchmark allows an entry 10 at a "
        "task (max_attempts): 92 in this file are not used (keep 10 attempts at the task)"
    )


def test_a_benchmark_may_allow_other_numbers(tmp_path: Path) -> None:
    write(tmp_path, *(f"cet/attempt_{n}/history.json" for n in (1, 2, 3)))
    known = KnownTasks(KNOWN_TASKS.sets, {"super/expert": 2})

    found = found_in(tmp_path, known_tasks=known)

    assert [each.number for each in found.attempts] == [1, 2]
    assert [other.name for other in found.others] == ["cet/attempt_3/history.json"]


def test_answers_beside_trajectories_are_no_further_attempts(tmp_path: Path) -> None:
    write(tmp_path, *(f"cet/attempt_{n}/history.json" for n in range(1, 11)))
    write_file(tmp_path, "answers.jsonl", answers(cet=10))

    assert len(found_in(tmp_path).attempts) == 10
