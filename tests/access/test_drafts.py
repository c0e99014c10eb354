"""What is not public is nowhere: no page, export, list, count, search or cache of anybody else's has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from leaderboard.domain.access import Scope
from leaderboard.entries.services import hide_entry, publish_entry, withdraw_entry
from leaderboard.models import ApiToken, Entry, Membership
from tests.access.crawl import STARTS, WORD, Answer, ask, crawl
from tests.api.calls import with_token
from tests.cast import CET, DPT, NOVICE, PET, RIVAL, attempt_at, make_set, report
from tests.people import client_of, person
from tests.uploads.cast import checked, described, packed, team_of

pytestmark = pytest.mark.django_db
NAME = "Phantom"
"""Of the agent: a tombstone says it, and nothing else does."""
KEY = "gh" + "p_" + "A7b2C9d4E1f6G3h8I5j0K7l2M9n4O1p6Q3r8"
OTHERS = ("bob", "nobody", "bob's token")
API_STARTS = tuple(each for each in STARTS if each.startswith("/api/v1/"))


@pytest.fixture(autouse=True)
def public(settings: Settings, tmp_path: Path) -> None:
    """A site with three entries that everybody sees; Rival has all tasks, and one has a trajectory."""
    settings.SUPERBOARD_UPLOADS, settings.SUPERBOARD_MIN_FREE_DISK_MB = tmp_path / "uploads", 0
    settings.SUPERBOARD_UPLOADS.mkdir()
    task_set = make_set(PET, CET, DPT)
    report(task_set, NOVICE, {"pet": 0.0, "cet": 0.25})
    report(task_set, RIVAL, {"pet": 0.5, "cet": 0.5, "dpt": 0.5})
    attempt_at(task_set, tmp_path / "run")
    Membership.objects.create(team=team_of("alice"), user=person("carol"))
    team_of("bob")


def client(who: str) -> Client:
    if who != "bob's token":
        return client_of(who)
    return with_token("bob", Scope.SUBMIT, name=f"token {ApiToken.objects.count()}")


def seen_by(asking: Client) -> dict[str, Answer]:
    """All that somebody reaches; a token reaches the API only."""
    return crawl(asking, API_STARTS if "HTTP_AUTHORIZATION" in asking.defaults else STARTS)


def make_draft(said: str = WORD, agent: str = WORD, notes: str = WORD) -> Entry:
    """Alice's draft of an upload that has a word in every text and name, and would lead the board."""
    long = "\n".join(f"epoch {n} {said}" for n in range(600))
    step = {
        "thought": f"Think {said}.",
        "action": {"type": "execute", "content": f"!python train.py {said}"},
        "observation": long,
    }
    answer = {"loss": 0.5, said: said}
    last = {"thought": said, "action": {"type": "submit", "content": answer}, "observation": said}
    files = {
        "pet/history.json": {"query": f"Query {said}", "prompt": said, "history": [step, last]},
        f"cet/{said}.txt": said,
    }
    links = [{"url": f"https://example.org/{notes}", "label": notes}]
    form = described(agent=agent, model=f"{agent}-1", notes=f"Notes {notes}", links=links)
    entry = checked(packed(**files), name=f"{said}.zip", form=form).entry
    assert entry
    assert entry.attempts.get().has_trajectory
    return entry


def board_printed(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    call_command("leaderboard", set="super/masked", json=True)
    return capsys.readouterr().out


@pytest.mark.parametrize("who", OTHERS)
def test_a_draft_changes_nothing_that_anybody_else_reaches(
    who: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = client(who)
    before, printed = seen_by(asking), board_printed(capsys)
    make_draft()

    assert seen_by(asking) == before
    assert board_printed(capsys) == printed
    assert len(before) > 20


@pytest.mark.parametrize("state", ["withdrawn", "hidden"])
def test_what_was_taken_away_leaves_nothing_behind_where_it_was_listed(
    state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = client("nobody")
    before, printed = seen_by(nobody), board_printed(capsys)
    take_away(publish_entry(make_draft(), user=None), state)

    assert seen_by(nobody) == before
    assert board_printed(capsys) == printed


@pytest.mark.parametrize("state", ["draft", "withdrawn", "hidden"])
def test_no_address_that_its_team_knows_tells_others_of_it(state: str) -> None:
    entry = make_draft(agent=NAME)
    if state != "draft":
        entry = publish_entry(entry, user=None)
        take_away(entry, state)
    page, attempt = entry.get_absolute_url(), entry.attempts.get()
    known = (page, f"{page}versions/", f"/api/v1/entries/{entry.slug}", f"/a/{attempt.pk}/find/?q=epoch")
    own = crawl(client("alice"), [*STARTS, *known])
    # What was searched for stands in the form, found or not.
    telling = {where: answer for where, answer in own.items() if WORD in answer.text and WORD not in where}
    assert len(telling) > 15
    assert {address.split("/")[1] for address in telling} >= {"e", "a", "submit", "api"}

    for who in OTHERS:
        asking = client(who)
        for address, mine in telling.items():
            for headers in ({}, {"HX-Request": "true"}, {"If-None-Match": mine.tag or '"x"'}):
                answer = ask(asking, address, **headers)
                assert answer.status != 304, (who, address)
                assert WORD not in answer.text.replace(address, ""), (who, address)
                assert NAME not in answer.text or answer.status == 410, (who, address)


def test_no_cache_on_the_way_keeps_what_only_its_reader_may_see() -> None:
    make_draft()
    nobody = client("nobody")

    for address, answer in seen_by(client("alice")).items():
        if not answer.private:
            assert ask(nobody, address).text == answer.text, address


def test_what_looks_like_a_secret_is_its_team_s_and_the_operators() -> None:
    entry = publish_entry(
        make_draft(said=KEY, agent=NAME, notes="None."), user=None, secrets_acknowledged=True
    )
    attempt = entry.attempts.get()
    originals = [f"/a/{attempt.pk}/download/original/", f"/api/v1/attempts/{attempt.pk}/files/original"]

    found = seen_by(client("nobody"))
    assert f"/api/v1/attempts/{attempt.pk}/files/notebook" in found
    assert not [address for address, answer in found.items() if KEY in answer.text]
    for who in OTHERS:
        assert [ask(client(who), address).status for address in originals] == [404, 404]
    for who in ("alice", "carol", "olga"):
        for address in originals:
            answer = ask(client(who), address)
            assert (answer.status, KEY in answer.text, answer.private) == (200, True, True)


def take_away(entry: Entry, state: str) -> None:
    if state == "withdrawn":
        withdraw_entry(entry, user=person("alice"), reason="A bug.")
    else:
        hide_entry(entry, user=None, reason="Copied.")
