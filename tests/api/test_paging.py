"""Cursors: opaque, signed, and good for the list and query that they came with."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import Attempt
from tests.api.calls import SET, address, kind, read, refusal
from tests.cast import NOVICE, RIVAL

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("attempt")]


@pytest.mark.parametrize("cursor", ["nonsense", "a:b", "WyJhIl0:c2ln", ".eJw:x", "1"])
def test_a_cursor_that_is_none_is_refused(cursor: str, client: Client) -> None:
    for where in (address("entries"), address("board", *SET), address("tasks", *SET)):
        response = client.get(where, {"cursor": cursor})
        assert (response.status_code, kind(response)) == (400, "bad-cursor")


def test_a_cursor_with_a_null_character_is_refused_with_its_place(client: Client) -> None:
    for where in (address("entries"), address("board", *SET), address("tasks", *SET)):
        response = client.get(where, {"cursor": "\x00"})
        assert (response.status_code, kind(response)) == (422, "unusable")
        assert [problem["place"] for problem in refusal(response)["problems"]] == ["$.cursor"]


def test_a_cursor_is_good_for_its_own_list_and_query_only(client: Client) -> None:
    following = read(client, address("entries"), limit=1)["next"]
    cursor = following.partition("cursor=")[2]

    read(client, following)
    for elsewhere in (
        address("tasks", *SET) + f"?limit=1&cursor={cursor}",
        following + "&agent=x",
        following.replace("limit=1", "limit=2"),
    ):
        assert kind(client.get(elsewhere)) == "bad-cursor"


def test_what_is_added_meanwhile_moves_no_page(client: Client, attempt: Attempt) -> None:
    first = read(client, address("entries"), limit=2)
    assert [entry["agent"] for entry in first["items"]] == [attempt.entry.agent.name, RIVAL]
    attempt.entry.delete()

    assert [entry["agent"] for entry in read(client, first["next"])["items"]] == [NOVICE]


@pytest.mark.parametrize("limit", ["0", "101", "many", ""])
def test_a_page_has_from_1_to_100_items(limit: str, client: Client) -> None:
    response = client.get(address("entries"), {"limit": limit})

    assert (response.status_code, kind(response)) == (422, "malformed")
    assert response.json()["problems"][0]["place"] == "$.limit"
