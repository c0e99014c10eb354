"""Gold answers, solutions and pre-executed cells are in no answer, wherever one follows the addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client

from leaderboard.models import Attempt, Run
from tests.api.calls import address, addresses_in
from tests.cast import add_attempt, bring_in, history, make_set
from tests.people import client_of
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db
SECRET = "GOLDSECRET"
RECORD = {
    "task_id": "pet",
    "query": "Report the code word.",
    "entrypoint": "train.py",
    "answer": json.dumps({"word": f"{SECRET}-7.25", "number": 0.617461}),
    "landmarks": [f"epoch|{SECRET}-7\\.25", "loss|0\\.6174", "fine", f"({SECRET}-7.25"],
    "pre_execute_cells": [json.dumps({"type": "execute", "content": f"print('{SECRET}-cell')"})],
    "query_components": {"report": f"{SECRET}-component"},
    "solution": [f"{SECRET}-solution"],
    "categories": ["data"],
}


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    """An attempt that hits the landmarks of a task full of secrets, saying none; and a public run."""
    task_set = make_set()
    (tmp_path / "tasks.jsonl").write_text(json.dumps(RECORD))
    call_command("import_tasks", str(tmp_path / "tasks.jsonl"), "--set", "masked")
    add_attempt(tmp_path / "run", "pet", history=history({"word": "epoch"}))
    assert bring_in(tmp_path / "run", task_set).problems == []
    make_run(task_set=task_set, scaffold="Runner")
    finish(claim(), {"word": "epoch"})
    Run.objects.update(public=True)
    return Attempt.objects.get(entry__run=None)


def crawl(client: Client) -> dict[str, str]:
    """Every answer that can be reached from the lists, by its address."""
    waiting = [address(name) for name in ("benchmarks", "entries", "runs", "openapi-json")]
    answers: dict[str, str] = {}
    while waiting:
        where = waiting.pop()
        if where in answers or "{" in where:
            continue
        response = client.get(where)
        assert response.status_code == 200, where
        answers[where] = text_of(response)  # type: ignore[arg-type]
        if not response.streaming:
            found = response.json()
            # Boards and sets are not linked from anywhere but their benchmark.
            waiting += addresses_in(found)
            waiting += [each["board"].replace("board", "tasks") for each in sets_in(found)]
    return answers


def sets_in(found: object) -> list[dict[str, str]]:
    return [each for row in found for each in row["task_sets"]] if isinstance(found, list) else []


def text_of(response: HttpResponse | StreamingHttpResponse) -> str:
    return (response.getvalue() if response.streaming else response.content).decode()


@pytest.mark.parametrize("who", ["nobody", "alice", "olga"])
def test_they_are_in_no_answer(who: str, attempt: Attempt) -> None:
    answers = crawl(client_of(who))

    assert {address("attempt", attempt.pk), address("steps", attempt.pk)} < set(answers)
    assert address("file", attempt.pk, "original") in answers
    assert address("task", "super", "masked", "pet") in answers
    assert len([where for where in answers if "/runs/" in where]) == 2
    for where, text in answers.items():
        assert SECRET not in text, where
        assert "6174" not in text, where


def test_a_landmark_that_spells_it_out_is_withheld(client: Client, attempt: Attempt) -> None:
    for where in (address("attempt", attempt.pk), address("task", "super", "masked", "pet")):
        patterns = [landmark["pattern"] for landmark in client.get(where).json()["landmarks"]]
        assert patterns == [None, None, "fine", None]
