"""Answers take a number of queries that does not grow with what they list."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt
from tests.api.calls import SET, address
from tests.cast import add_attempt, bring_in, history, report

pytestmark = pytest.mark.django_db
MOST = {
    "benchmarks": 1,
    "task_set": 2,
    "board": 7,
    "tasks": 3,
    "task": 3,
    "task-attempts": 6,
    "task-comparison": 7,
    "entries": 1,
    "entry": 3,
    "entry-attempts": 4,
    "attempt": 5,
    "steps": 2,
    "file": 2,
}


def queries(client: Client, attempt: Attempt, name: str) -> int:
    arguments = {
        "task": (*SET, "pet"),
        "task-attempts": (*SET, "pet"),
        "task-comparison": (*SET, "pet"),
        "entry": (attempt.entry.slug,),
        "entry-attempts": (attempt.entry.slug,),
        "attempt": (attempt.pk,),
        "steps": (attempt.pk,),
        "file": (attempt.pk, "original"),
        "benchmarks": (),
        "entries": (),
    }
    with CaptureQueriesContext(
        connection,
    ) as captured:
        response = client.get(address(name, *arguments.get(name, SET)))
        assert response.status_code == 200
        assert not response.streaming or response.getvalue()
    return len(captured)


@pytest.mark.parametrize("name", MOST)
def test_the_number_of_queries_is_bounded(
    name: str, client: Client, attempt: Attempt, tmp_path: Path
) -> None:
    before = queries(client, attempt, name)
    for n in range(4):
        report(attempt.task.task_set, f"Agent {n}", {"pet": 1.0, "cet": 0.5})
    add_attempt(tmp_path / "more", "cet", history=history({"f1": 0.25}))
    assert bring_in(tmp_path / "more", attempt.task.task_set).problems == []

    assert queries(client, attempt, name) == before <= MOST[name]
