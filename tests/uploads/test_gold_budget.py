"""Checks that compare answers with gold answers have a budget; nothing that a sender does refills it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from leaderboard.core.teams import add_team
from leaderboard.domain.access import Scope
from leaderboard.domain.durations import DAY
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.services import publish_entry
from leaderboard.models import GoldCheck, Membership, TaskSet, Upload
from leaderboard.uploads.check_writes import claim_upload, give_back_check, sweep_uploads
from leaderboard.uploads.gold_budget import allowances
from leaderboard.uploads.services import append_chunk, discard_upload, recheck_upload, start_upload
from tests.api.calls import address, read, with_token
from tests.cast import PET, history, make_set
from tests.people import client_of, person
from tests.uploads.cast import check, checked, described, packed, run_zip, send, team_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def task_set(settings: Settings) -> TaskSet:
    """A set with a gold answer, and two checks a day against it."""
    settings.SUPERBOARD_GOLD_CHECKS_PER_DAY = 2
    return make_set(PET)


def guess(number: float) -> bytes:
    return run_zip("pet", answer={"loss": number})


def used_up() -> list[Upload]:
    return [checked(guess(number), form=described(agent=f"Agent {number}")) for number in (1, 2)]


def of_another_team_of_hers() -> Upload:
    return check(sent_for("alice", "Second team"))


def of_a_colleague() -> Upload:
    Membership.objects.create(team=team_of(), user=person("bob"))
    upload = start_upload(
        team=team_of(), user=person("bob"), name="a.zip", size=len(guess(3)), form=described()
    )
    return check(append_chunk(upload, offset=0, chunks=[guess(3)]))


def after_discarding() -> Upload:
    for upload in Upload.objects.all():
        discard_upload(upload, user=person("alice"))
    return checked(guess(3))


def after_leaving_the_team() -> Upload:
    add_team("Third team", person("alice"))
    Membership.objects.filter(user=person("alice"), team=team_of()).delete()
    return check(sent_for("alice", "Fourth team"))


def of_a_draft_whose_files_it_replaces() -> Upload:
    return checked(guess(3), entry=Upload.objects.earliest("created").entry)


def after_publishing() -> Upload:
    for upload in Upload.objects.all():
        assert upload.entry
        publish_entry(upload.entry, user=person("alice"))
    return checked(guess(3))


def sent_for(name: str, team: str) -> Upload:
    made = add_team(team, person(name))
    upload = start_upload(team=made, user=person(name), name="a.zip", size=len(guess(3)), form=described())
    return append_chunk(upload, offset=0, chunks=[guess(3)])


@pytest.mark.parametrize(
    "third",
    [
        of_another_team_of_hers,
        of_a_colleague,
        after_discarding,
        after_leaving_the_team,
        of_a_draft_whose_files_it_replaces,
        after_publishing,
    ],
)
def test_a_check_beyond_the_budget_compares_nothing(third: Callable[[], Upload]) -> None:
    used_up()
    put_off = third()

    assert put_off.state == UploadState.WAITING
    [found] = put_off.findings
    assert "SUPERBOARD_GOLD_CHECKS_PER_DAY" in found.problem.reason
    assert "there is room again at" in found.problem.remedy
    assert GoldCheck.objects.count() == 2
    assert not put_off.entry or put_off.entry.attempts.get().answer != '{\n  "loss": 3\n}'


def test_an_upload_that_was_put_off_is_checked_once_there_is_room() -> None:
    used_up()
    put_off = checked(guess(3))
    sweep_uploads()
    assert Upload.objects.get(pk=put_off.pk).state == UploadState.WAITING

    GoldCheck.objects.update(at=timezone.now() - DAY)
    Upload.objects.filter(pk=put_off.pk).update(resume=timezone.now() - timedelta(seconds=1))
    sweep_uploads()

    assert check(Upload.objects.get(pk=put_off.pk)).state == UploadState.CHECKED


def test_the_same_bytes_cost_nothing_again() -> None:
    first, _second = used_up()

    assert check(recheck_upload(first, user=None)).state == UploadState.CHECKED
    assert GoldCheck.objects.count() == 2


def test_what_has_no_answer_to_compare_costs_nothing(task_set: TaskSet) -> None:
    task_set.tasks.update(gold="")

    assert checked(guess(1)).state == UploadState.CHECKED
    assert not GoldCheck.objects.exists()


def test_a_failure_of_the_site_gives_back_what_it_took_and_no_more() -> None:
    first = checked(guess(1))
    recheck_upload(first, user=None)
    Upload.objects.filter(pk=first.pk).update(claims_left=1)
    claim = claim_upload()
    assert claim
    give_back_check(claim, "the disk is full")
    assert GoldCheck.objects.count() == 1, "it was compared before"

    second = send(guess(2), form=described(agent="Other"))
    GoldCheck.objects.create(
        task_set=TaskSet.objects.get(slug="masked"), team=team_of(), upload=second.pk, at=timezone.now()
    )
    Upload.objects.filter(pk=second.pk).update(claims_left=1)
    claim = claim_upload()
    assert claim
    give_back_check(claim, "the disk is full")
    assert GoldCheck.objects.get().upload == first.pk


def test_each_entry_of_an_archive_is_a_check_of_its_own() -> None:
    files: dict[str, object] = {}
    for name in "abc":
        files[f"{name}/entry.yaml"] = f"agent: {name}\nmodel: m\nset: masked"
        files[f"{name}/pet/history.json"] = history({"loss": name})
    upload = checked(packed(**files), form={})
    for part in upload.parts.order_by("queued", "pk"):
        check(part)

    states = sorted(upload.parts.values_list("state", flat=True))
    assert states == [UploadState.CHECKED, UploadState.CHECKED, UploadState.WAITING]


def test_it_says_what_is_left(task_set: TaskSet) -> None:
    checked(guess(1))
    [left] = allowances(person("alice"), [team_of()])
    [told] = read(with_token("alice", Scope.READ), address("gold_checks"))
    page = client_of("alice").get("/submit/").content.decode()

    assert (left.task_set, left.left, left.most) == (task_set, 1, 2)
    assert (told["left"], told["of"], told["task_set"]) == (1, 2, "super/masked")
    assert "1 of 2" in page
    assert allowances(person("bob"), [team_of("bob")]) == []
