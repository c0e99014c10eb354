"""One team's uploads are its own: the others wait for one of them at most, and its checks have limits."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Attempt, Upload, UploadedFile
from leaderboard.uploads.check_writes import claim_upload
from tests.cast import PET, make_set
from tests.uploads.cast import checked, described, packed, run_zip, send

pytestmark = pytest.mark.django_db


def claimed() -> str:
    """The name of the upload whose turn it is."""
    claim = claim_upload()
    assert claim
    return Upload.objects.get(pk=claim.upload_id).name


def test_teams_take_turns_however_many_uploads_one_of_them_has_sent() -> None:
    for number in range(5):
        send(b"%d" % number, name=f"alice-{number}.json", who="alice")
    for who in ("bob", "carol"):
        for number in range(2):
            send(b"%d" % number, name=f"{who}-{number}.json", who=who)

    assert [claimed() for _ in range(7)] == [
        *("alice-0.json", "bob-0.json", "carol-0.json"),
        *("alice-1.json", "bob-1.json", "carol-1.json"),
        "alice-2.json",
    ]


def test_a_team_that_comes_late_is_next() -> None:
    for number in range(3):
        send(b"%d" % number, name=f"alice-{number}.json", who="alice")
    assert claimed() == "alice-0.json"

    send(b"1", name="bob.json", who="bob")

    assert [claimed() for _ in range(3)] == ["bob.json", "alice-1.json", "alice-2.json"]


def test_more_attempts_than_the_limit_are_refused_before_any_is_read(settings: Settings) -> None:
    settings.SUPERBOARD_MAX_UPLOAD_ATTEMPTS = 2
    make_set(PET)
    answers = "\n".join(f'{{"task_id": "pet", "attempt": {n}, "answer": {n}}}' for n in range(1, 4))

    upload = checked(answers.encode(), name="answers.jsonl")

    assert upload.state == UploadState.REFUSED
    (finding,) = upload.findings
    assert finding.problem.reason == "there are 3 attempts in it, more than the limit of 2"
    assert "SUPERBOARD_MAX_UPLOAD_ATTEMPTS" in finding.problem.remedy
    assert not Attempt.objects.exists()


def test_a_check_that_takes_too_long_ends_with_the_limit_s_name(settings: Settings) -> None:
    settings.SUPERBOARD_MAX_CHECK_SECONDS = -1
    make_set(PET)

    upload = checked(run_zip("pet"))

    (finding,) = upload.findings
    assert finding.problem.reason.endswith("the whole check takes longer than the limit of -1 s")
    assert "SUPERBOARD_MAX_CHECK_SECONDS" in finding.problem.remedy


def test_what_the_database_cannot_store_ends_its_own_file(monkeypatch: pytest.MonkeyPatch) -> None:
    make_set(PET, TaskSpec("cet", gold=1))
    save = Attempt.save

    def refuse_pets(attempt: Attempt, **options: object) -> None:
        if attempt.task.task_id == "pet":
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        save(attempt, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Attempt, "save", refuse_pets)
    monkeypatch.setattr(Attempt, "__repr__", lambda attempt: "attempt")

    upload = checked(run_zip("pet", "cet"))

    assert upload.state == UploadState.CHECKED
    assert [attempt.task.task_id for attempt in Attempt.objects.all()] == ["cet"]
    (refused,) = upload.files.filter(verdict=UploadedFile.Verdict.REFUSED)
    assert refused.findings[0].problem.reason == "reading it failed unexpectedly (OverflowError)"


def test_an_answer_without_a_trajectory_is_a_row_and_no_page() -> None:
    make_set(PET)

    checked(packed(**{"answers.json": {"task_id": "pet", "answer": {"loss": 0.5}}}), form=described())

    attempt = Attempt.objects.get()
    assert attempt.html == ""
    assert [file.kind for file in attempt.files.all()] == ["original"]
