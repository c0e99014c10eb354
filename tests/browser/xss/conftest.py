"""The hostile site, made once, and what listens to its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import Snapshot, TakeSnapshot
from tests.browser.test_publishing import sign_in
from tests.browser.xss import site
from tests.browser.xss.canary import Canary

NO_LIMITS = dict.fromkeys(
    (
        "SUPERBOARD_MAX_TEAMS",
        "SUPERBOARD_MAX_TOKENS",
        "SUPERBOARD_OPEN_UPLOADS_PER_TEAM",
        "SUPERBOARD_PUBLICATIONS_PER_DAY",
        "SUPERBOARD_GOLD_CHECKS_PER_DAY",
        "SUPERBOARD_INVITATIONS_A_DAY",
    ),
    10_000,
)


@pytest.fixture(scope="session")
def hostile(take_snapshot: TakeSnapshot) -> tuple[Snapshot, dict[str, list[str]]]:
    """The hostile site, and which payloads it took as names."""

    def fill(folder: Path) -> dict[str, list[str]]:
        with override_settings(
            SUPERBOARD_UPLOADS=folder / "uploads", SUPERBOARD_MIN_FREE_DISK_MB=0, **NO_LIMITS
        ):
            return site.build()

    return take_snapshot("hostile", fill)


@pytest.fixture
def names(
    transactional_db: None, hostile: tuple[Snapshot, dict[str, list[str]]], settings: Settings
) -> dict[str, list[str]]:
    """The hostile site is in place; which payloads are names on it, by what they name."""
    snapshot, taken = hostile
    snapshot.restore(settings)
    return taken


@pytest.fixture
def canary(page: Page, live_server: LiveServer) -> Iterator[Canary]:
    """What listens to the page; a test that provokes it empties ``heard``."""
    canary = Canary(page, home=live_server.url)
    yield canary
    assert not canary.heard, "\n".join(canary.heard)


@pytest.fixture
def alice(page: Page, names: dict[str, list[str]]) -> None:
    """She owns everything on the site, operates it, and is signed in."""
    sign_in(page, "alice")
