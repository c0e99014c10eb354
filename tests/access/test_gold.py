"""Gold answers, solutions and pre-executed cells: stored for scoring, and seen nowhere."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings
from typer.testing import CliRunner

from leaderboard.client.main import app
from leaderboard.entries.services import publish_entry
from leaderboard.models import Attempt, Entry, Run, Task, Upload
from tests.access.crawl import STARTS, ask, crawl
from tests.cast import NOVICE, history, make_set, report
from tests.people import client_of
from tests.runs.cast import claim, finish, make_run
from tests.uploads.cast import checked, described, run_zip

pytestmark = pytest.mark.django_db
SECRET = "GOLDSECRET"
NUMBER = "6174"
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
ANSWER = {"word": "epoch", "number": 1.5}
WITHHELD = "withheld: it contains the gold answer"


@pytest.fixture(autouse=True)
def draft(settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Entry:
    """A task full of secrets; a draft, a published entry and a public run whose attempts never say one."""
    caplog.set_level(logging.DEBUG)
    settings.SUPERBOARD_UPLOADS, settings.SUPERBOARD_MIN_FREE_DISK_MB = tmp_path / "uploads", 0
    settings.SUPERBOARD_UPLOADS.mkdir()
    task_set = make_set()
    (tmp_path / "tasks.jsonl").write_text(json.dumps(RECORD))
    call_command("import_tasks", str(tmp_path / "tasks.jsonl"), "--set", "masked")
    report(task_set, NOVICE, {"pet": 1.0})
    made = [
        checked(run_zip("pet", "none", answer=answer), form=described(agent=agent)).entry
        for agent, answer in (("Published", ANSWER), ("Draft", {**ANSWER, "number": "wrong"}))
    ]
    assert made[0]
    assert made[1]
    publish_entry(made[0], user=None, leaving_out=True)
    make_run(task_set=task_set, scaffold="Runner")
    finish(claim(), ANSWER)
    Run.objects.update(public=True)
    return made[1]


@pytest.mark.parametrize("who", ["nobody", "olga"])
def test_they_are_stored_and_in_no_answer(who: str, draft: Entry) -> None:
    stored = Task.objects.values_list("gold", "solution", "pre_execute_cells", "query_components").get()
    assert str(stored).count(SECRET) == 4
    upload, run = Upload.objects.get(entry=draft), Run.objects.get()
    attempts = [f"/a/{attempt.pk}/find/?q={SECRET[:6]}" for attempt in Attempt.objects.all()]
    found = crawl(client_of(who), [*STARTS, *attempts, run.get_absolute_url()])

    if who != "nobody":
        own = (f"/submit/{upload.pk}/report.json", f"/api/v1/uploads/{upload.pk}/report")
        previews = (draft.get_absolute_url(), f"/api/v1/entries/{draft.slug}/preview")
        found |= {address: ask(client_of(who), address) for address in (*own, *previews)}
        assert {found[address].status for address in (*own, *previews)} == {200}
    assert {f"/a/{attempt.pk}/" for attempt in Attempt.objects.exclude(entry=draft)} < set(found)
    for address, answer in found.items():
        assert SECRET not in answer.text, address
        assert NUMBER not in answer.text, address


def test_nothing_that_is_printed_or_logged_has_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fixture's work included."""
    (tmp_path / "run" / "pet").mkdir(parents=True)
    (tmp_path / "run" / "pet" / "history.json").write_text(json.dumps(history(ANSWER)))
    call_command("leaderboard", set="super/masked", json=True)
    tasks = ["--tasks", str(tmp_path / "tasks.jsonl")]
    validated = CliRunner().invoke(app, ["validate", str(tmp_path / "run"), *tasks, "--notes", "--json"])
    assert '"pet"' in validated.output, validated.output

    said = capsys.readouterr()
    for text in (caplog.text, said.out, said.err, validated.output):
        assert SECRET not in text
        assert NUMBER not in text


def test_a_landmark_that_spells_it_out_is_said_to_be_withheld(client: Client) -> None:
    attempt = Attempt.objects.get(entry__agent__name="Published")

    assert list(attempt.landmark_outcomes.values_list("status", flat=True)) == [
        "hit", "hit", "missed", "invalid",
    ]  # fmt: skip
    for page in ("/b/super/masked/t/pet/", attempt.get_absolute_url()):
        assert ask(client, page).text.count(WITHHELD) == 3
    for address in ("/api/v1/benchmarks/super/masked/tasks/pet", f"/api/v1/attempts/{attempt.pk}"):
        patterns = [landmark["pattern"] for landmark in client.get(address).json()["landmarks"]]
        assert patterns == [None, None, "fine", None]
