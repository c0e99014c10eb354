"""All published runs in one zip, sent and published in the browser: the boards show the published figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Entry
from leaderboard.uploads.check_writes import claim_upload
from leaderboard.uploads.checking import check_upload
from tests.browser.test_accounts import come_in
from tests.published import (
    FIGURES,
    FOLDERS,
    NEEDS_THEM,
    boards,
    check_figures,
    load_catalogue,
    pack_published,
)

pytestmark = NEEDS_THEM


@pytest.fixture
def _alice_is_signed_in(
    transactional_db: None, page: Page, live_server: LiveServer, settings: Settings, tmp_path: Path
) -> None:
    settings.SUPERBOARD_UPLOADS = tmp_path / "uploads"
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0
    load_catalogue()
    come_in(page, live_server, "alice")


def check_all() -> None:
    """What a worker does until nothing waits."""
    while claim := claim_upload():
        check_upload(claim)


def publish(page: Page, folder: str) -> None:
    """From an archive's page to one of its entries, published."""
    page.get_by_role("link", name=folder).click()
    page.get_by_role("link", name="The draft").click()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_be_visible()
    secrets = page.locator("[name=secrets_acknowledged]")
    if secrets.count():
        secrets.check()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_have_count(0)


@pytest.mark.usefixtures("_alice_is_signed_in")
def test_sent_by_the_browser_they_are_published_one_by_one(page: Page, tmp_path: Path) -> None:
    page.goto("/submit/")
    page.get_by_label("An archive").set_input_files(pack_published(tmp_path / "published.zip"))
    page.get_by_role("button", name="Send and check").click()
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    archive = page.url

    check_all()

    expect(page.get_by_role("heading", name="4 entries in it")).to_be_visible()
    for folder in FOLDERS.values():
        page.goto(archive)
        publish(page, folder)
    assert Entry.objects.filter(state="published").count() == 4
    check_figures(boards())
    for (agent, task_set), figures in FIGURES.items():
        page.goto(f"/b/super/{task_set}/")
        row = page.locator(".board tbody tr").filter(has_text=agent)
        for percent, _tasks in figures:
            expect(row).to_contain_text(percent)
