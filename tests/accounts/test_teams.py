"""Teams: one of one's own, others made, and never one without an owner."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from leaderboard.accounts.teams import create_team, delete_team, remove_member, rename_team, set_role
from leaderboard.core.permissions import can_manage_team, teams_of
from leaderboard.core.teams import personal_team
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError
from leaderboard.models import Agent, Entry, Membership, Team
from tests.cast import PET, make_set
from tests.people import person

pytestmark = pytest.mark.django_db
Role = Membership.Role


@pytest.fixture
def lab() -> Team:
    """A team that Alice owns, with Bob in it."""
    team = create_team(name="Lab", user=person("alice"))
    Membership.objects.create(team=team, user=person("bob"))
    return team


def entry_of(team: Team, state: EntryState) -> Entry:
    agent, _ = Agent.objects.get_or_create(name=f"Solver {state}", model="m")
    return Entry.objects.create(agent=agent, task_set=make_set(PET), slug=state, team=team, state=state)


def test_everybody_has_one_of_their_own_which_is_made_once() -> None:
    team = personal_team(person("alice"))

    assert team.name == "alice"
    assert personal_team(person("alice")) == team
    assert personal_team(person("bob")) != team
    assert can_manage_team(person("alice"), team)


def test_a_name_that_somebody_took_gets_a_number() -> None:
    create_team(name="Alice", user=person("bob"))
    create_team(name="alice 2", user=person("bob"))

    assert personal_team(person("alice")).name == "alice 3"


def test_whoever_leaves_their_own_team_gets_a_new_one() -> None:
    team = personal_team(person("alice"))
    Membership.objects.create(team=team, user=person("bob"), role=Role.OWNER)

    remove_member(team, member=person("alice"), user=person("alice"))

    assert personal_team(person("alice")) != team


def test_a_name_that_somebody_took_meanwhile_is_refused_in_words(
    lab: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.accounts.teams._checked_name", lambda name, excluding=None: name)

    for claim_number in (
        lambda: create_team(name=lab.name.upper(), user=person("bob")),
        lambda: rename_team(personal_team(person("bob")), name=lab.name.upper(), user=person("bob")),
    ):
        with pytest.raises(InputError, match="there is a team of that name"):
            claim_number()


@pytest.mark.parametrize("name", ["Lab", "lab", "  lab ", "\uff2cab"])
def test_no_two_teams_have_names_that_look_alike(name: str, lab: Team) -> None:
    with pytest.raises(InputError, match="there is a team of that name"):
        create_team(name=name, user=person("bob"))


@pytest.mark.parametrize("name", ["LAB", "L\N{CYRILLIC SMALL LETTER A}b", "La\u034fb"])
def test_a_name_that_looks_like_another_team_s_is_refused(lab: Team, name: str) -> None:
    with pytest.raises(InputError, match=r"one that looks like it: Lab|visible characters"):
        create_team(name=name, user=person("bob"))


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\u202eb", "a\x07b"])
def test_a_name_that_can_not_be_read_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="1 to 100 visible characters"):
        create_team(name=name, user=person("alice"))


def test_a_new_name_leaves_the_address(lab: Team) -> None:
    rename_team(lab, name="LAB", user=person("alice"))

    lab.refresh_from_db()
    assert (lab.name, lab.slug) == ("LAB", "lab")


def test_names_of_the_same_address_get_a_number(lab: Team) -> None:
    assert create_team(name="Lab!", user=person("bob")).slug == "lab-2"


def test_nobody_owns_too_many(settings: Settings, lab: Team) -> None:
    settings.SUPERBOARD_MAX_TEAMS = 1

    with pytest.raises(InputError, match=r"you own 1 team, .* SUPERBOARD_MAX_TEAMS"):
        create_team(name="Another", user=person("alice"))
    create_team(name="Another", user=person("bob"))


def test_its_last_owner_stays(lab: Team) -> None:
    alice = person("alice")
    with pytest.raises(InputError, match="a team needs an owner"):
        remove_member(lab, member=alice, user=alice)
    with pytest.raises(InputError, match="a team needs an owner"):
        set_role(lab, member=alice, role=Role.MEMBER, user=alice)

    assert can_manage_team(alice, lab)


def test_an_owner_goes_when_there_is_another(lab: Team) -> None:
    set_role(lab, member=person("bob"), role=Role.OWNER, user=person("alice"))

    remove_member(lab, member=person("alice"), user=person("alice"))

    assert list(teams_of(person("alice"))) == []
    assert can_manage_team(person("bob"), lab)


def test_a_member_can_be_removed_once(lab: Team) -> None:
    remove_member(lab, member=person("bob"), user=person("alice"))

    with pytest.raises(InputError, match="not in the team"):
        remove_member(lab, member=person("bob"), user=person("alice"))


def test_there_are_two_roles(lab: Team) -> None:
    with pytest.raises(InputError, match="“king” is not a role"):
        set_role(lab, member=person("bob"), role="king", user=person("alice"))


def test_its_drafts_go_with_it(lab: Team) -> None:
    entry_of(lab, EntryState.DRAFT)

    delete_team(lab, user=person("alice"))

    assert not Team.objects.filter(pk=lab.pk).exists()
    assert not Entry.objects.exists()
    assert not Agent.objects.exists()


@pytest.mark.parametrize("state", [state for state in EntryState if state != EntryState.DRAFT])
def test_it_stays_while_it_owns_what_was_published(state: EntryState, lab: Team) -> None:
    entry_of(lab, state)

    with pytest.raises(InputError, match="the team owns 1 entry that was published"):
        delete_team(lab, user=person("alice"))

    assert Team.objects.filter(pk=lab.pk).exists()
