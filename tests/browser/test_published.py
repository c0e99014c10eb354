"""Published runs in one zip, sent and published in the browser: the board shows the published figures.

Those on Expert: that all of them give their figures on their way from a zip is shown in tests/uploads.
"""

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
from tests.published import FIGURES, NEEDS_THEM, folders_of, load_catalogue, pack_published

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
    page.get_by_label("An archive").set_input_files(pack_published(tmp_path / "published.zip", "expert"))
    page.get_by_role("button", name="Send and check").click()
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    archive = page.url

    check_all()

    expect(page.get_by_role("heading", name="2 entries in it")).to_be_visible()
    for folder in folders_of("expert").values():
        page.goto(archive)
        publish(page, folder)
    assert Entry.objects.filter(state="published").count() == 2
    for key in folders_of("expert"):
        agent, figures = key[0], FIGURES[key]
        page.goto("/b/super/expert/")
        row = page.locator(".board tbody tr").filter(has_text=agent)
        for percent, _tasks in figures:
            expect(row).to_contain_text(percent)
