"""Any upload is checked, or refused with a reason, and discarding it leaves nothing."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from leaderboard.domain.uploads import UploadState
from leaderboard.models import (
    Agent,
    Attempt,
    AttemptFile,
    AuditEvent,
    Entry,
    Figure,
    GoldCheck,
    Team,
    Upload,
)
from leaderboard.uploads.services import discard_upload
from tests.cast import PET, all_rows, make_set, stored_blobs
from tests.formats.mutations import ARCHIVES, DOCUMENTS, LINES, changed_entry, choices, mutated
from tests.formats.samples import as_bytes
from tests.fuzzing import FUZZ, inputs
from tests.intake.archives import file, tar
from tests.intake.strategies import COMPRESSORS, CONTENTS, NAMES, damaged, tars, zips
from tests.uploads.cast import checked, described, packed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TASKS = ("pet", "cet", "amos", "conv_graph", "a", "b")
# Fixtures are set up once for all inputs: each input leaves everything unchanged.
OF_THE_SITE = settings(
    FUZZ, suppress_health_check=[*FUZZ.suppress_health_check, HealthCheck.function_scoped_fixture]
)

documents = st.sampled_from(DOCUMENTS)
files = st.one_of(
    documents.map(as_bytes),
    st.builds(lambda document, changes: as_bytes(mutated(document, changes)), documents, choices),
    st.sampled_from([LINES, *ARCHIVES]),
    st.builds(changed_entry, st.sampled_from(ARCHIVES), st.integers(0, 100), choices),
    damaged(st.one_of(documents.map(as_bytes), st.sampled_from([LINES, *ARCHIVES]))),
    CONTENTS,
)
in_tasks = st.builds(
    "/".join,
    st.tuples(
        st.sampled_from(TASKS),
        st.sampled_from(["history.json", "x.traj", "2/trajectory.json", "log.eval", "answers.json"]),
    ),
)
at_top = st.sampled_from(
    ["answers.jsonl", "output.jsonl", "log.eval", "pet.ipynb", "cet__2.json", "amos_3.json"]
)
# Mostly names with a meaning, or most files would be refused by their names.
names = st.integers(0, 5).flatmap(lambda which: (NAMES, at_top)[which] if which < 2 else in_tasks)


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """A valid archive of valid and invalid files of every format."""
    members = draw(st.dictionaries(names, files, min_size=1, max_size=4))
    named = {
        name.encode("utf-8", "replace").decode().replace("\0", "?") or "x": members[name] for name in members
    }
    if draw(st.booleans()):
        return packed(**named)
    compress = COMPRESSORS[draw(st.sampled_from(sorted(COMPRESSORS)))]
    return compress(tar(*(file(name, data) for name, data in named.items())))


anything = st.one_of(damaged(archives()), files, damaged(zips()), damaged(tars()))
upload_names = st.sampled_from(["run.zip", "pet.json", "cet.ipynb", "answers.jsonl", "log.eval"])


def paths_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.fixture
def before(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """All rows before the upload; temporary files go to an empty folder."""
    settings.SUPERBOARD_MAX_UPLOAD_FILES = 20
    settings.SUPERBOARD_MAX_UPLOAD_UNPACKED_MB = settings.SUPERBOARD_MAX_UPLOAD_FILE_MB = 1
    settings.SUPERBOARD_MAX_TRAJECTORY_MB = 1
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    make_set(*(replace(PET, task_id=task) for task in TASKS))
    # Alice and her team stay.
    discard_upload(checked(b"{}", name="first.json"), user=None)
    forget_what_stays()
    return all_rows()


def forget_what_stays() -> None:
    """What stays of an upload that was discarded: the audit, what it used of a budget, its team's turn."""
    AuditEvent.objects.all().delete()
    GoldCheck.objects.all().delete()
    Team.objects.update(last_check=None)


def check_words(upload: Upload) -> None:
    """Every refusal names the file, the reason and what to do."""
    found = [(problem["file"], problem) for problem in upload.problems]
    for line in upload.files.all():
        problems = json.loads(line.problems)
        if line.verdict == "refused":
            assert line.name
            assert any(problem["severity"] == "error" for problem in problems)
        found += [(line.name, problem) for problem in problems]
    for name, problem in found:
        if problem["severity"] == "error":
            assert name, problem
            assert problem["file"], problem
            assert problem["reason"], problem
            assert problem["remedy"], problem
    if upload.state == UploadState.REFUSED:
        assert any(problem["severity"] == "error" for _name, problem in found)


def check_disk(upload: Upload, temporary: Path) -> None:
    """Every file on disk belongs to a row."""
    kept = {str(upload.pk), f"{upload.pk}/content", f"{upload.pk}/sender"}
    assert paths_below(django_settings.SUPERBOARD_UPLOADS) == kept
    named = AttemptFile.objects.values_list("blob", flat=True)
    assert stored_blobs() == {f"{blob}.zst" for blob in named}
    assert paths_below(temporary) == set()


forms = st.sampled_from([described(), described(), {}])


@settings(OF_THE_SITE, max_examples=inputs("uploads"))
@given(archives(), forms)
def test_any_archive_is_checked_or_refused_and_leaves_nothing(
    before: Any, tmp_path: Path, data: bytes, form: dict[str, Any]
) -> None:
    send_check_and_discard(data, before, tmp_path, form=form)


@settings(OF_THE_SITE, max_examples=inputs("uploads of anything"))
@given(upload_names, anything, forms)
def test_anything_is_checked_or_refused_and_leaves_nothing(
    before: Any, tmp_path: Path, name: str, data: bytes, form: dict[str, Any]
) -> None:
    send_check_and_discard(data or b" ", before, tmp_path, name=name, form=form)


def send_check_and_discard(data: bytes, before: Any, temporary: Path, **fields: Any) -> None:
    try:
        upload = checked(data, **fields)

        event(f"it is {upload.state}")
        assert upload.state in {UploadState.CHECKED, UploadState.INCOMPLETE, UploadState.REFUSED}
        check_words(upload)
        check_disk(upload, temporary)
        if upload.state != UploadState.CHECKED:
            assert not any(model.objects.exists() for model in (Entry, Attempt, Agent, Figure))
    finally:
        # Also after a failure, or the inputs after it would fail too.
        for one in Upload.objects.all():
            discard_upload(one, user=None)
        forget_what_stays()

    assert all_rows() == before
    assert paths_below(django_settings.SUPERBOARD_UPLOADS) == set()
    assert stored_blobs() == set()
