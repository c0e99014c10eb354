"""The table of who may do what holds, and nothing is missing in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import DjangoDbBlocker, Settings

from tests.access.asking import API, Row, operations, outcome
from tests.access.table import TABLE
from tests.access.world import EXPIRED, PEOPLE, TOKENS, World, make_world
from tests.accounts.providers import PROVIDERS

pytestmark = pytest.mark.django_db
ASKED_BY = (*PEOPLE, *TOKENS, EXPIRED)
SAFE = {"GET", "HEAD"}
LEADS_TO_A_SERVER = {("POST", "openid_connect_login")}
"""Asks the provider for its addresses, on another host."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("world")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker, folder: Path) -> Iterator[World]:
    """Made once, in a transaction around those of the tests; nothing that a test asks for lasts."""
    with django_db_blocker.unblock(), override_settings(**places(folder)), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _all_of_the_site(settings: Settings, folder: Path) -> None:
    for name, value in places(folder).items():
        setattr(settings, name, value)
    settings.SOCIALACCOUNT_PROVIDERS = PROVIDERS
    settings.ROOT_URLCONF = "tests.accounts.urls_with_providers"
    cache.clear()


def places(folder: Path) -> dict[str, Any]:
    return {
        "MEDIA_ROOT": folder / "media",
        "SUPERBOARD_UPLOADS": folder / "uploads",
        "SUPERBOARD_MIN_FREE_DISK_MB": 0,
    }


def parts() -> dict[str, list[str]]:
    """The table's lines by the headings over them."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in filter(None, TABLE.splitlines()):
        if line.startswith("== "):
            heading = line.removeprefix("== ").partition("  ")[0]
            found[heading] = []
        else:
            found[heading].append(line)
    return found


def rows(part: str = "") -> Iterator[tuple[Row, dict[str, str]]]:
    """Rows with what is to become of them, by who asks."""
    for name, lines in parts().items():
        for line in lines if part in ("", name) else ():
            method, page, things, action, *outcomes = line.split()
            for thing in things.split(","):
                yield Row(method, page, thing, action), dict(zip(ASKED_BY, outcomes, strict=False))


@pytest.mark.parametrize("part", parts())
def test_everybody_gets_what_the_table_says(part: str, world: World) -> None:
    said = {(row, who): wanted for row, by in rows(part) for who, wanted in by.items()}
    found = {(row, who): outcome(row, world, who) for row, who in said}

    assert found == said


def test_a_token_is_nobody_s_on_pages(world: World) -> None:
    for row, wanted in rows():
        if not row.is_api and row.method in SAFE:
            assert outcome(row, world, "olga-operate") == wanted["nobody"], row


def test_nothing_is_changed_by_a_session_without_the_csrf_token(world: World) -> None:
    for row, wanted in rows():
        if row.method not in SAFE and wanted["operator"] not in ("404", "again"):
            assert outcome(row, world, "operator", csrf=False) == "403", row


def test_every_page_is_in_the_table_and_takes_what_it_has_there() -> None:
    methods: dict[str, set[str]] = {}
    for row, _wanted in rows():
        if not row.is_api:
            methods.setdefault(row.name, set()).add(row.method)

    assert set(methods) == set(page_names(get_resolver().url_patterns))


def test_a_page_that_the_table_has_no_post_or_get_for_takes_none(world: World) -> None:
    listed = {(row.method, row.name) for row, _wanted in rows()} | LEADS_TO_A_SERVER
    for row, _wanted in rows():
        for method in {"GET", "POST"} if not row.is_api else ():
            if (method, row.name) not in listed and not row.name.endswith("_callback"):
                other = Row(method, row.name, row.thing, row.action)
                assert outcome(other, world, "operator") == "405", other


def test_every_verb_of_the_api_is_in_the_table() -> None:
    listed = {(row.method, row.name.removeprefix(API)) for row, _wanted in rows() if row.is_api}

    assert listed == {(method, name) for name, (method, _path) in operations().items()}


def page_names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """The names of all addresses but the API's, whose document has them."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "api":
                yield from page_names(pattern.url_patterns)
        elif pattern.name is not None:
            yield pattern.name
