"""Who sees and edits which entry, by its state and owner."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied

from leaderboard.core.permissions import (
    can_edit_entry,
    check_can_edit_entry,
    check_can_manage_team,
    readable_entries,
    teams_of,
    visible_attempts,
    visible_entries,
    visible_uploads,
)
from leaderboard.core.teams import personal_team
from leaderboard.domain.entries import EntryState
from leaderboard.models import Agent, Attempt, Entry, Membership, Run, Task, TaskSet, Upload
from tests.cast import PET, make_set
from tests.people import person

pytestmark = pytest.mark.django_db
CAST = ("alice", "carol", "bob", "olga", "nobody")
D, P, S, W, H = (state.value for state in EntryState)
EVERY = {D, P, S, W, H}


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET)


@pytest.fixture(autouse=True)
def entries(task_set: TaskSet) -> dict[str, Entry]:
    """An entry in each state, all of Alice's team, in which Carol is a member."""
    team = personal_team(person("alice"))
    Membership.objects.create(team=team, user=person("carol"))
    task = Task.objects.get(task_id="pet")
    made = {}
    for state in EntryState:
        agent = Agent.objects.create(name=state, model="m")
        made[state.value] = Entry.objects.create(
            agent=agent, task_set=task_set, slug=state, team=team, state=state
        )
        Attempt.objects.create(entry=made[state.value], task=task)
    return made


def visitor(name: str) -> User | AnonymousUser:
    return AnonymousUser() if name == "nobody" else person(name)


VISIBLE = {"alice": EVERY, "carol": EVERY, "olga": EVERY, "bob": {P, S}, "nobody": {P, S}}
READABLE = {"alice": EVERY, "carol": EVERY, "olga": EVERY, "bob": {P, S, W, H}, "nobody": {P, S, W, H}}
EDITABLE: dict[str, set[str]] = {"alice": EVERY, "carol": EVERY, "olga": EVERY, "bob": set(), "nobody": set()}


@pytest.mark.parametrize("who", CAST)
def test_who_sees_which_entry(who: str, entries: dict[str, Entry]) -> None:
    user = visitor(who)

    assert {entry.state for entry in visible_entries(user)} == VISIBLE[who]
    assert {attempt.entry.state for attempt in visible_attempts(user)} == VISIBLE[who]
    assert {entry.state for entry in readable_entries(user)} == READABLE[who]
    assert {state for state, entry in entries.items() if can_edit_entry(user, entry)} == EDITABLE[who]


@pytest.mark.parametrize("who", ["bob", "nobody"])
def test_readers_see_the_draft_of_a_public_run_until_it_is_hidden(
    who: str, entries: dict[str, Entry]
) -> None:
    for entry in entries.values():
        Run.objects.create(task_set=entry.task_set, entry=entry, agent="x", sandbox="local", public=True)

    assert {entry.state for entry in visible_entries(visitor(who))} == {D, P, S}
    assert {attempt.entry.state for attempt in visible_attempts(visitor(who))} == {D, P, S}


@pytest.mark.parametrize("who", CAST)
def test_who_sees_uploads(who: str) -> None:
    Upload.objects.create(team=personal_team(person("alice")), name="run.zip", size=1)

    assert visible_uploads(visitor(who)).count() == (who in {"alice", "carol", "olga"})


def test_an_entry_of_nobody_is_the_operators(entries: dict[str, Entry]) -> None:
    Entry.objects.update(team=None)
    entry = Entry.objects.get(state=D)

    assert [who for who in CAST if can_edit_entry(visitor(who), entry)] == ["olga"]


def test_only_owners_look_after_a_team() -> None:
    team = personal_team(person("alice"))
    refused = []
    for who in CAST:
        try:
            check_can_manage_team(visitor(who), team)
        except PermissionDenied:
            refused.append(who)

    assert refused == ["carol", "bob", "olga", "nobody"]


def test_others_are_refused(entries: dict[str, Entry]) -> None:
    check_can_edit_entry(person("carol"), entries[D])

    with pytest.raises(PermissionDenied):
        check_can_edit_entry(person("bob"), entries[D])


def test_who_was_locked_out_is_in_no_team() -> None:
    alice = person("alice")
    alice.is_active = False

    assert not teams_of(alice).exists()


def test_who_has_left_a_team_sees_no_more_of_it_than_a_stranger(entries: dict[str, Entry]) -> None:
    Upload.objects.create(team=personal_team(person("alice")), name="run.zip", size=1)
    carol = person("carol")
    carol.memberships.all().delete()

    assert {entry.state for entry in visible_entries(carol)} == VISIBLE["bob"]
    assert not visible_uploads(carol).exists()
    assert not can_edit_entry(carol, entries[D])
