"""What is withdrawn or hidden keeps its addresses and says so; what is not published is in no list."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from leaderboard.domain.entries import EntryState
from leaderboard.entries.services import hide_entry, withdraw_entry
from leaderboard.models import Entry
from leaderboard.runs.services import publish_run, set_run_public
from tests.cast import PET, RIVAL, attempt_at, make_set, report
from tests.entries.cast import SET, make_draft, masked, page_of, publish, published
from tests.people import NOBODY, client_of, person
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db


def test_a_withdrawn_entry_and_its_attempts_say_who_when_and_why(tmp_path: Any) -> None:
    attempt = attempt_at(make_set(PET), tmp_path)
    entry = attempt.entry
    Entry.objects.update(team=make_draft(entry.task_set, {}, agent="x").team)
    withdraw_entry(entry, user=person("alice"), reason="The gold <b>was</b> in the prompt.")
    addresses = [
        entry.get_absolute_url(),
        reverse("versions", args=(entry.slug,)),
        attempt.get_absolute_url(),
        reverse("find", args=(attempt.pk,)) + "?q=epoch",
        reverse("output", args=(attempt.pk, 1, "observation", 1)),
        reverse("download", args=(attempt.pk, "original")),
    ]

    for address in addresses:
        response = client_of("bob").get(address)
        page = response.content.decode()
        assert response.status_code == 410, address
        assert "The gold &lt;b&gt;was&lt;/b&gt; in the prompt." in page
        assert "withdrawn by alice on " in page
        assert f'href="{entry.task_set.get_absolute_url()}"' in page
        assert "epoch" not in page


def test_a_hidden_entry_says_that_an_operator_hid_it_and_why() -> None:
    entry = published(agent="Faker")
    hide_entry(entry, user=person("olga"), reason="The answers were copied.")

    response = client_of(NOBODY).get(entry.get_absolute_url())

    assert response.status_code == 410
    page = response.content.decode()
    assert "An operator has hidden this entry" in page
    assert "The answers were copied." in page
    assert "olga" not in page


def test_its_team_and_operators_still_see_what_was_taken_away() -> None:
    entry = published()
    withdraw_entry(entry, user=None, reason="A bug.")

    for who in ("alice", "olga"):
        page = page_of(entry, who)
        assert "and this reason: A bug." in page
        assert "do-withdraw" not in page


def test_what_was_taken_away_is_missing_as_before_where_nothing_was() -> None:
    entry = published()
    withdraw_entry(entry, user=None, reason="A bug.")

    for address in ("/e/nobody/", "/a/999/", f"/a/{entry.attempts.get().pk}/nothing/"):
        assert client_of(NOBODY).get(address).status_code == 404


@pytest.mark.parametrize("state", [each for each in EntryState if each is not EntryState.PUBLISHED])
def test_what_is_not_published_is_in_no_list(state: EntryState, capsys: Any) -> None:
    task_set = masked()
    report(task_set, RIVAL, {"pet": 0.5})
    entry = make_draft(task_set, {"pet": 1.0}, agent="Phantom")
    if state is not EntryState.DRAFT:
        entry = publish(entry, user=None)
    if state is EntryState.SUPERSEDED:
        publish(make_draft(task_set, {"pet": 1.0}, agent="New", previous=entry), user=None)
    elif state is EntryState.WITHDRAWN:
        withdraw_entry(entry, user=None, reason="A bug.")
    elif state is EntryState.HIDDEN:
        hide_entry(entry, user=None, reason="Faked.")
    lists = [
        reverse("home"),
        reverse("home") + "?q=Phantom",
        reverse("board", args=SET),
        *(reverse("board-data", args=(*SET, shape)) for shape in ("json", "csv")),
        reverse("board-charts", args=SET),
        reverse("benchmark", args=SET[:1]),
        reverse("benchmark-charts", args=SET[:1]),
        reverse("benchmark-data", args=(*SET[:1], "json")),
        reverse("task", args=(*SET, "pet")),
        reverse("tasks", args=SET),
    ]

    call_command("leaderboard", set="super/masked", csv=True)
    assert str(entry.agent.name) not in capsys.readouterr().out
    for address in lists:
        for who in ("alice", "olga", NOBODY):
            page = client_of(who).get(address).content.decode()
            assert f"{entry.agent}" not in page.replace('value="Phantom"', ""), address
            assert entry.slug not in page, address


def test_a_public_run_is_not_watched_once_its_entry_is_taken_away() -> None:
    run = make_run(task_set=make_set(PET))
    job = finish(claim())
    set_run_public(run, True)
    entry = publish_run(run)
    addresses = [run.get_absolute_url(), job.get_absolute_url()]
    assert [client_of(NOBODY).get(address).status_code for address in addresses] == [200, 200]

    hide_entry(entry, user=None, reason="It shows a key.")

    assert [client_of(NOBODY).get(address).status_code for address in addresses] == [404, 404]
    assert client_of(NOBODY).get(entry.get_absolute_url()).status_code == 410
    assert [client_of("olga").get(address).status_code for address in addresses] == [200, 200]
