"""Search in the API and with `superboard search`: the same as on the page."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Attempt, Entry
from tests.api.calls import address, kind, read, read_all, refusal
from tests.cast import NOVICE
from tests.client.commands import superboard
from tests.people import client_of
from tests.uploads.cast import team_of

Attempts = tuple[Attempt, Attempt]
WHERE = "/api/v1/search"


@pytest.mark.django_db
def test_a_step_comes_with_its_attempt_and_the_lines_that_have_the_words(
    client: Client, attempts: Attempts
) -> None:
    found = read(client, address("search"), q='zebra "train py"')

    (step,) = found["items"]
    attempt = attempts[1]
    assert (found["total"], found["attempts"], found["next"]) == (1, 1, None)
    assert step["excerpts"] == [
        {"part": "action", "line": 1, "text": "!python train.py", "hits": [[8, 16]]},
        {"part": "observation", "line": 1, "text": "a zebra and an okapi submitted", "hits": [[2, 7]]},
    ]
    assert (step["attempt"], step["number"], step["kind"]) == (attempt.pk, 1, "execute")
    assert (step["task_set"], step["task_id"], step["agent"]) == ("super/masked", "pet", NOVICE)
    assert (step["page"], step["attempt_url"]) == (
        f"/a/{attempt.pk}/#step-1-action-L1",
        f"/api/v1/attempts/{attempt.pk}",
    )


@pytest.mark.django_db
def test_pages_follow_each_other_and_count_all(client: Client, attempts: Attempts) -> None:
    first = read(client, WHERE, q="submitted", limit=1)

    everything = read_all(client, WHERE, q="submitted", limit=1)
    assert (first["total"], first["attempts"], len(everything)) == (4, 3, 4)
    places = [(step["attempt"], step["number"]) for step in everything]
    assert places == sorted(set(places))
    assert kind(client.get(first["next"] + "&kind=execute")) == "bad-cursor"
    assert read(client, WHERE, q="submitted", kind="execute", attempt=attempts[1].pk)["total"] == 1


@pytest.mark.django_db
def test_drafts_are_found_and_counted_for_their_team_alone(attempts: Attempts) -> None:
    Entry.objects.filter(pk=attempts[1].entry_id).update(team=team_of("alice"), state="draft")

    for who, total in {"alice": 3, "olga": 2, "bob": 2, "nobody": 2}.items():
        found = read(client_of(who), WHERE, q="okapi")
        assert (found["total"], found["attempts"], len(found["items"])) == (total, total, total), who


@pytest.mark.django_db
def test_a_search_that_can_not_be_is_refused_with_what_to_do(client: Client, attempts: Attempts) -> None:
    for query, said in {
        "": "Field required",
        "q=": "nothing to look for",
        "q=%26%26": "Punctuation alone",
        "q=a*": "at least 2 letters",
        "q=" + "x" * 301: "301 characters, of at most 300",
        "q=a%00b": "",
        "q=%ed%a0%80": "Punctuation alone",
        "q=okapi&kind=none": "not one of the available choices",
        "q=okapi&attempt=x": "whole number",
        "q=okapi&finding_=x": "no such parameter",
    }.items():
        response = client.get(f"{WHERE}?{query}")
        assert response.status_code == 422, query
        assert said in str(refusal(response)["problems"]), query


@pytest.mark.django_db(transaction=True)
def test_the_command_prints_where_each_step_is(
    attempts: Attempts,
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("SUPERBOARD_URL", live_server.url)
    called = superboard("search", "--agent", NOVICE, "--", "zebra", '"train py"', "--lr")
    found = superboard("search", "zebra", '"train py"')

    assert (called.code, called.out.count("\n"), called.err) == (0, 1, "0 of 0 steps in 0 attempts\n")
    assert found.out.splitlines()[1].split("\t") == [
        "pet",
        NOVICE,
        "gpt-4o",
        "1",
        "execute",
        "!python train.py a zebra and an okapi submitted",
        f"{live_server.url}/a/{attempts[1].pk}/#step-1-action-L1",
    ]
    assert superboard("search", "zebra", "--json").data["items"][0]["task_id"] == "pet"
    assert superboard("search", "&&").code == 3
