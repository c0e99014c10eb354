"""Every refusal is a problem detail, whichever part of the site makes it."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.catalogue import api as catalogue
from leaderboard.core.endpoints.problems import KINDS
from tests.api.calls import SET, address, kind, refusal
from tests.people import person

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "where",
    [
        "/api/v1/nowhere",
        "/api/v1/entries/",
        "/api/v1/attempts/99999999999999999999999",
        "/api/v1/attempts/one",
        "/api/v1/benchmarks/super/masked/tasks/none",
        "/api/v1/benchmarks/super/none/board",
        "/api/v1/entries/none",
        "/api/v1/runs/1",
        "/api/v1/attempts/1/steps",
    ],
)
def test_where_there_is_nothing_it_says_so(where: str, client: Client) -> None:
    problem = refusal(client.get(where))

    assert (problem["status"], problem["instance"]) == (404, where)
    assert problem["type"] == "/api/docs#not-found"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_a_method_that_is_not_taken_is_named_with_those_that_are(method: str, client: Client) -> None:
    response = getattr(client, method)(address("benchmarks"))

    assert kind(response) == "method-not-allowed"
    assert set(response["Allow"].split(", ")) == {"GET", "HEAD"}


@pytest.mark.usefixtures("task_set")
def test_a_board_that_can_not_be_sorted_so_names_the_column(client: Client) -> None:
    response = client.get(address("board", *SET), {"sort": "speed", "scorer": "me"})

    assert kind(response) == "unusable"
    assert {problem["place"] for problem in response.json()["problems"]} == {"$.sort", "$.scorer"}
    assert "There is no column “speed” to sort by." in str(response.json())


@pytest.mark.parametrize("text", ["\\ud800", "\\u0000", "a\\udfff"])
@pytest.mark.parametrize(
    "body", ['{"name": "%s", "size": 1}', '{"name": "a", "size": 1, "form": {"x": ["%s"]}}']
)
def test_a_body_that_no_database_can_store_is_refused_with_its_place(
    body: str, text: str, client: Client
) -> None:
    client.force_login(person("alice"))

    response = client.post(address("uploads"), body % text, content_type="application/json")

    (problem,) = response.json()["problems"]
    assert kind(response) == "malformed"
    assert problem["place"] in {"$.name", "$.form.x[0]"}
    assert problem["reason"] == "a text in it has a character that can't be stored"


def test_a_query_that_no_database_can_store_is_refused(client: Client) -> None:
    assert kind(client.get(address("entries"), {"agent": "\0"})) == "unusable"


def test_the_root_is_no_page(client: Client) -> None:
    assert kind(client.get(address("api-root"))) == "not-found"


def test_a_bug_is_a_problem_too_and_tells_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr(catalogue, "all_task_sets", broken)
    client.raise_request_exception = False
    response = client.get(address("benchmarks"))

    assert kind(response) == "internal-server-error"
    assert "secret" not in response.content.decode()
    assert "the secret reason" in caplog.text


def test_a_host_that_is_not_ours_gets_a_problem(client: Client, settings: Settings) -> None:
    response = client.get(address("benchmarks"), headers={"Host": "elsewhere.example"})

    assert kind(response) == "bad-request"


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer", "Basic YTpi", "x"])
def test_a_token_that_can_not_be_used_is_not_taken_for_nobodys(header: str, client: Client) -> None:
    response = client.get(address("benchmarks"), headers={"Authorization": header})

    assert kind(response) == "unauthorized"
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_every_kind_is_explained_in_the_reference(client: Client) -> None:
    page = client.get("/api/docs").content.decode()

    for name in KINDS:
        assert f'id="{name}"' in page


@pytest.mark.usefixtures("task_set")
@pytest.mark.parametrize(
    ("where", "remedy"),
    [
        (f"{address('entries')}?limit=1&agnet=x", "known are: agent, "),
        (f"{address('benchmarks')}?limit=1", "this address takes none"),
        (f"{address('entry', 'none')}?full", "this address takes none"),
    ],
)
def test_a_parameter_that_is_not_known_is_named_with_those_that_are(
    where: str, remedy: str, client: Client
) -> None:
    problem = refusal(client.get(where))

    assert problem["type"] == "/api/docs#malformed"
    (found,) = problem["problems"]
    assert found["place"] in ("$.agnet", "$.limit", "$.full")
    assert found["remedy"].startswith(remedy)


def test_a_request_that_is_too_large_is_told_to_come_in_chunks(client: Client, settings: Settings) -> None:
    settings.SUPERBOARD_MAX_REQUEST_MB = 1

    response = client.patch("/api/v1/uploads/1", b"x" * ((1 << 20) + 1), content_type="application/x")

    assert kind(response) == "too-large"
    assert "more than 1 MB (SUPERBOARD_MAX_REQUEST_MB). Send a file in chunks" in response.json()["detail"]
