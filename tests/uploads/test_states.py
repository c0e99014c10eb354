"""The states of an upload are one table; the documentation draws it, and every transition follows it."""

from __future__ import annotations

import pytest
from django.conf import settings

from leaderboard.core.leases import LostLease
from leaderboard.domain.state_machine import IllegalTransition
from leaderboard.domain.uploads import (
    ENDED,
    UPLOAD_MACHINE,
    UploadState,
)
from leaderboard.models import Upload
from leaderboard.uploads.check_writes import (
    Claim,
    claim_upload,
    give_back_check,
    record_result,
    sweep_uploads,
)
from leaderboard.uploads.services import discard_upload, recheck_upload
from tests.uploads.cast import send


def test_the_documentation_shows_the_table() -> None:
    text = (settings.BASE_DIR / "docs" / "submitting.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{UPLOAD_MACHINE.diagram()}\n```" in text


@pytest.mark.parametrize("state", UploadState)
@pytest.mark.parametrize("wanted", UploadState)
def test_only_transitions_of_the_table_are_allowed(state: UploadState, wanted: UploadState) -> None:
    if wanted in UPLOAD_MACHINE.transitions[state]:
        UPLOAD_MACHINE.check(state, wanted)
    else:
        with pytest.raises(IllegalTransition, match=f"{state} can't become {wanted}"):
            UPLOAD_MACHINE.check(state, wanted)


def test_pages_stop_polling_in_states_that_only_users_change() -> None:
    assert UploadState.CHECKING not in ENDED
    assert {UploadState.REFUSED, UploadState.CHECKED} <= ENDED


def held() -> Claim:
    send(b"0123456789")
    claim = claim_upload()
    assert claim
    return claim


@pytest.mark.django_db
def test_a_claim_that_failed_because_of_the_infrastructure_is_repeated_once() -> None:
    assert give_back_check(held(), "the disk is gone") is UploadState.QUEUED
    second = claim_upload()
    assert second
    assert give_back_check(second, "the disk is gone") is UploadState.FAILED
    upload = Upload.objects.get()
    assert "the disk is gone" in str(upload.problems)
    recheck_upload(upload, user=None)
    assert claim_upload()


@pytest.mark.django_db
@pytest.mark.parametrize("how", ["swept", "discarded"])
def test_a_worker_that_lost_its_claim_writes_nothing(how: str) -> None:
    claim = held()
    if how == "swept":
        Upload.objects.update(lease_until="2020-01-01T00:00:00Z")
        assert sweep_uploads().requeued == 1
    else:
        discard_upload(Upload.objects.get(), user=None)
    with pytest.raises(LostLease):
        give_back_check(claim, "late")
    with pytest.raises(LostLease):
        record_result(claim, entry=None, task=None, number=1, result=None)  # type: ignore[arg-type]


@pytest.mark.django_db
def test_an_upload_is_claimed_once() -> None:
    held()
    assert claim_upload() is None
