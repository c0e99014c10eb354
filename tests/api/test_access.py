"""Whom the API takes a caller for. Who may do what is in tests/access."""

from __future__ import annotations

import pytest

from leaderboard.domain.access import Scope
from leaderboard.models import Entry
from tests.api.calls import address, kind, read, read_all, with_token
from tests.cast import PET, make_set
from tests.entries.cast import make_draft
from tests.people import client_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft() -> Entry:
    """A draft of Alice's, with its upload."""
    return make_draft(make_set(PET), {"pet": 0.5})


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


def test_operating_needs_an_operator_even_with_the_scope(draft: Entry) -> None:
    client = with_token("olga", Scope.OPERATE)
    person("olga").__class__.objects.filter(username="olga").update(is_staff=False)

    assert kind(client.post(address("runs"), {}, content_type="application/json")) == "forbidden"


def test_me_says_what_a_token_allows() -> None:
    said = read(with_token("olga", Scope.SUBMIT), address("me"))

    assert (said["username"], said["operator"], said["token"]) == ("olga", False, "laptop")
    assert said["scopes"] == ["read", "submit"]
    assert read(with_token("olga", Scope.OPERATE, name="desk"), address("me"))["operator"]
