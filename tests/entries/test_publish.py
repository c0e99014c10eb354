"""What a draft needs to get on its board, and what becomes of the version before it."""

from __future__ import annotations

import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.editing import edit_entry
from leaderboard.entries.selectors import version_history
from leaderboard.entries.services import hide_entry, publish_entry, withdraw_entry
from leaderboard.models import AuditEvent, Entry, TaskSet, UploadedFile
from tests.cast import PET, SOLVER, make_set, report
from tests.entries.cast import make_draft, masked, on_a_board, page_of, publish, state_of, team_of
from tests.people import NOBODY, client_of, person
from tests.runs.cast import claim, finish, make_run

pytestmark = pytest.mark.django_db
# Put together here, so that nothing that looks like a secret lies in the repository.
SECRET = "ghp_" + "".join(f"{zlib.crc32(bytes([n])):08x}" for n in range(5))[:36]


def test_a_published_draft_is_on_its_board_with_a_date_and_a_line_in_the_audit() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    assert not on_a_board(draft)

    entry = publish(draft, user=person("alice"))

    assert (entry.state, entry.version, entry.previous) == (EntryState.PUBLISHED, 1, None)
    assert entry.published is not None
    assert on_a_board(entry)
    event = AuditEvent.objects.get(action="publish entry")
    assert (event.entry, event.actor) == (entry, person("alice"))


def test_publishing_again_gives_the_published_entry_and_changes_nothing() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    first = publish(draft, user=None)

    second = publish(draft, user=None)

    assert (second.pk, second.published) == (first.pk, first.published)
    assert AuditEvent.objects.filter(action="publish entry").count() == 1


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (UploadState.RECEIVING, "not checked yet"),
        (UploadState.QUEUED, "not checked yet"),
        (UploadState.CHECKING, "not checked yet"),
        (UploadState.INCOMPLETE, "did not finish"),
        (UploadState.FAILED, "did not finish"),
    ],
)
def test_a_draft_waits_for_its_files_to_be_checked(state: UploadState, says: str) -> None:
    draft = make_draft(masked(), {"pet": 1.0}, state=state)

    with pytest.raises(InputError, match=says):
        publish(draft, user=None)

    assert state_of(draft) == EntryState.DRAFT


def test_a_draft_waits_for_an_older_upload_that_is_checked_again() -> None:
    draft = make_draft(masked(), {"pet": 1.0}, state=UploadState.QUEUED)
    draft.uploads.create(team=team_of("alice"), name="newer.zip", size=1, state=UploadState.CHECKED)

    with pytest.raises(InputError, match="not checked yet"):
        publish(draft, user=None)


def test_a_replacement_that_was_refused_leaves_the_draft_as_it_was() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    refused = draft.uploads.create(team=team_of("alice"), name="worse.zip", size=1, state=UploadState.REFUSED)
    refused.files.create(name="history.json", verdict=UploadedFile.Verdict.REFUSED)

    assert publish(draft, user=None).is_published


def test_a_draft_without_an_attempt_is_not_published() -> None:
    with pytest.raises(InputError, match="it has no attempt"):
        publish(make_draft(masked(), {}), user=None)


def test_refused_files_have_to_be_left_out_knowingly() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    upload = draft.uploads.get()
    upload.files.create(name="cet/history.json", verdict=UploadedFile.Verdict.REFUSED)
    upload.files.create(name="notes.txt", verdict=UploadedFile.Verdict.PASSED_OVER)

    with pytest.raises(InputError, match="1 file of its upload was refused"):
        publish(draft, user=None, secrets_acknowledged=True)

    assert publish(draft, user=None, leaving_out=True).is_published


def test_what_looks_like_a_secret_has_to_be_acknowledged() -> None:
    draft = make_draft(masked(), {"pet": 1.0}, secrets=2)

    with pytest.raises(InputError, match="2 places in its files or notes look like secrets"):
        publish(draft, user=None, leaving_out=True)

    assert publish(draft, user=None, secrets_acknowledged=True).is_published


def test_a_token_in_a_link_is_pointed_out_and_masked_in_its_address_too() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    token = SECRET[4:]
    url = f"https://example.org/?token={token}"
    edit_entry(draft, user=person("alice"), links=[{"url": url, "label": "Logs"}], agent_url=url)

    with pytest.raises(InputError, match="2 places in its files or notes look like secrets"):
        publish_entry(draft, user=None)

    publish_entry(draft, user=None, secrets_acknowledged=True)
    assert token not in page_of(draft)
    assert token not in client_of(NOBODY).get(reverse("api:entry", args=(draft.slug,))).content.decode()


def test_an_address_with_a_password_in_it_is_no_link() -> None:
    draft = make_draft(masked(), {"pet": 1.0})

    with pytest.raises(InputError, match="without a user name"):
        edit_entry(draft, user=person("alice"), links=[{"url": "https://alice:pw@example.org", "label": ""}])


