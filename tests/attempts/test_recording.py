"""Recording an attempt: all of it or nothing, in the database and in the blob store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.selectors import task_spec
from leaderboard.core import blobs
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Attempt, AttemptFile, AuditEvent, Entry, LandmarkOutcome, OutputPage, Score
from leaderboard.pipeline import pack, prepare
from tests.cast import MODEL, PET, SOLVER, add_attempt, all_rows, bring_in, history, make_set, stored_blobs
from tests.formats.samples import as_bytes

pytestmark = pytest.mark.django_db


def record(entry: Entry, answer: Any = None) -> None:
    task = entry.task_set.tasks.get()
    prepared = prepare(
        as_bytes(history({"loss": answer})),
        name="pet/history.json",
        task=task_spec(task),
        scoring=task.scoring,
        title="pet",
    )
    record_attempt(entry=entry, task=task, number=1, digest=str(answer), prepared=prepared)


@pytest.fixture
def entry() -> Entry:
    return ensure_entry(task_set=make_set(PET), agent=SOLVER, model=MODEL)


@pytest.mark.parametrize("table", [AttemptFile, LandmarkOutcome, OutputPage, Score])
def test_a_write_that_fails_in_the_middle_leaves_no_row_and_no_blob(
    entry: Entry, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = all_rows()

    def fail(*args: Any, **options: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(table.objects, "bulk_create", fail)

    with pytest.raises(OSError, match="the disk is full"):
        record(entry)

    assert all_rows() == before
    assert stored_blobs() == set()


def test_a_failed_change_leaves_what_was_recorded_before(
    entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(entry, 1)
    before, files = all_rows(), stored_blobs()
    monkeypatch.setattr(Score.objects, "bulk_create", lambda rows: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        record(entry, 2)

    assert all_rows() == before
    assert stored_blobs() == files


def test_a_failure_takes_no_blob_from_another_attempt(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    record(entry, 1)
    files = stored_blobs()
    rival = ensure_entry(task_set=entry.task_set, agent="Rival", model=MODEL)
    monkeypatch.setattr(Score.objects, "bulk_create", lambda rows: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        record(rival, 1)

    assert stored_blobs() == files


def test_an_entry_is_known_by_agent_model_and_set(entry: Entry) -> None:
    assert ensure_entry(task_set=entry.task_set, agent=SOLVER, model=MODEL) == entry
    assert ensure_entry(task_set=entry.task_set, agent=SOLVER, model="another") != entry
    assert ensure_entry(task_set=make_set(slug="expert"), agent=SOLVER, model=MODEL) != entry


def test_names_that_slugify_alike_get_addresses_of_their_own(entry: Entry) -> None:
    slugs = [
        ensure_entry(task_set=entry.task_set, agent=agent, model="模型").slug
        for agent in ("A!", "A?", "代理")
    ]

    assert slugs == ["a-masked", "a-masked-2", "masked"]


def test_a_later_import_does_not_change_where_an_entry_is_from(entry: Entry) -> None:
    def source(named: str) -> str:
        return ensure_entry(task_set=entry.task_set, agent="Rival", model=MODEL, origin=named).source

    assert {source(named) for named in ("the paper", "", "the authors")} == {
        "imported by an operator from the paper"
    }


def test_reported_scores_survive_a_recording_without_any_and_the_other_way_round(entry: Entry) -> None:
    task = entry.task_set.tasks.get()
    record_attempt(entry=entry, task=task, number=1, reported={"accuracy": 0.25})
    record(entry, 0.5)

    assert record_attempt(entry=entry, task=task, number=1, reported={"accuracy": 0.5}) == "changed"

    assert Attempt.objects.get().has_trajectory
    assert Score.objects.get(scorer="reported").value == 0.5


def test_every_write_is_in_the_audit(entry: Entry) -> None:
    record(entry, 1)
    record(entry, 1)
    record(entry, 2)

    said = AuditEvent.objects.order_by("pk").values_list("action", flat=True)
    made = ["add benchmark", "import tasks", "add entry"]
    assert list(said) == [*made, "added attempt", "changed attempt"]


def test_a_blob_comes_back_as_it_was() -> None:
    content = bytes(range(256)) * 1000
    packed = pack(content)

    blobs.store(packed)

    assert blobs.read(packed.digest) == content


def test_a_blob_cut_off_by_a_kill_is_written_anew(tmp_path: Path) -> None:
    packed = pack(b"content")
    blobs.store(packed)
    (name,) = stored_blobs()
    Path(default_storage.path(f"blobs/{name[:2]}/{name}")).write_bytes(b"")

    blobs.store(packed)

    assert blobs.read(packed.digest) == b"content"


def test_a_blob_stored_by_somebody_else_in_the_meantime_is_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(b"content")
    blobs.store(packed)
    answers = iter([False])
    truly_exists = default_storage.exists
    monkeypatch.setattr(default_storage, "exists", lambda name: next(answers, truly_exists(name)))

    blobs.store(packed)

    assert stored_blobs() == {f"{packed.digest}.zst"}


def test_a_raised_limit_takes_a_bigger_file(settings: Any, tmp_path: Path) -> None:
    settings.SUPERBOARD_MAX_TRAJECTORY_MB = 1
    folder = add_attempt(tmp_path, "pet", history=history(observation="x" * (2 << 20)))
    task_set = make_set(PET)
    assert "raise SUPERBOARD_MAX_TRAJECTORY_MB" in str(bring_in(tmp_path, task_set).problems[0])
    settings.SUPERBOARD_MAX_TRAJECTORY_MB = 3

    assert bring_in(tmp_path, task_set).added == [folder.name]
