"""Submitters can get an e-mail or a webhook when checking ends; webhooks go to public addresses only."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone
from pytest_django import Settings

from leaderboard.domain.errors import InputError
from leaderboard.models import Upload
from leaderboard.uploads import webhooks
from leaderboard.uploads.notices import TRIES, due_notices, send_next_notice
from leaderboard.uploads.webhooks import (
    SIGNATURE_HEADER,
    WebhookFailed,
    WebhookRefused,
    post,
    sign,
    webhook_key,
)
from tests.cast import PET, make_set
from tests.uploads.cast import checked, described, run_zip, start

pytestmark = pytest.mark.django_db


class Receiver:
    """A server that stores the requests it gets, and answers with ``status``."""

    def __init__(self) -> None:
        self.status = 204
        self.heard: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.heard.append((dict(self.headers), body))
                self.send_response(receiver.status)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/notice"


@pytest.fixture
def receiver(db: None) -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def ended(**form: Any) -> Upload:
    make_set(PET)
    return checked(run_zip("pet"), form=described(**form))


def test_without_a_request_no_notice_is_sent() -> None:
    assert ended().notice_due is None
    assert not send_next_notice()


def test_an_e_mail_has_the_result_and_the_page_s_address(settings: Settings) -> None:
    settings.SUPERBOARD_URL = "https://board.example.org"
    upload = ended(email=True)
    assert send_next_notice()
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    assert message.subject == "run.zip: checked"
    assert f"https://board.example.org{upload.get_absolute_url()}" in message.body
    assert not due_notices()


def test_who_has_left_the_team_is_told_nothing() -> None:
    upload = ended(email=True)
    upload.team.memberships.all().delete()
    assert send_next_notice()
    assert mail.outbox == []


def test_a_webhook_is_sent_with_a_signature(receiver: Receiver) -> None:
    upload = ended(webhook=receiver.url)
    assert send_next_notice()
    headers, body = receiver.heard[0]
    assert headers[SIGNATURE_HEADER] == sign(webhook_key(upload.team), body)
    notice = json.loads(body)
    assert (notice["upload"], notice["state"], notice["totals"]["attempts"]) == (str(upload.pk), "checked", 1)


@pytest.mark.parametrize("status", [500, 302])
def test_a_failed_webhook_is_tried_again_at_growing_intervals(receiver: Receiver, status: int) -> None:
    receiver.status = status
    upload = ended(webhook=receiver.url, email=True)
    pauses = []
    for _ in range(TRIES):
        Upload.objects.update(notice_due=timezone.now())
        assert send_next_notice()
        upload.refresh_from_db()
        pauses.append(upload.notice_due and upload.notice_due - timezone.now())
    assert pauses[0]
    assert pauses[3]
    assert pauses[0] < timedelta(minutes=1) < pauses[3]
    assert pauses[-1] is None
    assert len(receiver.heard) == TRIES
    assert len(mail.outbox) == 1


def test_a_receiver_that_answers_byte_by_byte_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "DEADLINE_SECONDS", 0.1)
    pause = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 204 No Content\r\nX: ")
            for _byte in range(150):
                connection.sendall(b"x")
                pause.wait(0.02)
            connection.sendall(b"\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        with pytest.raises(WebhookFailed):
            post(f"http://127.0.0.1:{listening.getsockname()[1]}/", {}, key="key")
        thread.join()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b:1::7f00:1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "fec0::1",
        "fe80::1%eth0",
        "3fff::1",
        "5f00::1",
    ],
)
def test_no_private_address_gets_a_webhook(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    settings.LOCAL = False
    found = [(0, 0, 0, "", (address, 443))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **options: found)
    with pytest.raises(WebhookRefused):
        post("https://hooks.example.org/", {}, key="key")


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:7f00:1]", "0"])
def test_no_other_way_to_write_this_machine_gets_a_webhook(settings: Settings, host: str) -> None:
    settings.LOCAL = False
    with pytest.raises(WebhookRefused, match="is not public"):
        post(f"https://{host}/", {}, key="key")


def test_a_host_whose_address_changes_after_the_check_gets_it_at_the_one_that_was_checked(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOCAL = False
    answers = iter(["93.184.215.14", "127.0.0.1", "127.0.0.1"])
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (next(answers), 443))])
    connected = []

    def connect(address: tuple[str, int], *_: Any, **__: Any) -> None:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", connect)
    with pytest.raises(WebhookFailed):
        post("https://hooks.example.org/", {}, key="key")
    assert connected == [("93.184.215.14", 443)]


def test_one_private_address_among_a_host_s_addresses_is_enough_to_refuse(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOCAL = False
    found = [(0, 0, 0, "", (address, 443)) for address in ("93.184.215.14", "10.0.0.1")]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)
    with pytest.raises(WebhookRefused):
        post("https://hooks.example.org/", {}, key="key")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org",
        "https://a:b@example.org/",
        "https:///x",
        "javascript:1",
        "https://x:y/",
        "https://exämple.org/",
        "https://\uff11\uff12\uff17.0.0.1/",
        "https://[fe80::1%25eth0]/",
        "https://[64:ff9b:1::7f00:1]/",
        "https://10.0.0.1/",
        "https://example.org\r\nX: y/",
    ],
)
def test_an_address_that_is_not_allowed_is_refused_at_once(settings: Settings, url: str) -> None:
    settings.LOCAL = False
    with pytest.raises(InputError) as refusal:
        start(form={"webhook": url})
    assert refusal.value.problem.place == "webhook"


def test_a_mail_server_that_is_down_delays_no_webhook(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise ConnectionRefusedError

    upload = ended(webhook=receiver.url, email=True)
    with monkeypatch.context() as patched:
        patched.setattr("leaderboard.uploads.notices.send_mail", refuse)
        assert send_next_notice()
    Upload.objects.update(notice_due=timezone.now())
    assert send_next_notice()
    upload.refresh_from_db()
    assert (len(receiver.heard), len(mail.outbox), upload.notice_due) == (1, 1, None)
