"""Entity tags, and who may keep an answer."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.domain.access import Scope
from leaderboard.models import Attempt, TaskSet
from tests.api.calls import SET, address, with_token
from tests.cast import NOVICE, report

pytestmark = pytest.mark.django_db


def etag_of(response: Any) -> str:
    """The tag of an answer, all of which is read."""
    assert response.status_code == 200
    assert b"".join(response)
    return str(response["ETag"])


def test_what_a_caller_has_is_not_sent_again(client: Client, attempt: Attempt) -> None:
    for where in (
        address("openapi-json"),
        address("benchmarks"),
        address("board", *SET) + "?limit=1",
        address("entry", attempt.entry.slug),
        address("attempt", attempt.pk),
        address("steps", attempt.pk) + "?limit=1",
        address("file", attempt.pk, "original"),
    ):
        tag = etag_of(client.get(where))
        assert not tag.startswith("W/")
        again = client.get(where, headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == tag
        assert etag_of(client.get(where, headers={"If-None-Match": '"another"'})) == tag


def test_a_tag_changes_with_what_it_names(client: Client, task_set: TaskSet) -> None:
    tag = client.get(address("board", *SET))["ETag"]
    report(task_set, NOVICE, {"pet": 1.0}, model="llama-3")

    assert client.get(address("board", *SET), headers={"If-None-Match": tag}).status_code == 200


def test_steps_that_a_caller_has_are_not_even_read(
    client: Client, attempt: Attempt, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tag = client.get(address("steps", attempt.pk))["ETag"]

    with django_assert_num_queries(1) as queries:
        client.get(address("steps", attempt.pk), headers={"If-None-Match": tag})
    assert "attemptstep" not in queries[0]["sql"]


def test_steps_recorded_anew_have_another_tag(client: Client, attempt: Attempt) -> None:
    tag = client.get(address("steps", attempt.pk))["ETag"]
    attempt.save()

    assert client.get(address("steps", attempt.pk), headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.usefixtures("task_set")
def test_what_was_read_with_a_token_is_private(client: Client) -> None:
    public = client.get(address("entries"))
    private = with_token("alice", Scope.READ).get(address("entries"))

    assert public["Cache-Control"] == "public, no-cache"
    assert private["Cache-Control"] == "private, no-cache"
    for response in (public, private):
        assert {"Authorization", "Cookie", "Accept-Language"} <= set(response["Vary"].split(", "))
    assert client.get(address("entry", "none"))["Cache-Control"] == "no-store"
