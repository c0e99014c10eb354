"""The same bytes sent again: what is said of them now counts, or is refused; never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.accounts.teams import create_team
from leaderboard.entries.services import discard_draft, withdraw_entry
from leaderboard.models import Entry, Upload
from tests.cast import MODEL, SOLVER
from tests.client.commands import results, superboard
from tests.people import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("token")]
PLAIN = ("--no-validate", "--set", "super/masked")
SAID = (*PLAIN, "--agent", SOLVER, "--model", MODEL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return results(tmp_path / "run", "pet")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (("--agent", "Other", "--model", MODEL), f"agent “Other”, before: “{SOLVER}”"),
        (("--agent", SOLVER, "--model", "m2"), f"model “m2”, before: “{MODEL}”"),
        (("--agent", "Other"), "agent “Other”"),
        (("--version-of", "solver-gpt-4o-masked"), "a new version of solver-gpt-4o-masked, before:"),
    ],
)
def test_another_name_for_what_is_published_is_refused(
    folder: Path, other: tuple[str, ...], told: str
) -> None:
    superboard("submit", folder, *SAID, "--publish")
    called = superboard("submit", folder, *PLAIN, *other, "--publish")

    entry = Entry.objects.get()
    assert (called.code, "Published" in called.err, entry.agent.name) == (3, False, SOLVER)
    assert told in called.err
    assert f"{entry.slug} (published)" in called.err
    assert "Uploaded" not in called.err


def test_what_is_published_and_said_alike_is_done(folder: Path) -> None:
    superboard("submit", folder, *SAID, "--publish")

    assert superboard("submit", folder, *SAID, "--publish").code == 0
    assert Upload.objects.count() == 1


def test_another_name_for_a_draft_describes_it_anew(folder: Path) -> None:
    superboard("submit", folder, *SAID)
    called = superboard("submit", folder, *PLAIN, "--agent", "Other", "--model", MODEL, "--publish")

    entry = Entry.objects.get()
    assert (called.code, entry.agent.name, entry.state) == (0, "Other", "published")
    assert Upload.objects.count() == 1


def test_a_draft_that_is_to_be_a_new_version_has_to_be_discarded_first(folder: Path, tmp_path: Path) -> None:
    superboard("submit", results(tmp_path / "first", "pet", "cet"), *SAID, "--publish")
    superboard("submit", folder, *SAID)
    called = superboard("submit", folder, *SAID, "--version-of", Entry.objects.get(state="published").slug)

    assert (called.code, "discard its upload at http" in called.err) == (3, True)


def test_another_team_has_its_own(folder: Path) -> None:
    superboard("submit", folder, *SAID)
    create_team(name="Second team", user=person("alice"))

    refused = superboard("submit", folder, *SAID, "--team", "nope")
    assert (refused.code, "your teams are: alice (alice), Second team (second-team)" in refused.err) == (
        3,
        True,
    )
    assert "alice (alice), Second team (second-team)" in superboard("status").err
    assert superboard("submit", folder, *SAID, "--team", "second TEAM").code == 0
    assert sorted(Upload.objects.values_list("team__slug", flat=True)) == ["alice", "second-team"]


def test_what_was_withdrawn_can_be_sent_again(folder: Path) -> None:
    superboard("submit", folder, *SAID, "--publish")
    withdraw_entry(Entry.objects.get(), user=None, reason="wrong")
    called = superboard("submit", folder, *PLAIN, "--agent", "Other", "--model", MODEL, "--publish")

    assert (called.code, "Uploaded" in called.err) == (0, True)
    assert Entry.objects.get(state="published").agent.name == "Other"
    assert Upload.objects.count() == 2


def test_what_an_operator_hid_is_not_sent_again(folder: Path) -> None:
    superboard("submit", folder, *SAID, "--publish")
    Entry.objects.update(state="hidden")
    called = superboard("submit", folder, *PLAIN, "--agent", "Other", "--publish")

    assert (called.code, Upload.objects.count()) == (3, 1)


def test_a_draft_that_was_discarded_is_made_again(folder: Path) -> None:
    superboard("submit", folder, *SAID)
    discard_draft(Entry.objects.get(), user=None)
    called = superboard("submit", folder, *SAID, "--publish")

    assert (called.code, Entry.objects.get().state) == (0, "published")
    assert Upload.objects.count() == 1
