"""What every test stands on: settings that keep tests away from a developer's data and from the network."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from django.conf import settings as django_settings
from django.db import connection
from pytest_django import Settings

pytest_plugins = ["tests.fuzzing", "tests.supervisor"]


# What a test needs of pytest-django to be let into the database.
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_serialized_rollback", "live_server"}

# They wait for a browser, a live server, Celery's workers or a kernel, while other tests use the processors.
WAIT = {"transactional_db", "base_packages", "engine", "make", "make_any", "shared"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only-database", action="store_true", help="leave out the tests that do not use the database"
    )
    parser.addoption(
        "--first-cases", action="store_true", help="of a test with several cases, run only the first"
    )


def pytest_configure() -> None:
    # Static files come straight from their folders: no `collectstatic` before a test.
    django_settings.STORAGES = {
        **django_settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    django_settings.WHITENOISE_USE_FINDERS = True
    django_settings.WHITENOISE_AUTOREFRESH = True
    # Coverage of templates needs to know their lines.
    cast("dict[str, object]", django_settings.TEMPLATES[0]["OPTIONS"])["debug"] = True
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Tests ask more within a minute than a reader does, all from one address.
    django_settings.SUPERBOARD_API_RATE = django_settings.SUPERBOARD_API_RATE_ANONYMOUS = 1_000_000
    # Tests count queries and change settings; those of kept pages turn it on.
    django_settings.SUPERBOARD_PAGE_CACHE_MB = 0
    django_settings.CELERY_BROKER_URL = "memory://"
    django_settings.CELERY_BROKER_TRANSPORT = None
    django_settings.CELERY_BROKER_TRANSPORT_OPTIONS = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that take long first: no worker of xdist begins one when the others have nothing left."""
    if config.getoption("--only-database"):
        _keep(config, items, [item for item in items if uses_database(item)])
    if config.getoption("--first-cases"):
        firsts: dict[str, pytest.Item] = {}
        for item in items:
            firsts.setdefault(item.nodeid.partition("[")[0], item)
        _keep(config, items, [*firsts.values()])
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    waiting = {item.path for item in items if WAIT & {*getattr(item, "fixturenames", ())}}
    items.sort(key=lambda item: (item.path not in slow, item.path not in waiting))


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking at modules and tests again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _keep(config: pytest.Config, items: list[pytest.Item], kept: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[*{*items} - {*kept}])
    items[:] = kept


def uses_database(item: pytest.Item) -> bool:
    """Whether a test may read and write the database."""
    asked = DATABASE_FIXTURES & {*getattr(item, "fixturenames", ())}
    return bool(asked) or item.get_closest_marker("django_db") is not None


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep SQLite in a file, as in use: each thread of a live server then has a connection of its own."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "db.sqlite3")


@pytest.fixture(scope="session")
def media_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for each test. To number one in its own, pytest looks at all that there are: thousands."""
    folder = tmp_path_factory.mktemp("media")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _media_of_its_own(settings: Settings, media_folders: Iterator[Path]) -> None:
    # Not in tmp_path, where a test may keep a folder to import.
    settings.MEDIA_ROOT = next(media_folders)
    settings.MEDIA_ROOT.mkdir()
