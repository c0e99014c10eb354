"""Who may do what by the API: nobody, others, owners, operators, and tokens of each scope."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from leaderboard.api.site import api
from leaderboard.domain.access import Scope
from leaderboard.models import Entry, Upload
from tests.api.calls import address, kind, read, read_all, with_token
from tests.cast import PET, make_set
from tests.people import client_of, person
from tests.publishing.cast import make_draft
from tests.runs.cast import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft() -> Entry:
    """A draft of Alice's, with its upload."""
    return make_draft(make_set(PET), {"pet": 0.5})


def everything(draft: Entry) -> dict[str, tuple[str, str, Scope | None]]:
    """Every operation on Alice's things: its method, address, and the scope it needs (None: nothing)."""
    upload, run, attempt = (
        Upload.objects.get(),
        make_run(task_set=draft.task_set, scaffold="R"),
        draft.attempts.get(),
    )
    task = ("super", "masked", "pet")
    return {
        **{name: ("GET", address(name), None) for name in ("benchmarks", "entries", "runs")},
        **{name: ("GET", address(name, *task[:2]), None) for name in ("task_set", "board", "tasks")},
        "task": ("GET", address("task", *task), None),
        "task_attempts": ("GET", address("task-attempts", *task), None),
        "entry": ("GET", address("entry", draft.slug), None),
        "entry_attempts": ("GET", address("entry-attempts", draft.slug), None),
        "attempt": ("GET", address("attempt", attempt.pk), None),
        "steps": ("GET", address("steps", attempt.pk), None),
        "file": ("GET", address("file", attempt.pk, "original"), None),
        "run": ("GET", address("run", run.pk), None),
        "units": ("GET", address("units", run.pk), None),
        "me": ("GET", address("me"), Scope.READ),
        "uploads": ("GET", address("uploads"), Scope.READ),
        "upload": ("GET", address("upload", upload.pk), Scope.READ),
        "offset": ("HEAD", address("upload", upload.pk), Scope.READ),
        "report": ("GET", address("report", upload.pk), Scope.READ),
        "preview": ("GET", address("preview", draft.slug), Scope.READ),
        "start": ("POST", address("start"), Scope.SUBMIT),
        "send": ("PATCH", address("upload", upload.pk), Scope.SUBMIT),
        "describe": ("POST", address("describe", upload.pk), Scope.SUBMIT),
        "recheck": ("POST", address("recheck", upload.pk), Scope.SUBMIT),
        "publish": ("POST", address("publish", upload.pk), Scope.SUBMIT),
        "withdraw": ("POST", address("withdraw", draft.slug), Scope.SUBMIT),
        "discard": ("DELETE", address("upload", upload.pk), Scope.SUBMIT),
        "create": ("POST", address("runs"), Scope.OPERATE),
        "change": ("PATCH", address("run", run.pk), Scope.OPERATE),
        "cancel": ("POST", address("cancel", run.pk), Scope.OPERATE),
        "retry": ("POST", address("retry", run.pk), Scope.OPERATE),
        "publish_results": ("POST", address("publish-run", run.pk), Scope.OPERATE),
    }


def ask(client: Client, method: str, where: str) -> Any:
    """A request that nothing but its sender is wrong with, as far as can be said for all of them."""
    body = json.dumps({"form": {}, "reason": "A bug.", "public": True})
    return client.generic(
        method, where, body, content_type="application/json", headers={"Upload-Offset": "0"}
    )


def test_the_table_has_every_operation(draft: Entry) -> None:
    names = {
        operation["operationId"]
        for methods in api.get_openapi_schema()["paths"].values()
        for operation in methods.values()
    }

    assert set(everything(draft)) == names
    assert get_resolver().namespace_dict["api"]


@pytest.mark.parametrize("scope", [None, *Scope], ids=str)
def test_each_operation_needs_its_scope(scope: Scope | None, draft: Entry) -> None:
    operations = everything(draft)
    client = with_token("olga", scope) if scope else Client()
    allowed = {None, Scope.READ, scope} if scope else {None}
    for name, (method, where, needed) in operations.items():
        status = ask(client, method, where).status_code
        refused = status in (401, 403)
        assert refused == (needed not in allowed), (name, status)
        assert not refused or status == (403 if scope else 401), (name, status)


@pytest.mark.parametrize("who", ["bob", "nobody"])
def test_what_is_alices_is_nobody_elses(who: str, draft: Entry) -> None:
    client = with_token(who, Scope.SUBMIT) if who != "nobody" else Client()
    others = {"benchmarks", "entries", "runs", "task_set", "board", "tasks", "task", "task_attempts"}
    others |= {"me", "uploads", "start", "create"}

    for name, (method, where, needed) in everything(draft).items():
        if name not in others and needed is not Scope.OPERATE:
            found_out = 404 if who == "bob" or needed is None else 401
            assert ask(client, method, where).status_code == found_out, name
    assert read_all(client, address("entries"), state="draft") == []
    assert Upload.objects.count() == 1


def test_alice_sees_her_draft_by_token_and_by_session(draft: Entry) -> None:
    for client in (with_token("alice", Scope.READ), client_of("alice")):
        assert read(client, address("entry", draft.slug))["state"] == "draft"
        assert [each["slug"] for each in read_all(client, address("entries"), state="draft")] == [draft.slug]
        assert len(read_all(client, address("uploads"))) == 1
        assert read(client, address("me"))["username"] == "alice"


def test_a_token_is_told_apart_from_the_session_that_comes_along(draft: Entry) -> None:
    client = client_of("alice")
    token = with_token("bob", Scope.READ).defaults["HTTP_AUTHORIZATION"]

    response = client.get(address("entry", draft.slug), headers={"Authorization": token})
    assert response.status_code == 404


def test_a_session_changes_nothing_without_the_csrf_token(draft: Entry) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("alice"))
    where = address("upload", Upload.objects.get().pk)

    assert kind(client.delete(where)) == "forbidden"
    assert Upload.objects.exists()
    client.get("/account/sign-in/")
    csrf = "a" * 32
    client.cookies["csrftoken"] = csrf
    assert client.delete(where, headers={"X-CSRFToken": csrf}).status_code == 204


def test_operating_needs_an_operator_even_with_the_scope(draft: Entry) -> None:
    client = with_token("olga", Scope.OPERATE)
    person("olga").__class__.objects.filter(username="olga").update(is_staff=False)

    assert kind(ask(client, "POST", address("runs"))) == "forbidden"


def test_me_says_what_a_token_allows() -> None:
    said = read(with_token("olga", Scope.SUBMIT), address("me"))

    assert (said["username"], said["operator"], said["token"]) == ("olga", True, "laptop")
    assert said["scopes"] == ["read", "submit"]
