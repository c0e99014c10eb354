"""Tasks and the attempts at them, in the API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.urls import reverse
from ninja import Field, Query, Schema

from leaderboard.attempts.api import AttemptOut, with_scores
from leaderboard.attempts.selectors import attempts_at
from leaderboard.catalogue.api import SET, LandmarkOut, find_task_set
from leaderboard.catalogue.selectors import find_task, shown_landmarks
from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.paging import Page, Paging, read_cursor_page
from leaderboard.core.endpoints.routers import BENCHMARKS, reads
from leaderboard.core.numbers import MAX_PAGE
from leaderboard.core.permissions import can_judge_by_gold
from leaderboard.domain.access import Scope
from leaderboard.models import Attempt, Task
from leaderboard.tasks.answers import LONGEST_VALUE, MOST_KEYS, ComparedAnswers, compare_answers
from leaderboard.tasks.overview import COMPARED, TaskQuery, list_compared, overview


class TaskOut(Schema):
    """A task, without its gold answer."""

    task_id: str
    title: str
    categories: list[str]
    landmarks: int
    url: str
    page: str


class StageOut(Schema):
    """A landmark over the attempts with a trajectory."""

    number: int
    hit: int = Field(description="Attempts that hit it by themselves.")
    searched: int = Field(description="Attempts that hit or missed it.")
    given: int = Field(description="Attempts in which a cell run for the agent in advance hit it.")
    stopped: int = Field(description="Unsolved attempts that missed this one first.")


class FunnelOut(Schema):
    """How far the attempts with a trajectory came."""

    attempts: int = Field(description="In which landmarks were looked for.")
    stages: list[StageOut]


class FindingCountOut(Schema):
    """How many unsolved attempts with a trajectory have a class as their first finding."""

    finding: str
    attempts: int


class AnswerValueOut(Schema):
    """A value that some answers agree on."""

    value: str = Field(description=f"As JSON; at most {LONGEST_VALUE} characters of it.")
    attempts: list[int]
    as_written: dict[int, str] = Field(description="What those said, by attempt, that said it otherwise.")
    counted: int = Field(description="How many of these have a trajectory.")
    right: int | None = Field(description="How many of these are right: for operators, null for others.")


class ComparedKeyOut(Schema):
    """What the answers say at one key."""

    key: str = Field(description="Such as `runs[2].loss`; empty for an answer that is a single value.")
    agree: int = Field(description="The most answers with a trajectory that say the same.")
    values: list[AnswerValueOut]
    without: list[int] = Field(description="Attempts that answered, but not this.")


class ComparedAnswersOut(Schema):
    """The answers of one page of attempts, key by key."""

    compared: list[int]
    counted: int = Field(description="How many of these have a trajectory.")
    unanswered: list[int]
    left_out: list[int] = Field(description="Whose answers are too long or too deeply nested to compare.")
    keys: list[ComparedKeyOut]
    more_keys: int = Field(description=f"Keys beyond the first {MOST_KEYS}.")


class TaskComparisonOut(Schema):
    """The published attempts at a task against each other."""

    attempts: int = Field(description="With a trajectory, as in all that follows but the answers.")
    solved: int
    funnel: FunnelOut
    findings: list[FindingCountOut]
    unexplained: int = Field(description="Unsolved attempts without a finding.")
    answers: ComparedAnswersOut
    more: bool = Field(description="Whether another page of answers follows.")


class TaskComparisonIn(Schema):
    """Which answers are compared."""

    page: int = Field(1, ge=1, le=MAX_PAGE, description=f"Of the attempts, {COMPARED} on a page.")


class TaskDetail(Schema):
    """A task with its query for agents, without its gold answer."""

    task_id: str
    title: str
    query: str
    repository: str
    commit: str
    entrypoint: str
    categories: list[str]
    landmarks: list[LandmarkOut]
    attempts: str
    comparison: str
    url: str
    page: str


@reads(BENCHMARKS, f"{SET}/tasks", response=Page[TaskOut])
def tasks(request: ApiRequest, benchmark: str, task_set: str, paging: Query[Paging]) -> dict[str, Any]:
    """List the tasks of a set.

    Ordered by id.
    """
    found = find_task_set(benchmark, task_set)
    listed = found.tasks.prefetch_related("categories").only("task_id", "title", "landmarks", "task_set")
    rows, following = read_cursor_page(request, paging, listed, order=("task_id",))
    for row in rows:
        row.task_set = found
    return {"items": [_task_data(row) | {"landmarks": len(row.landmarks)} for row in rows], "next": following}


@reads(BENCHMARKS, f"{SET}/tasks/{{task_id}}", response=TaskDetail)
def task(request: ApiRequest, benchmark: str, task_set: str, task_id: str) -> dict[str, Any]:
    """Read a task.

    A landmark's pattern is null if it reveals the gold answer.
    """
    found = find_task(find_task_set(benchmark, task_set), task_id)
    patterns = enumerate(shown_landmarks(found), start=1)
    return {
        **_task_data(found),
        "query": found.query,
        "repository": found.repository,
        "commit": found.commit,
        "entrypoint": found.entrypoint,
        "landmarks": [{"number": number, "pattern": pattern or None} for number, pattern in patterns],
        "attempts": reverse("api:task-attempts", args=(benchmark, task_set, task_id)),
        "comparison": reverse("api:task-comparison", args=(benchmark, task_set, task_id)),
    }


@reads(BENCHMARKS, f"{SET}/tasks/{{task_id}}/attempts", response=Page[AttemptOut], url_name="task-attempts")
def task_attempts(
    request: ApiRequest, benchmark: str, task_set: str, task_id: str, paging: Query[Paging]
) -> dict[str, Any]:
    """List the published attempts at a task.

    Ordered by the names of their agents.
    """
    found = find_task(find_task_set(benchmark, task_set), task_id)
    order = ("entry__agent__name", "entry__agent__model", "number", "pk")
    rows, following = read_cursor_page(request, paging, with_scores(attempts_at(found)), order=order)
    return {"items": rows, "next": following}


@reads(
    BENCHMARKS,
    f"{SET}/tasks/{{task_id}}/comparison",
    response=TaskComparisonOut,
    url_name="task-comparison",
)
def task_comparison(
    request: ApiRequest, benchmark: str, task_set: str, task_id: str, query: Query[TaskComparisonIn]
) -> dict[str, Any]:
    """Compare the published attempts at a task.

    Which landmarks they hit, why they fail, and which answers agree, key by key.
    """
    found = find_task(find_task_set(benchmark, task_set), task_id)
    overall = overview(found)
    listed = list_compared(found, overall.counted, TaskQuery(page=query.page))
    judged = can_judge_by_gold(request.caller.visitor) and request.caller.allows(Scope.OPERATE)
    answers = compare_answers(found, listed.items, judged=judged)
    return {
        "attempts": overall.attempts,
        "solved": overall.solved,
        "funnel": asdict(overall.funnel),
        "findings": [{"finding": each.kind, "attempts": each.count} for each in overall.findings],
        "unexplained": overall.unexplained,
        "answers": _answers_data(answers),
        "more": listed.more,
    }


def _answers_data(answers: ComparedAnswers) -> dict[str, Any]:
    return {
        "compared": _keys(answers.compared),
        "counted": answers.counted,
        "unanswered": _keys(answers.unanswered),
        "left_out": _keys(answers.left_out),
        "more_keys": answers.more_keys,
        "keys": [
            {
                "key": each.key,
                "agree": each.agree,
                "without": _keys(each.without),
                "values": [
                    {
                        "value": said.text,
                        "attempts": _keys(said.attempts),
                        "as_written": said.as_written,
                        "counted": said.counted,
                        "right": said.right,
                    }
                    for said in each.values
                ],
            }
            for each in answers.keys
        ],
    }


def _keys(attempts: Iterable[Attempt]) -> list[int]:
    return [attempt.pk for attempt in attempts]


def _task_data(task: Task) -> dict[str, Any]:
    task_set = task.task_set
    return {
        "task_id": task.task_id,
        "title": task.title,
        "categories": [category.slug for category in task.categories.all()],
        "url": reverse("api:task", args=(task_set.benchmark.slug, task_set.slug, task.task_id)),
        "page": task.get_absolute_url(),
    }
