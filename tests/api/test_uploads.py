"""Uploads by the API: announced, sent in pieces whatever happens in between, followed, discarded."""

from __future__ import annotations

import hashlib
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload
from leaderboard.uploads.services import CHECK_TASK
from leaderboard.uploads.storage import content_path
from tests.api.calls import address, kind, read, read_all, refusal, with_token
from tests.api.uploading import CHUNK, DATA, announce, send
from tests.people import client_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> Client:
    return with_token("alice", Scope.SUBMIT)


def offset(client: Client, where: str) -> tuple[str, str]:
    response = client.head(where)
    assert response.status_code == 200
    return response["Upload-Offset"], response["Upload-Length"]


def test_a_file_is_announced_and_its_location_takes_the_bytes(alice: Client) -> None:
    response = alice.post(
        address("start"),
        {"name": "dir/run.zip", "size": 10, "form": {"agent": "Solver"}},
        content_type="application/json",
    )

    made = response.json()
    upload = Upload.objects.get()
    assert (response.status_code, response["Location"]) == (201, address("upload", upload.pk))
    assert (made["name"], made["state"], made["received"]) == ("run.zip", "receiving", 0)
    assert (upload.created_by, upload.team.personal_to) == (person("alice"), person("alice"))
    assert upload.form == {"agent": "Solver"}


def test_it_arrives_in_pieces_and_is_queued_with_the_last(alice: Client) -> None:
    where = announce(alice)["url"]

    first = send(alice, where, DATA[:4], 0)
    assert (first.status_code, first["Upload-Offset"], first.content) == (204, "4", b"")
    assert offset(alice, where) == ("4", "10")
    assert send(alice, where, DATA[4:], 4)["Upload-Offset"] == "10"

    found = read(alice, where)
    assert (found["state"], found["sha256"]) == ("queued", hashlib.sha256(DATA).hexdigest())
    assert client_of("alice").get(found["page"]).status_code == 200
    assert content_path(Upload.objects.get().pk).read_bytes() == DATA


@pytest.mark.parametrize("wrong", [0, 3, 5, 10])
def test_a_chunk_that_is_doubled_or_skips_writes_nothing_and_hears_where_to_go_on(
    wrong: int, alice: Client
) -> None:
    where = announce(alice)["url"]
    send(alice, where, DATA[:4], 0)

    response = send(alice, where, b"XXXX", wrong)

    assert (response.status_code, kind(response), response["Upload-Offset"]) == (409, "wrong-offset", "4")
    send(alice, where, DATA[4:], 4)
    assert content_path(Upload.objects.get().pk).read_bytes() == DATA