def test_a_secret_in_the_notes_is_pointed_out_and_masked_wherever_they_are_shown() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    edit_entry(
        draft, user=None, notes=f"run with {SECRET}", links=[{"url": "https://x.org/", "label": SECRET}]
    )

    with pytest.raises(InputError, match="2 places in its files or notes look like secrets"):
        publish(draft, user=None)

    draft = publish(draft, user=None, secrets_acknowledged=True)
    api = client_of(NOBODY).get(reverse("api:entry", args=(draft.slug,))).content.decode()
    for shown in (page_of(draft), api):
        assert "run with" in shown
        assert SECRET not in shown


def test_a_name_that_another_team_has_is_refused_with_what_to_do() -> None:
    task_set = masked()
    publish(make_draft(task_set, {"pet": 1.0}), user=None)
    bobs = make_draft(task_set, {"pet": 0.5}, owner="bob")

    whose = "has an entry on this board already, by alice: /e/solver-gpt-4o-masked/"
    with pytest.raises(InputError, match=rf"{whose} \(give it another name"):
        publish(bobs, user=None)


@pytest.mark.parametrize("name", ["SOLVER", "S\N{CYRILLIC SMALL LETTER O}lver", "So lver", "So1ver"])
def test_a_name_that_looks_like_that_of_another_team_is_refused_and_ones_own_is_a_new_version(
    name: str,
) -> None:
    task_set = masked()
    publish(make_draft(task_set, {"pet": 1.0}))
    bobs = make_draft(task_set, {"pet": 0.5}, agent=name, owner="bob")

    with pytest.raises(
        InputError, match=r"looks like another name: Solver · gpt-4o has an entry .* by alice"
    ):
        publish(bobs)

    assert publish(make_draft(task_set, {"pet": 0.5}, agent=name)).version == 2


def test_nothing_is_replaced_unasked_and_what_would_be_is_said() -> None:
    task_set = masked()
    first = publish_entry(make_draft(task_set, {"pet": 1.0, "cet": 1.0, "dpt": 1.0}), user=None)
    draft = make_draft(task_set, {"pet": 0.75})

    for unasked in ("", "another"):
        with pytest.raises(InputError) as refused:
            publish_entry(draft, user=None, replaces=unasked)
        said = str(refused.value)
        assert "Solver · gpt-4o, version 1, at /e/solver-gpt-4o-masked/ (Accuracy 100.0 → 25.0" in said
    assert (state_of(first), state_of(draft)) == (EntryState.PUBLISHED, EntryState.DRAFT)

    assert publish_entry(draft, user=None, replaces=first.slug).version == 2


def test_nothing_in_an_address_says_that_another_team_has_a_draft_of_that_name() -> None:
    task_set = masked()
    drafts = [make_draft(task_set, {"pet": 1.0}, owner=owner) for owner in ("alice", "bob")]
    assert all(re.fullmatch(r"/e/draft-[0-9a-f]{20}/", draft.get_absolute_url()) for draft in drafts)

    mine = publish(drafts[1])

    assert mine.get_absolute_url() == "/e/solver-gpt-4o-masked/"
    for who in ("bob", NOBODY):
        moved = client_of(who).get(f"{drafts[1].get_absolute_url()}?category=data")
        assert moved["Location"] == "/e/solver-gpt-4o-masked/?category=data"
    api = client_of(NOBODY).get(reverse("api:entry", args=(drafts[1].slug,)))
    assert api.json()["slug"] == "solver-gpt-4o-masked"
    assert client_of("bob").get(drafts[0].get_absolute_url()).status_code == 404


def test_a_name_that_an_import_has_is_refused() -> None:
    task_set = masked()
    report(task_set, SOLVER, {"pet": 1.0})

    with pytest.raises(InputError, match="already"):
        publish(make_draft(task_set, {"pet": 0.5}), user=None)


def test_a_hidden_entry_keeps_its_name() -> None:
    task_set = masked()
    hide_entry(publish(make_draft(task_set, {"pet": 1.0}), user=None), user=None, reason="Faked.")

    with pytest.raises(InputError, match="an operator has hidden"):
        publish(make_draft(task_set, {"pet": 1.0}), user=None)


def test_a_withdrawn_entry_gives_its_name_back() -> None:
    task_set = masked()
    withdraw_entry(publish(make_draft(task_set, {"pet": 1.0}), user=None), user=None, reason="A bug.")

    assert publish(make_draft(task_set, {"pet": 1.0}, owner="bob"), user=None).version == 1


