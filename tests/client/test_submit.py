"""`superboard submit` and `status` against a site that answers for real."""

from __future__ import annotations

import hashlib
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.client import sending
from leaderboard.client.server import Server
from leaderboard.client.site import Site
from leaderboard.models import Entry, Upload
from leaderboard.uploads.storage import content_path
from tests.cast import MODEL, SOLVER
from tests.client.commands import results, superboard
from tests.client.cutting import cutting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("token")]
SAID = ("--no-validate", "--set", "super/masked", "--agent", SOLVER, "--model", MODEL)


def test_a_folder_is_sent_checked_and_published(site: str, tmp_path: Path) -> None:
    called = superboard("submit", results(tmp_path / "run", "pet", "cet"), *SAID, "--publish")

    entry = Entry.objects.get()
    assert (called.code, entry.state, entry.attempts.count()) == (0, "published", 2)
    assert f"{site}{entry.get_absolute_url()}" in called.err
    assert (Upload.objects.get().name, Upload.objects.get().team.personal_to) == (
        "run.zip",
        Upload.objects.get().created_by,
    )


def test_without_publish_it_is_a_draft_with_its_rank(site: str, tmp_path: Path) -> None:
    called = superboard("submit", results(tmp_path / "run", "pet"), *SAID, "--json")

    assert called.code == called.data["exit"] == 0
    assert called.data["upload"]["entry_state"] == Entry.objects.get().state == "draft"
    accuracy, *_others, submitted = called.data["preview"]["metrics"]
    assert (submitted["rank"], called.data["summary"]["attempts"]) == (1, 1)
    assert (accuracy["value"], accuracy["rank"]) == (None, None), "it is that of one task"
    told = superboard("submit", tmp_path / "run", *SAID)
    assert "submitted\t50.0\t1\t1" in told.out
    assert "shown once it is published" in told.err
    assert "Its attempts used: " in told.err
    assert ", execution_time 20 s, steps 2\n" in told.err


def test_publishing_replaces_what_has_the_name_only_when_told_to(site: str, tmp_path: Path) -> None:
    superboard("submit", results(tmp_path / "first", "pet", "cet"), *SAID, "--publish")
    second = ("submit", results(tmp_path / "second", "pet"), *SAID, "--publish")

    asked = superboard(*second)
    assert asked.code == 2
    says = f"Solver · gpt-4o, version 1, at {site}/e/solver-gpt-4o-masked/ (accuracy 50.0 → none"
    assert f"not published: it would replace {says}" in asked.err
    assert "Give --replace, or --version-of solver-gpt-4o-masked" in asked.err
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["draft", "published"]

    done = superboard(*second, "--replace")
    assert (done.code, f"It replaces {says}" in done.err) == (0, True)
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["published", "superseded"]

    named = ("--version-of", Entry.objects.get(state="published").slug)
    assert superboard("submit", results(tmp_path / "third", "cet"), *SAID, "--publish", *named).code == 0
    assert Entry.objects.get(state="published").version == 3


def test_files_that_can_not_be_used_are_said_and_keep_it_from_being_published(
    site: str, tmp_path: Path
) -> None:
    folder = results(tmp_path / "run", "pet", cet=b"{")
    refused = superboard("submit", folder, *SAID, "--publish")

    assert (refused.code, Entry.objects.get().state) == (1, "draft")
    assert "cet/history.json" in refused.err
    assert "Not published: run.zip is checked with 1 error." in refused.err
    assert f"--leaving-out publishes it without the refused files. The draft: {site}/e/" in refused.err
    done = superboard("submit", folder, *SAID, "--publish", "--leaving-out")
    assert (done.code, Entry.objects.get().state) == (0, "published")


def test_what_is_not_said_is_asked_for(site: str, tmp_path: Path) -> None:
    folder = results(tmp_path / "run", "pet")

    called = superboard("submit", folder, "--no-validate", "--set", "super/masked")
    assert (called.code, f"{site}/submit/" in called.err, "agent, model (give" in called.err) == (
        1,
        True,
        True,
    )
    assert Upload.objects.get().state == "incomplete"
    assert superboard("submit", folder, *SAID).code == 0
    assert Upload.objects.get().state == "checked"


def test_what_is_not_said_is_told_before_anything_is_sent(site: str, tmp_path: Path) -> None:
    folder = results(tmp_path / "run", "amrbart_data")
    called = superboard("submit", folder, "--set", "super/masked", "--agent", SOLVER)

    assert (called.code, "still missing: model (give it by --set, --agent" in called.err) == (2, True)
    assert not Upload.objects.exists()


def test_what_could_not_be_used_at_all_is_not_sent(site: str, tmp_path: Path) -> None:
    called = superboard("submit", results(tmp_path / "run", "no-such-task"), "--set", "super/masked")

    assert called.code == 1
    assert not Upload.objects.exists()


def test_a_connection_that_breaks_loses_nothing(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "CHUNK", 300_000)
    folder = results(tmp_path / "run", "pet")
    (folder / "pet" / "log.txt").write_text(secrets.token_hex(800_000))
    with cutting(site, 250_000, 200_000, 150_000) as way:
        called = superboard("submit", folder, *SAID, "--url", way.url)

    assert (called.code, way.cuts) == (0, [])
    upload = Upload.objects.get()
    assert content_path(upload.pk).stat().st_size == upload.size == upload.received > 800_000


