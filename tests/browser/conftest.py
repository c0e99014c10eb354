"""A real browser on a live server. A page that complains (errors, content blocked, other hosts) fails a test.

`theme`, `viewport` and `javascript` are fixtures to parametrize: see tests/browser/looks.py.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)
from pytest_django import DjangoDbBlocker, Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.operating.fixtures import load_fixtures
from tests.browser import chromium
from tests.browser.hostile import PAYLOADS
from tests.browser.looks import DESKTOP
from tests.browser.rows import load_rows, save_rows
from tests.browser.runs import import_hostile_run, import_odd_runs

# How long a wait may take before it is a failure: charts need more than the default of 5 s while other tests,
# or the checks in .ci/run, keep both cores busy.
expect.set_options(timeout=20_000)

FLAGS = [
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.browser)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("SKIP_BROWSER") == "1":
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("browser")])
        items[:] = [item for item in items if not item.get_closest_marker("browser")]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        program = chromium.find()
    except chromium.ChromiumMissingError as error:
        pytest.fail(str(error), pytrace=False)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright's loop runs in our thread; Django would take each query in a test for one in a coroutine.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS + as_root)
        yield browser
        browser.close()


@pytest.fixture
def theme() -> Literal["light", "dark"]:
    return "light"


@pytest.fixture
def viewport() -> ViewportSize:
    return DESKTOP


@pytest.fixture
def javascript() -> bool:
    return True


@pytest.fixture
def complaints() -> list[str]:
    """What the page has complained of. A test that provokes a complaint looks at it and clears the list."""
    return []


@pytest.fixture
def page(
    browser: Browser,
    live_server: LiveServer,
    settings: Settings,
    theme: Literal["light", "dark"],
    viewport: ViewportSize,
    javascript: bool,
    complaints: list[str],
) -> Iterator[Page]:
    """A page in a fresh browser profile; addresses are relative to the live server: `page.goto("/")`."""
    # Links in mails lead to the live server.
    settings.SUPERBOARD_URL = live_server.url

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"console: {message.text}")

    def watch(request: Request) -> None:
        if not request.url.startswith((f"{live_server.url}/", "data:", "blob:")):
            complaints.append(f"another host: {request.url}")

    context = browser.new_context(
        base_url=live_server.url, color_scheme=theme, viewport=viewport, java_script_enabled=javascript
    )
    page = context.new_page()
    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("request", watch)
    yield page
    context.close()
    assert not complaints, "\n".join(complaints)


class Snapshot(NamedTuple):
    """A loaded database and its files, made once."""

    rows: Path
    media: Path

    def restore(self, settings: Settings) -> None:
        """Put it in place of the test's database and files."""
        settings.MEDIA_ROOT = self.media
        load_rows(self.rows)


class TakeSnapshot(Protocol):
    def __call__(self, name: str, fill: Callable[[Path], object]) -> tuple[Snapshot, Any]: ...


@pytest.fixture(scope="session")
def take_snapshot(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> TakeSnapshot:
    """What ``fill`` leaves in an empty database, which is empty again then, and what it returns (as JSON).

    ``fill`` gets a folder to work in. Of xdist's workers one calls it; the others copy what it made.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def take(name: str, fill: Callable[[Path], object]) -> tuple[Snapshot, Any]:
        folder, done = shared / f"snapshot-{name}", shared / f"snapshot-{name}.json"
        with (shared / f"snapshot-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                returned = fill_and_copy(django_db_blocker, folder, lambda: fill(folder))
                done.write_text(json.dumps(returned))
        # Tests may write to the files.
        media = tmp_path_factory.mktemp(name) / "media"
        shutil.copytree(folder / "media", media)
        return Snapshot(folder / "rows", media), json.loads(done.read_text())

    return take


def fill_and_copy(blocker: DjangoDbBlocker, folder: Path, fill: Callable[[], object]) -> object:
    """Leave database and files that ``fill`` has filled in ``folder``."""
    with blocker.unblock(), override_settings(MEDIA_ROOT=folder / "media"):
        returned = fill()
        save_rows(folder / "rows")
        call_command("flush", interactive=False, verbosity=0)
        connection.close()
    return returned


@pytest.fixture(scope="session")
def snapshot(take_snapshot: TakeSnapshot) -> Snapshot:
    """What ships with the project, and the runs of tests/browser/runs.py."""

    def fill(folder: Path) -> None:
        load_fixtures(django_settings.BASE_DIR / "fixtures", say=lambda line: None)
        import_odd_runs(folder / "odd")
        import_hostile_run(folder / "hostile", PAYLOADS)

    return take_snapshot("site", fill)[0]


@pytest.fixture
def site(transactional_db: None, snapshot: Snapshot, settings: Settings) -> None:
    """The live server's database holds the snapshot. A test may change it: the next gets a fresh copy."""
    snapshot.restore(settings)
