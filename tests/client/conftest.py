"""A site that answers for real, and a home of the client's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import caches
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.client.server import Server
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.models import Upload
from tests.cast import CET, PET, make_set
from tests.people import person
from tests.uploads.cast import check


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the client keeps its tokens."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("SUPERBOARD_TOKEN", raising=False)
    monkeypatch.delenv("SUPERBOARD_URL", raising=False)
    return folder


@pytest.fixture
def site(
    live_server: LiveServer,
    settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """A site with a task set, at an address that the environment names; its worker works while one waits."""
    settings.SUPERBOARD_UPLOADS = tmp_path_factory.mktemp("uploads")
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0
    caches["requests"].clear()
    make_set(PET, CET)
    monkeypatch.setenv("SUPERBOARD_URL", live_server.url)
    monkeypatch.setattr(Server, "sleep", lambda _server, _seconds: check_what_waits())
    return str(live_server.url)


@pytest.fixture
def token(site: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Alice's, in the environment."""
    _token, secret = create_token(user=person("alice"), name="ci", scopes=[Scope.SUBMIT], expires=None)
    monkeypatch.setenv("SUPERBOARD_TOKEN", secret)
    return secret


def check_what_waits() -> None:
    """What a worker does."""
    for upload in Upload.objects.filter(state="queued").order_by("queued", "pk"):
        check(upload)