def test_what_arrived_before_the_connection_broke_is_kept(
    alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = announce(alice)["url"]
    monkeypatch.setattr("django.test.client.FakePayload.read", broken_after(b"012", b"345"))
    response = send(alice, where, DATA, 0)
    monkeypatch.undo()

    assert kind(response) == "bad-request"
    assert offset(alice, where) == ("6", "10")
    send(alice, where, DATA[6:], 6)
    assert read(alice, where)["state"] == "queued"


def broken_after(*parts: bytes) -> Any:
    """How a body is read that breaks off after ``parts``."""
    arriving = iter(parts)

    def read_part(_payload: Any, _size: int = -1) -> bytes:
        for part in arriving:
            return part
        raise ConnectionResetError

    return read_part


def test_more_than_was_announced_is_refused(alice: Client) -> None:
    where = announce(alice)["url"]

    problem = refusal(send(alice, where, DATA + b"more", 0))

    assert problem["status"] == 422
    assert "more bytes arrive than the 10 that were announced" in problem["problems"][0]["reason"]


def test_all_of_it_is_here_already(alice: Client) -> None:
    where = announce(alice)["url"]
    send(alice, where, DATA, 0)

    assert kind(send(alice, where, b"", 10, CONTENT_LENGTH="0", CONTENT_TYPE=CHUNK)) == "unusable"
    assert offset(alice, where) == ("10", "10")


def test_the_same_bytes_again_lead_to_the_first_upload(alice: Client) -> None:
    first, second = announce(alice)["url"], announce(alice)["url"]
    send(alice, first, DATA, 0)

    response = send(alice, second, DATA, 0)

    assert (response.status_code, response["Location"]) == (204, first)
    told = alice.get(second)
    assert (told.status_code, told["Location"]) == (410, first)
    digest = hashlib.sha256(DATA).hexdigest()
    assert [each["url"] for each in read_all(alice, address("uploads"), sha256=digest)] == [first]


def test_a_sender_that_vanished_in_the_middle_of_a_piece_goes_on_at_once(
    live_server: LiveServer, transactional_db: None
) -> None:
    """No end of its connection is seen: the request that waits for its bytes is still there."""
    alice = client_of("alice")
    _token, secret = create_token(user=person("alice"), name="ci", scopes=[Scope.SUBMIT], expires=None)
    where = announce(alice)["url"]
    server = urlsplit(live_server.url)
    head = (
        f"PATCH {where} HTTP/1.1\r\nHost: {server.netloc}\r\nAuthorization: Bearer {secret}\r\n"
        f"Content-Type: {CHUNK}\r\nUpload-Offset: 0\r\nContent-Length: 10\r\n\r\n"
    )
    with socket.create_connection((server.hostname or "", server.port or 0), timeout=60) as vanished:
        vanished.sendall(head.encode() + DATA[:4])
        while not content_path(Upload.objects.get().pk).exists():
            time.sleep(0.02)

        assert send(alice, where, DATA, 0).status_code == 204

        vanished.sendall(b"XXXXXX")
        assert vanished.recv(1000).split(b" ")[1] == b"409"
    assert content_path(Upload.objects.get().pk).read_bytes() == DATA


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"content_type": "application/zip"}, "wrong-type"),
        ({"CONTENT_LENGTH": ""}, "length-required"),
    ],
)
def test_a_chunk_is_sent_as_one(options: dict[str, str], refused: str, alice: Client) -> None:
    where = announce(alice)["url"]

    assert kind(send(alice, where, DATA, 0, **options)) == refused
    assert kind(alice.patch(where, DATA, content_type="application/offset+octet-stream")) == "malformed"
    assert offset(alice, where) == ("0", "10")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"size": -1}, "$.size"),
        ({"size": "much"}, "$.size"),
        ({"size": 0}, "size"),
        ({"name": ""}, "name"),
        ({"form": {"cost": "much"}}, "$.cost"),
        ({"form": {"colour": "red"}}, "$.colour"),
        ({"team": "none"}, "$.team"),
        ({"form": []}, "$.form"),
    ],
    ids=str,
)
def test_what_can_not_be_announced_is_refused_with_its_place(
    said: dict[str, Any], place: str, alice: Client
) -> None:
    asked = {"name": "run.zip", "size": 10, **said}
    response = alice.post(address("start"), asked, content_type="application/json")

    assert response.status_code == 422
    assert [problem["place"] for problem in refusal(response)["problems"]] == [place]
    assert not Upload.objects.exists()


def test_a_body_that_is_no_json_is_refused(alice: Client) -> None:
    response = alice.post(address("start"), "{", content_type="application/json")

    assert kind(response) == "bad-request"


def test_a_team_over_its_quota_hears_which(alice: Client, settings: Any) -> None:
    settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM = 1
    announce(alice)

    response = alice.post(address("start"), {"name": "b.zip", "size": 1}, content_type="application/json")
    assert (response.status_code, kind(response)) == (403, "over-quota")
    assert "SUPERBOARD_OPEN_UPLOADS_PER_TEAM" in str(response.json())


def test_it_is_described_checked_again_and_discarded(alice: Client) -> None:
    where = announce(alice)["url"]
    send(alice, where, DATA, 0)

    said = alice.post(f"{where}/describe", {"form": {"model": "m"}}, content_type="application/json")
    assert said.json()["form"] == {"model": "m"}
    assert alice.post(f"{where}/recheck").status_code == 422
    Upload.objects.update(state=UploadState.CHECKED)
    assert alice.post(address("recheck", said.json()["id"])).json()["state"] == "queued"
    assert alice.delete(where).status_code == 204
    assert not Upload.objects.exists()


def test_the_broker_hears_of_the_last_byte(
    alice: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    calls: list[str] = []
    monkeypatch.setattr("leaderboard.uploads.services.current_app.send_task", calls.append)
    where = announce(alice)["url"]
    with django_capture_on_commit_callbacks(execute=True):
        send(alice, where, DATA, 0)

    assert calls == [CHECK_TASK]
