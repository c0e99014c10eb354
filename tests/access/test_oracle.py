"""What a submitter can read of a draft is the same whichever gold answers it was compared with."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.attempts import api, views
from leaderboard.comparing import selectors as comparing
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries import api as entries_api
from leaderboard.entries import views as entries_views
from leaderboard.entries.services import publish_entry
from leaderboard.models import Attempt, Entry, Task, TaskSet, Upload
from leaderboard.uploads.services import recheck_upload
from tests.access.crawl import ask
from tests.cast import SOLVER, history, make_set, report
from tests.people import client_of, person
from tests.uploads.cast import check, checked, packed

pytestmark = pytest.mark.django_db
TASKS = [
    TaskSpec("pet", gold={"f1": 0.25}, landmarks=(r"f1 0\.25", "epoch"), categories=("data",)),
    *(TaskSpec(f"task-{n}", gold={"f1": 0.25}, categories=("data",)) for n in range(8)),
]
NUMBERS = [
    ({"f1": number}, [rf"f1 {str(number).replace('.', '[.]')}", "epoch"]) for number in (0.25, 0.75, 0.99)
]
KINDS = [(gold, ["epoch"]) for gold in ({"f1": 0.25}, {"f1": True}, False)]
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+Z]+|(?:\d+|an?)[\xa0 ](?:second|minute|hour)s? ago|(?<=>)now(?=<)")


@pytest.fixture(autouse=True)
def task_set(settings: Settings, tmp_path: Any) -> TaskSet:
    settings.SUPERBOARD_UPLOADS, settings.SUPERBOARD_MIN_FREE_DISK_MB = tmp_path / "uploads", 0
    settings.SUPERBOARD_UPLOADS.mkdir()
    task_set = make_set(*TASKS)
    report(task_set, "Published", {"pet": 0.5})
    return task_set


def guesses() -> Upload:
    """Two attempts at one task, in steps whose output says every number that is guessed."""
    printed = "epoch 1\n" + "\n".join(f"f1 {n / 100}" for n in range(0, 80, 5))
    files = {
        f"pet/attempt_{(n + 1) // 2}/history.json": history({"f1": n / 4}, observation=printed)
        for n in (1, 3)
    }
    described = {"agent": SOLVER, "model": "m", "benchmark": "super", "set": "masked", "email": True}
    return checked(packed(**files), form=described)


def compared_with(gold: Any, landmarks: list[str], upload: Upload) -> dict[str, str]:
    """All that Alice can read after a check against other gold answers, by address."""
    Task.objects.filter(task_id="pet").update(gold=json.dumps(gold), landmarks=landmarks)
    check(recheck_upload(upload, user=person("alice")))
    upload.refresh_from_db()
    return readable(client_of("alice"), upload)


def readable(client: Client, upload: Upload) -> dict[str, str]:
    entry = upload.entry
    assert entry
    starts = [upload.get_absolute_url(), f"/submit/{upload.pk}/report.json", entry.get_absolute_url()]
    starts += [f"{entry.get_absolute_url()}versions/", "/submit/", f"/api/v1/uploads/{upload.pk}/report"]
    starts += [f"/api/v1/entries/{entry.slug}{more}" for more in ("", "/preview", "/attempts")]
    # What a filter leaves, and what an order puts first, could tell too.
    lists = ("sort=-accuracy", "outcome=right", "landmarks=all")
    starts += [f"{entry.get_absolute_url()}?{query}" for query in lists]
    compared = f"?e={entry.slug}&e={Entry.objects.get(agent__name='Published').slug}"
    for metric in entry.task_set.scoring.by_key:
        starts += [f"/{path}{compared}&metric={metric}" for path in ("compare/", "api/v1/compare")]
    for attempt in Attempt.objects.filter(entry=entry):
        starts += [attempt.get_absolute_url(), f"/api/v1/attempts/{attempt.pk}"]
        starts += [f"/a/{attempt.pk}/download/{kind}/" for kind in ("notebook", "html")]
    return {address: TIMES.sub("", ask(client, address).text) for address in starts}


@pytest.mark.parametrize("golds", [NUMBERS, KINDS], ids=["numbers", "kinds of values"])
def test_a_submitter_reads_the_same_whatever_the_gold_answer_is(golds: list[tuple[Any, list[str]]]) -> None:
    upload = guesses()
    first, *others = [compared_with(*gold, upload) for gold in golds]

    for other in others:
        assert other.keys() == first.keys()
        for address, text in first.items():
            assert other[address] == text, address


def test_without_the_rules_for_drafts_the_answers_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    upload = guesses()
    for module in (views, api, comparing, entries_views, entries_api):
        monkeypatch.setattr(module, "sees_as_draft", lambda user, entry: False)
    first, other = (compared_with(*gold, upload) for gold in NUMBERS[:2])

    told = {address for address in first if first[address] != other[address]}
    assert {address.split("/")[1] for address in told} >= {"a", "e", "api"}
    assert any(address.startswith("/api/v1/compare") for address in told)


def test_an_operator_sees_a_drafts_scores_by_task_and_everybody_sees_them_once_it_is_published() -> None:
    upload = guesses()
    attempt = Attempt.objects.filter(entry=upload.entry, number=1).get()
    where = f"/api/v1/attempts/{attempt.pk}"

    def accuracy(client: Client) -> list[float | None]:
        scores = client.get(where).json()["scores"]
        return [score["value"] for score in scores if score["metric"] == "accuracy"]

    assert accuracy(client_of("alice")) == [None, None]
    assert accuracy(client_of("olga")) == [1.0, 1.0]
    assert upload.entry
    publish_entry(upload.entry, user=person("alice"))
    assert accuracy(Client()) == [1.0, 1.0]
