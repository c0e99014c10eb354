"""Gold answers, solutions and pre-executed cells: stored for scoring, and seen nowhere."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from django.core.management import call_command
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from leaderboard.models import Attempt, Entry, Task
from tests.cast import NOVICE, add_attempt, bring_in, history, make_set, report

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
def attempt(tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> Attempt:
    """An attempt that hits the landmarks of a task full of secrets, without ever saying one."""
    caplog.set_level(logging.DEBUG)
    task_set = make_set()
    (tmp_path / "tasks.jsonl").write_text(json.dumps(RECORD))
    call_command("import_tasks", str(tmp_path / "tasks.jsonl"), "--set", "masked")
    add_attempt(tmp_path / "run", "pet", history=history({"word": "epoch"}))
    assert bring_in(tmp_path / "run", task_set).problems == []
    report(task_set, NOVICE, {"pet": 1.0})
    return Attempt.objects.get(has_trajectory=True)


def addresses(attempt: Attempt) -> list[str]:
    task_set = ("super", "masked")
    return [
        reverse("home"),
        reverse("about"),
        reverse("board", args=task_set),
        reverse("board-charts", args=task_set),
        *(reverse("board-data", args=(*task_set, shape)) for shape in ("json", "csv")),
        reverse("tasks", args=task_set),
        reverse("task", args=(*task_set, "pet")),
        *(entry.get_absolute_url() for entry in Entry.objects.all()),
        *(each.get_absolute_url() for each in Attempt.objects.all()),
        reverse("find", args=(attempt.pk,)) + f"?q={SECRET[:6]}",
        *(
            reverse("download", args=(attempt.pk, kind))
            for kind in attempt.files.values_list("kind", flat=True)
        ),
    ]


def content(response: HttpResponse | StreamingHttpResponse) -> str:
    return (response.getvalue() if response.streaming else response.content).decode()


def test_they_are_stored_and_seen_nowhere(
    client: Client,
    attempt: Attempt,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stored = Task.objects.values_list("gold", "solution", "pre_execute_cells", "query_components").get()
    assert str(stored).count(SECRET) == 4
    assert list(attempt.landmark_outcomes.values_list("status", flat=True)) == [
        "hit",
        "hit",
        "missed",
        "invalid",
    ]

    for address in addresses(attempt):
        response = client.get(address)
        assert response.status_code == 200, address
        shown = content(response)  # type: ignore[arg-type]
        assert SECRET not in shown.replace(f"?q={SECRET[:6]}", ""), address
        assert "6174" not in shown, address
    said = capsys.readouterr()
    assert SECRET not in caplog.text + said.out + said.err
    assert "6174" not in caplog.text + said.out + said.err


def test_a_withheld_landmark_is_said_to_be(client: Client, attempt: Attempt) -> None:
    for address in (reverse("task", args=("super", "masked", "pet")), attempt.get_absolute_url()):
        page = content(client.get(address))  # type: ignore[arg-type]
        assert page.count("withheld: it spells out the gold answer") == 3
        assert "fine" in page
