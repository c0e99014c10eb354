"""From a report to a published entry by the API, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from leaderboard.core.teams import personal_team
from leaderboard.domain.access import Scope
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.withheld import FEWEST_TASKS
from leaderboard.entries.services import publish_entry
from leaderboard.models import Entry, Upload, UploadedFile
from tests.api.calls import address, kind, read, read_all, with_token
from tests.api.uploading import announce
from tests.cast import PET, make_set
from tests.entries.cast import make_draft
from tests.people import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> Client:
    return with_token("alice", Scope.SUBMIT)


def finding(severity: str, reason: str) -> dict[str, Any]:
    return {"severity": severity, "file": "a/history.json", "place": "line 3", "reason": reason, "remedy": ""}


def test_the_report_is_read_file_by_file_in_sentences(alice: Client) -> None:
    where = announce(alice)["url"]
    upload = Upload.objects.get()
    Upload.objects.update(summary={"files": 3}, problems=[finding("warning", "there are 2 links")])
    for name, errors in (("a", 1), ("b", 0), ("c", 0)):
        UploadedFile.objects.create(
            upload=upload,
            name=name,
            verdict="refused" if errors else "used",
            errors=errors,
            problems=json.dumps([finding("error", "1 is wrong")] * errors),
        )

    report = read(alice, f"{where}/report", limit=2)
    assert report["findings"][0]["reason"] == "there are 2 links"
    assert [line["name"] for line in read_all(alice, f"{where}/report", limit=2)] == ["a", "b", "c"]
    (refused,) = read_all(alice, f"{where}/report", only="errors")
    assert refused["findings"] == [
        {
            "severity": "error",
            "file": "a/history.json",
            "place": "line 3",
            "reason": "1 is wrong",
            "remedy": "",
        }
    ]
    assert len(read_all(alice, address("report", upload.pk), verdict="used")) == 2


@pytest.fixture
def draft() -> Entry:
    """Alice's, of an upload with nothing wrong."""
    return make_draft(make_set(PET), {"pet": 0.5}, trajectories=True)


@pytest.fixture
def large_draft() -> Entry:
    """Hers too, with as many tasks above 0 as a draft needs to show its accuracy."""
    tasks = [TaskSpec(f"task-{n}") for n in range(FEWEST_TASKS)]
    scores = {task.task_id: 0.5 for task in tasks}
    return make_draft(make_set(*tasks), scores, trajectories=True)


def test_a_draft_is_previewed_published_and_withdrawn(alice: Client, large_draft: Entry) -> None:
    upload = Upload.objects.get()
    preview = read(alice, address("preview", large_draft.slug))
    first = preview["metrics"][0]
    assert (first["metric"], first["value"], first["rank"], first["of"]) == ("accuracy", 0.5, 1, 1)
    assert preview["attempted"] == FEWEST_TASKS

    for _ in range(2):
        response = alice.post(address("publish", upload.pk), {}, content_type="application/json")
        assert (response.status_code, response["Location"]) == (200, address("entry", "solver-gpt-4o-masked"))
        assert response.json()["state"] == "published"
    without_reason = alice.post(
        address("withdraw", large_draft.slug), {"reason": ""}, content_type="application/json"
    )
    assert without_reason.status_code == 422
    gone = alice.post(
        address("withdraw", large_draft.slug), {"reason": "A bug."}, content_type="application/json"
    )
    assert gone.json()["state"] == "withdrawn"
    assert kind(Client().get(address("entry", "solver-gpt-4o-masked"))) == "gone"


def test_a_published_entry_is_replaced_only_by_its_slug(alice: Client, draft: Entry) -> None:
    first = publish_entry(draft, user=person("alice"))
    second = make_draft(first.task_set, {"pet": 0.75})
    upload = Upload.objects.get(entry=second)
    preview = read(alice, address("preview", second.slug))
    assert (preview["replaces"], preview["replaced"]) == (first.slug, "Solver · gpt-4o, version 1")
    change = {"metric": "accuracy", "unit": "share", "before": 0.5, "after": 0.75}
    assert preview["changes"][0] == change

    unasked = alice.post(address("publish", upload.pk), {}, content_type="application/json")
    assert kind(unasked) == "unusable"
    assert "version 1, at /e/solver-gpt-4o-masked/" in unasked.content.decode()
    told = {"replaces": first.slug}
    done = alice.post(address("publish", upload.pk), told, content_type="application/json")
    assert (done.json()["state"], done.json()["version"]) == ("published", 2)


def test_refused_files_have_to_be_left_out_knowingly(alice: Client, draft: Entry) -> None:
    upload = Upload.objects.get()
    UploadedFile.objects.create(upload=upload, name="a", verdict="refused", errors=1)

    refused = alice.post(address("publish", upload.pk), {}, content_type="application/json")
    assert kind(refused) == "unusable"
    done = alice.post(address("publish", upload.pk), {"leaving_out": True}, content_type="application/json")
    assert done.json()["state"] == "published"


def test_an_upload_without_a_draft_can_not_be_published(alice: Client) -> None:
    made = announce(alice)

    response = alice.post(address("publish", made["id"]), {}, content_type="application/json")

    assert (response.status_code, kind(response)) == (409, "conflict")


def test_a_new_version_is_announced_for_a_published_entry_of_ones_own(alice: Client, draft: Entry) -> None:
    draft = publish_entry(draft, user=person("alice"))

    made = announce(alice, previous=draft.slug)
    assert (made["previous"], made["team"]) == (draft.slug, personal_team(person("alice")).slug)
    bob = with_token("bob", Scope.SUBMIT).post(
        address("start"),
        {"name": "a", "size": 1, "previous": draft.slug},
        content_type="application/json",
    )
    assert kind(bob) == "forbidden"
