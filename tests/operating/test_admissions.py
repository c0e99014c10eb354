"""Where the site asks for it, nothing of a team is checked before an operator has admitted the team."""

from __future__ import annotations

import pytest
from django.core import mail
from pytest_django import Settings

from leaderboard.domain.access import Scope
from leaderboard.domain.uploads import UploadState
from leaderboard.models import AuditEvent, GoldCheck
from tests.api.calls import address, read, with_token
from tests.cast import PET, make_set
from tests.people import client_of, email_of, person
from tests.uploads.cast import check, checked, run_zip, team_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _ask_for_it(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    settings.SUPERBOARD_UPLOADS = tmp_path_factory.mktemp("uploads")
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0
    settings.SUPERBOARD_ADMIT_TEAMS = True
    make_set(PET)
    person("olga")


def test_a_first_upload_waits_and_says_for_what(django_capture_on_commit_callbacks: object) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        upload = checked(run_zip("pet"))
        checked(run_zip("pet", answer={"loss": 1}))

    assert (upload.state, upload.entry, GoldCheck.objects.count()) == (UploadState.WAITING, None, 0)
    page = client_of("alice").get(upload.get_absolute_url()).content.decode()
    assert "an operator has to admit alice before its first check (SUPERBOARD_ADMIT_TEAMS)" in page
    # The operators are told once, not with each upload.
    assert [(message.to, message.subject) for message in mail.outbox] == [
        ([email_of("olga")], "A team waits to be admitted: alice")
    ]


def test_an_operator_admits_the_team_and_its_uploads_are_checked() -> None:
    upload = checked(run_zip("pet"))
    olga = client_of("olga")
    assert "Admit alice" in olga.get("/operate/").content.decode()

    olga.post("/operate/admit/", {"team": team_of().pk})

    assert check(upload).state == UploadState.CHECKED
    assert "Admit alice" not in olga.get("/operate/").content.decode()
    team = team_of()
    assert (team.admitted is not None, team.admitted_by) == (True, person("olga"))
    assert AuditEvent.objects.get(action="admit team").actor == person("olga")
    assert checked(run_zip("pet", answer={"loss": 1})).state == UploadState.CHECKED


def test_programs_admit_teams_too() -> None:
    checked(run_zip("pet"))
    olga = with_token("olga", Scope.OPERATE)

    assert [team["slug"] for team in read(olga, address("teams_to_admit"))] == ["alice"]
    assert olga.post(address("admit", "alice")).json() == {"team": "alice", "queued": 1}
    assert read(olga, address("teams_to_admit")) == []


def test_what_operators_send_does_not_wait() -> None:
    assert checked(run_zip("pet"), who="olga").state == UploadState.CHECKED
