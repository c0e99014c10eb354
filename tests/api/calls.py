"""Calls to the API, as the tests of this folder make them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.urls import reverse

from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from tests.people import person

SET = ("super", "masked")


def address(name: str, *args: Any) -> str:
    """Where an operation is, by the name of its function."""
    return reverse(f"api:{name}", args=args)


def read(client: Client, where: str, **query: Any) -> Any:
    """What an address answers, which must be 200."""
    response = client.get(where, query)
    assert response.status_code == 200, (where, response.content)
    return response.json()


def read_all(client: Client, where: str, **query: Any) -> list[Any]:
    """Every item of a list, page after page."""
    page = read(client, where, **query)
    items: list[Any] = page["items"]
    while page["next"]:
        page = read(client, page["next"])
        items += page["items"]
    return items


def refusal(response: Any) -> Any:
    """A problem detail, which must be one."""
    assert response["Content-Type"] == "application/problem+json", response.content
    problem = response.json()
    assert problem["status"] == response.status_code
    assert set(problem) >= {"type", "title", "detail", "instance", "problems"}
    return problem


def kind(response: Any) -> str:
    """What a refusal is called."""
    return str(refusal(response)["type"]).rpartition("#")[2]


def with_token(who: str, *scopes: Scope, name: str = "laptop") -> Client:
    """A client that sends a token of ``who`` along, and has no session."""
    _token, secret = create_token(user=person(who), name=name, scopes=scopes, expires=None)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def addresses_in(data: Any) -> Iterator[str]:
    """Every address of the API that an answer names, at any depth."""
    match data:
        case str():
            if data.startswith("/api/v1/"):
                yield data
        case list():
            for each in data:
                yield from addresses_in(each)
        case dict():
            yield from addresses_in(list(data.values()))
