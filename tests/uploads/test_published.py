"""All published runs in one zip, by the client and a real worker: the boards show the published figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import caches
from pytest_django.live_server_helper import LiveServer

from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.models import Attempt, Upload
from tests.client.commands import superboard
from tests.people import person
from tests.published import FOLDERS, NEEDS_THEM, boards, check_figures, load_catalogue, pack_published
from tests.runs.workers import Workers

pytestmark = NEEDS_THEM


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return pack_published(tmp_path / "published.zip")


def test_the_client_finds_all_attempts_and_no_error(archive: Path) -> None:
    called = superboard("validate", archive, "--json")

    assert called.code == 0
    assert {part["name"]: part["totals"]["attempts"] for part in called.data["parts"]} == {
        name: 45 if name.endswith("expert") else 144 for name in FOLDERS.values()
    }
    read = [line for part in called.data["parts"] for line in part["files"] if line["format"]]
    assert (len(read), called.data["totals"]["errors"]) == (257, 0)
    assert [line["name"] for line in called.data["files"]] == ["entry.yaml"]


def test_sent_by_the_client_they_are_checked_by_a_worker_and_published(
    archive: Path,
    workers: Workers,
    live_server: LiveServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load_catalogue()
    caches["requests"].clear()
    _token, secret = create_token(user=person("alice"), name="ci", scopes=[Scope.SUBMIT], expires=None)
    for name, value in (
        ("HOME", tmp_path),
        ("SUPERBOARD_URL", live_server.url),
        ("SUPERBOARD_TOKEN", secret),
    ):
        monkeypatch.setenv(name, str(value))
    # The worker writes its blobs elsewhere; this test reads none of them.
    workers.start(SUPERBOARD_MIN_FREE_DISK_MB="0")

    called = superboard("submit", archive, "--no-validate", "--publish", "--secrets-acknowledged")

    assert called.code == 0, f"{called.err}\n{workers.logs()}"
    assert called.err.count("Published: ") == 4
    check_figures(boards())
    assert Attempt.objects.count() == 378
    assert Attempt.objects.filter(has_trajectory=True).count() == 257
    assert Upload.objects.filter(parent=None).get().parts.count() == 4