def test_a_command_that_was_stopped_goes_on_where_it_was(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "CHUNK", 100_000)
    folder = results(tmp_path / "run", "pet")
    (folder / "pet" / "log.txt").write_text(secrets.token_hex(400_000))
    with cutting(site, 250_000, *[0] * 30) as way:
        assert superboard("submit", folder, *SAID, "--url", way.url).code == 4
    begun = Upload.objects.get()
    assert 0 < begun.received < begun.size

    # The address is another one now, the bytes on the site are the same: a note would be for the other.
    monkeypatch.setenv("SUPERBOARD_URL", site)
    assert superboard("submit", folder, *SAID).code == 0


def test_two_clients_that_go_on_with_one_upload_double_and_lose_nothing(
    site: str, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "CHUNK", 50_000)
    monkeypatch.setattr(Server, "sleep", lambda _server, _seconds: threading.Event().wait(0.01))
    data = secrets.token_bytes(3_000_000)
    (tmp_path / "run.bin").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    # The second begins to send when the first is in the middle of it.
    begun, both = threading.Event(), threading.Barrier(2)

    def send(first: bool) -> str:
        def on_progress(done: int, _size: int) -> None:
            if first and done > 1_000_000 and not begun.is_set():
                begun.set()
                both.wait(10)

        if not first:
            begun.wait(10)
        with Server(Site(site, token)) as server:
            if not first:
                both.wait(10)
            announcement = {"name": "run.bin", "size": len(data)}
            return sending.send_file(
                server,
                tmp_path / "run.bin",
                digest=digest,
                announcement=announcement,
                on_progress=on_progress,
            ).address

    with ThreadPoolExecutor(2) as pool:
        addresses = set(pool.map(send, (True, False)))

    upload = Upload.objects.get()
    assert addresses == {f"/api/v1/uploads/{upload.pk}"}
    assert (upload.state, upload.digest) == ("queued", digest)
    assert content_path(upload.pk).read_bytes() == data


def test_the_same_bytes_are_not_sent_twice(site: str, tmp_path: Path) -> None:
    folder = results(tmp_path / "run", "pet")
    first = superboard("submit", folder, *SAID, "--json").data["upload"]["id"]

    assert superboard("submit", folder, *SAID, "--json").data["upload"]["id"] == first
    assert Upload.objects.count() == 1


def test_status_lists_uploads_and_shows_one(site: str, tmp_path: Path) -> None:
    made = superboard("submit", results(tmp_path / "run", "pet"), *SAID, "--json").data["upload"]

    listed = superboard("status")
    assert (listed.code, made["id"] in listed.out, "checked" in listed.out) == (0, True, True)
    listing = superboard("status", "--json").data
    assert (listing["exit"], [each["id"] for each in listing["uploads"]]) == (0, [made["id"]])
    assert [(each["left"], each["of"]) for each in listing["gold_checks"]] == [(19, 20)]
    assert "alice, super/masked: 19 of 20; one more at 2" in listed.err
    shown = superboard("status", made["id"], "--json")
    assert (shown.code, shown.data["upload"]["id"]) == (0, made["id"])
    assert superboard("status", "00000000-0000-0000-0000-000000000000").code == 3


def test_a_site_that_does_not_finish_in_time_is_said_to_be_slow(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.client.server.Server.sleep", lambda _server, _seconds: None)
    called = superboard("submit", results(tmp_path / "run", "pet"), *SAID, "--patience", "0")

    assert called.code == 4
    assert "superboard status" in called.err


def test_a_check_that_is_put_off_is_said_with_when_it_goes_on(
    site: str, tmp_path: Path, settings: Settings
) -> None:
    settings.SUPERBOARD_GOLD_CHECKS_PER_DAY = 1
    superboard("submit", results(tmp_path / "run", "pet"), *SAID)

    called = superboard("submit", results(tmp_path / "other", "cet"), *SAID, "--publish")

    assert (called.code, Upload.objects.get(name="other.zip").state) == (4, "waiting")
    assert "SUPERBOARD_GOLD_CHECKS_PER_DAY" in called.err
    assert "there is room again at" in called.err
    assert "Not published: other.zip is waiting" in called.err


def test_it_needs_a_token(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUPERBOARD_TOKEN")
    folder = results(tmp_path / "run", "pet")

    for command in (("submit", folder, *SAID), ("status",)):
        called = superboard(*command)
        assert (called.code, "superboard login" in called.err) == (2, True)


def test_a_token_that_the_site_does_not_take_is_said(
    site: str, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    monkeypatch.setenv("SUPERBOARD_TOKEN", wrong)
    called = superboard("submit", results(tmp_path / "run", "pet"), *SAID, "--json")

    assert (called.code, called.data["exit"]) == (3, 3)
    assert "revoked or expired" in called.data["problems"][0]["reason"]
    assert wrong not in called.out + called.err