def test_a_draft_under_the_name_of_its_teams_own_entry_is_a_new_version() -> None:
    task_set = masked()
    first = publish(make_draft(task_set, {"pet": 1.0}), user=None)

    second = publish(make_draft(task_set, {"pet": 0.5}), user=None)

    assert (second.version, second.previous) == (2, first)
    assert state_of(first) == EntryState.SUPERSEDED
    assert (on_a_board(first), on_a_board(second)) == (False, True)


def test_a_new_version_that_its_upload_names_can_have_another_name() -> None:
    task_set = masked()
    first = publish(make_draft(task_set, {"pet": 1.0}), user=None)

    second = publish(make_draft(task_set, {"pet": 0.5}, agent="Solver 2", previous=first), user=None)

    assert (second.version, second.previous) == (2, first)
    assert state_of(first) == EntryState.SUPERSEDED


def test_nobody_can_replace_another_teams_entry_by_naming_it_as_the_version_before() -> None:
    task_set = masked()
    alices = publish(make_draft(task_set, {"pet": 1.0}), user=None)

    bobs = publish(make_draft(task_set, {"pet": 0.5}, agent="Thief", owner="bob", previous=alices), user=None)

    assert (bobs.version, bobs.previous) == (1, None)
    assert state_of(alices) == EntryState.PUBLISHED


def test_two_new_versions_of_one_entry_follow_each_other() -> None:
    task_set = masked()
    first = publish(make_draft(task_set, {"pet": 1.0}), user=None)
    drafts = [make_draft(task_set, {"pet": 0.5}, previous=first) for _ in range(2)]

    versions = [publish(draft, user=None) for draft in drafts]

    assert [version.version for version in versions] == [2, 3]
    assert version_history(first) == [first, *versions]
    assert [each.state for each in version_history(first)] == ["superseded", "superseded", "published"]


def test_withdrawing_a_version_brings_the_one_before_back() -> None:
    task_set = masked()
    first = publish(make_draft(task_set, {"pet": 1.0}), user=None)
    second = publish(make_draft(task_set, {"pet": 0.5}), user=None)

    withdraw_entry(second, user=None, reason="The wrong files.")

    assert (state_of(first), state_of(second)) == (EntryState.PUBLISHED, EntryState.WITHDRAWN)
    assert (on_a_board(first), on_a_board(second)) == (True, False)
    third = publish(make_draft(task_set, {"pet": 0.7}), user=None)
    assert (third.version, third.previous) == (3, second)
    assert state_of(first) == EntryState.SUPERSEDED


def test_a_version_whose_name_somebody_else_has_by_now_stays_off_the_board() -> None:
    task_set = masked()
    first = publish(make_draft(task_set, {"pet": 1.0}), user=None)
    second = publish(make_draft(task_set, {"pet": 0.5}, agent="Solver 2", previous=first), user=None)
    publish(make_draft(task_set, {"pet": 0.5}, owner="bob"), user=None)

    withdraw_entry(second, user=None, reason="The wrong files.")

    assert (state_of(first), state_of(second)) == (EntryState.SUPERSEDED, EntryState.WITHDRAWN)


def test_a_runs_draft_is_published_with_its_run_only() -> None:
    run = make_run(task_set=make_set(PET))
    finish(claim())

    with pytest.raises(InputError, match="publish it on the run's page"):
        publish(run.entry, user=None)


def test_a_draft_that_was_discarded_meanwhile_says_so() -> None:
    draft = make_draft(masked(), {"pet": 1.0})
    Entry.objects.filter(pk=draft.pk).delete()

    with pytest.raises(InputError, match="it has been discarded"):
        publish(draft, user=None)


def at_once(*calls: Any) -> list[Any]:
    """What each call gives or raises when all are made at the same moment, each on its own connection."""
    together = Barrier(len(calls))

    def make(call: Any) -> Any:
        try:
            together.wait(timeout=10)
            return call()
        except InputError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(make, calls))


@pytest.mark.django_db(transaction=True)
def test_of_two_who_publish_one_draft_one_does_and_both_get_the_entry() -> None:
    draft = make_draft(masked(), {"pet": 1.0})

    def publish_it() -> Entry:
        return publish(Entry.objects.get(pk=draft.pk), user=None)

    found = at_once(*[publish_it] * 4)

    assert [entry.pk for entry in found] == [draft.pk] * 4
    assert {entry.state for entry in found} == {EntryState.PUBLISHED}
    assert AuditEvent.objects.filter(action="publish entry").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_teams_that_publish_one_name_at_once_one_gets_it_and_the_other_is_told() -> None:
    task_set: TaskSet = masked()
    drafts = [make_draft(task_set, {"pet": 1.0}, owner=owner) for owner in ("alice", "bob")]

    found = at_once(*(lambda draft=draft: publish(draft, user=None) for draft in drafts))

    assert sorted(type(each).__name__ for each in found) == ["Entry", "InputError"]
    assert Entry.objects.filter(state=EntryState.PUBLISHED).count() == 1
