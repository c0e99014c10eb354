"""What owners say of their entries, what operators vouch for, and names that are one."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from leaderboard.core import blobs
from leaderboard.domain.errors import InputError
from leaderboard.entries.editing import accept_entry, edit_entry, unaccept_entry
from leaderboard.entries.names import merge_agents
from leaderboard.entries.services import discard_draft, hide_entry, withdraw_entry
from leaderboard.models import Agent, AttemptFile, AuditEvent, Entry
from leaderboard.operating.selectors import read_operator_queue, similar_agents
from tests.cast import MODEL, PET, SOLVER, attempt_at, make_set, report, stored_blobs
from tests.entries.cast import make_draft, masked, page_of, publish, state_of, team_of
from tests.people import person

pytestmark = pytest.mark.django_db
PAPER = {"url": "https://example.org/paper", "label": "Paper"}


def published(agent: str = SOLVER, owner: str = "alice") -> Entry:
    return publish(make_draft(masked(), {"pet": 1.0}, agent=agent, owner=owner), user=None)


def agents(*names: str) -> list[Agent]:
    return [Agent.objects.get(name=name) for name in names]


def test_all_that_is_said_of_a_draft_can_be_edited() -> None:
    draft = make_draft(masked(), {"pet": 1.0})

    entry = edit_entry(
        draft,
        user=person("alice"),
        name="Resolver",
        model="o1",
        agent_url="https://example.org/resolver",
        model_openness="api-only",
        scaffold_openness="open-source",
        code=" https://example.org/code ",
        cost=12.5,
        evaluated=date(2026, 5, 31),
        released=date(2026, 4, 1),
        notes=" Two\nlines ",
        links=[PAPER],
    )

    entry = Entry.objects.get(pk=entry.pk)
    assert (str(entry.agent), entry.agent_url) == ("Resolver · o1", "https://example.org/resolver")
    assert (entry.model_openness, entry.scaffold_openness) == ("api-only", "open-source")
    assert entry.code == "https://example.org/code"
    assert (entry.cost, entry.notes, entry.links) == (12.5, "Two\nlines", [PAPER])
    assert (entry.evaluated, entry.released) == (date(2026, 5, 31), date(2026, 4, 1))
    assert not Agent.objects.filter(name=SOLVER).exists()
    assert AuditEvent.objects.get(action="edit entry").actor == person("alice")


def test_of_a_published_entry_the_texts_can_be_edited_and_nothing_else() -> None:
    entry = published()

    code = "https://example.org/code"
    edited = edit_entry(entry, user=None, notes="New.", links=[PAPER], code=code)
    assert (edited.notes, edited.code) == ("New.", code)
    late: list[dict[str, Any]] = [
        {"cost": 1.0},
        {"name": "X"},
        {"evaluated": date(2026, 5, 31)},
        {"agent_url": "https://x.org"},
        {"model_openness": "open-weights"},
        {"scaffold_openness": "open-source"},
    ]
    for change in late:
        with pytest.raises(InputError, match="only its notes and links can be changed"):
            edit_entry(entry, user=None, **change)


def test_the_same_texts_again_leave_no_line_in_the_audit() -> None:
    entry = published()
    edit_entry(entry, user=None, notes="Once.")

    edit_entry(entry, user=None, notes="Once.")

    assert AuditEvent.objects.filter(action="edit entry").count() == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"links": [{"url": "javascript:alert(1)", "label": "x"}]}, "not an http or https address"),
        ({"links": [{"url": "https://", "label": "x"}]}, "not an http or https address"),
        ({"links": [{"url": "http://[", "label": "x"}]}, "not an http or https address"),
        ({"links": [{**PAPER, "label": "x" * 101}]}, "more than 100 characters"),
        ({"links": [PAPER] * 11}, "more than 10 links"),
        ({"agent_url": "ftp://example.org"}, "not an http or https address"),
        ({"agent_url": "x" * 300}, "not an http or https address"),
        ({"code": "example.org/code"}, "not an http or https address"),
        ({"model_openness": "half"}, "“half” is not one of open-weights-and-data, open-weights, api-only"),
        ({"cost": -1.0}, "not an amount in dollars"),
        ({"cost": float("nan")}, "not an amount in dollars"),
        ({"cost": float("inf")}, "not an amount in dollars"),
        ({"notes": "x" * 10_001}, "more than 10,000 characters"),
        ({"name": ""}, "a name has 1 to 100 visible characters"),
        ({"model": "a\0b"}, "a name has 1 to 100 visible characters"),
    ],
)
def test_what_can_not_be_said_is_refused(change: dict[str, Any], says: str) -> None:
    draft = make_draft(masked(), {"pet": 1.0})

    with pytest.raises(InputError, match=says):
        edit_entry(draft, user=None, **change)


def test_what_a_draft_says_about_its_agent_is_not_said_by_another_teams_entry() -> None:
    theirs = published(owner="bob")
    draft = make_draft(masked(), {"pet": 1.0})

    edit_entry(draft, user=None, agent_url="https://example.org/mine")

    assert "https://example.org/mine" in page_of(draft, "alice")
    assert "https://example.org/mine" not in page_of(theirs)


def test_an_accepted_entry_says_who_when_and_why_until_it_is_taken_back() -> None:
    entry = accept_entry(published(), user=person("olga"), why="Ran five tasks again.")

    assert entry.accepted is not None
    assert (entry.accepted_by, entry.accepted_why) == (person("olga"), "Ran five tasks again.")

    assert unaccept_entry(entry, user=person("olga")).accepted is None
    unaccept_entry(entry, user=person("olga"))
    assert AuditEvent.objects.filter(action="unaccept entry").count() == 1


def test_a_new_version_has_to_be_accepted_again() -> None:
    accept_entry(published(), user=person("olga"), why="Ran it again.")

    assert published().accepted is None


def test_a_discarded_draft_takes_its_attempts_its_files_and_its_name_with_it(tmp_path: Any) -> None:
    entry = attempt_at(make_set(PET), tmp_path).entry
    Entry.objects.update(state="draft", team=team_of("alice"))
    assert stored_blobs()

    discard_draft(entry, user=person("alice"))

    assert not Entry.objects.exists()
    assert not Agent.objects.exists()
    assert not AttemptFile.objects.exists()
    assert AuditEvent.objects.get(action="discard draft").detail == {"slug": entry.slug}


@pytest.mark.django_db(transaction=True)
def test_the_files_of_a_discarded_draft_leave_the_disk(tmp_path: Any) -> None:
    entry = attempt_at(make_set(PET), tmp_path).entry
    Entry.objects.update(state="draft")

    discard_draft(entry, user=None)

    assert stored_blobs() == set()


def test_merging_gives_every_entry_the_kept_name() -> None:
    entries = [published(SOLVER), report(make_set(PET, slug="expert"), "SOLVER", {"pet": 1.0})]
    keep, merge = agents(SOLVER, "SOLVER")

    assert merge_agents(keep=keep, merge=merge, user=person("olga")) == 1

    assert {Entry.objects.get(pk=entry.pk).agent for entry in entries} == {keep}
    assert not Agent.objects.filter(pk=merge.pk).exists()
    assert AuditEvent.objects.get(action="merge agents").detail["merged"] == f"SOLVER · {MODEL}"


def test_the_downloads_of_a_merged_agent_have_the_kept_name(tmp_path: Any) -> None:
    attempt = attempt_at(make_set(PET), tmp_path, agent="SOLVER")
    keep = Agent.objects.create(name=SOLVER, model=MODEL)

    merge_agents(keep=keep, merge=attempt.entry.agent, user=None)

    page = blobs.read(attempt.files.get(kind=AttemptFile.Kind.HTML).blob).decode()
    assert f"<title>pet · {SOLVER} · {MODEL}</title>" in page


def named_alike_before_keys() -> list[Entry]:
    """Two entries on a board with names that look alike, from before that was refused."""
    entries = [published(SOLVER), published("Other", owner="bob")]
    Agent.objects.filter(name="Other").update(name="SOLVER")
    return list(Entry.objects.filter(pk__in=[entry.pk for entry in entries]).order_by("pk"))


@pytest.mark.parametrize("hidden", [False, True])
def test_agents_that_both_have_an_entry_on_a_board_stay_apart(hidden: bool) -> None:
    first, second = named_alike_before_keys()
    if hidden:
        hide_entry(second, user=None, reason="Faked.")

    with pytest.raises(InputError, match=r"Solver .* and SOLVER .* both have an entry on: SUPER Masked"):
        merge_agents(keep=first.agent, merge=second.agent, user=None)


def test_what_is_withdrawn_stands_in_no_merges_way() -> None:
    first, second = named_alike_before_keys()
    withdraw_entry(second, user=None, reason="A bug.")

    merge_agents(keep=first.agent, merge=second.agent, user=None)

    assert state_of(second) == "withdrawn"


def test_an_agent_is_not_merged_with_itself_or_with_one_that_is_gone() -> None:
    agent = published().agent
    other = Agent.objects.create(name="Other", model=MODEL)
    Agent.objects.filter(pk=other.pk).delete()
    other.pk = 999

    with pytest.raises(InputError, match="the same agent"):
        merge_agents(keep=agent, merge=agent, user=None)
    with pytest.raises(InputError, match="one of the two was deleted"):
        merge_agents(keep=agent, merge=other, user=None)


def test_names_that_differ_in_case_and_punctuation_are_alike() -> None:
    for name in ("SWE-Agent", "swe agent", "Reflexion"):
        published(name)
    make_draft(masked(), {"pet": 1.0}, agent="SWEAGENT", owner="bob")

    assert [[agent.name for agent in group] for group in similar_agents()] == [["SWE-Agent", "swe agent"]]


def test_the_queue_has_what_is_published_without_evidence_the_latest_first() -> None:
    report(masked(), "Imported", {"pet": 1.0})
    first, second, third = (published(name) for name in ("A", "B", "C"))
    accept_entry(second, user=person("olga"), why="Ran it again.")
    make_draft(masked(), {"pet": 1.0}, agent="D")
    hide_entry(published("E"), user=None, reason="Faked.")

    queue = read_operator_queue()

    assert [entry.agent.name for entry in queue.unranked.listed] == ["C", "A"]
    assert queue.unranked.total == 2
    assert [entry.agent.name for entry in queue.hidden.listed] == ["E"]
    assert {first.pk, third.pk} == {entry.pk for entry in queue.unranked.listed}
