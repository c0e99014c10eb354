"""Checking makes a report and a draft from an upload, and the same ones when it is repeated."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from leaderboard.domain.entries import EntryState
from leaderboard.domain.scores import REPORTED
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.editing import edit_entry
from leaderboard.entries.services import publish_entry
from leaderboard.models import Attempt, AuditEvent, Entry, Score, Upload
from leaderboard.uploads.services import describe_upload, discard_upload, recheck_upload
from leaderboard.uploads.storage import upload_folder
from tests.cast import CET, DPT, MODEL, PET, SOLVER, all_rows, history, make_set, metrics, unanswered
from tests.formats.frameworks import atif, atif_step
from tests.formats.harbor_jobs import result, trial
from tests.people import client_of
from tests.uploads.cast import check, checked, described, packed, run_zip, send, start

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _tasks(db: None) -> None:
    make_set(PET, CET, DPT)


def test_it_makes_a_draft_from_the_usable_files() -> None:
    upload = checked(run_zip("pet", "cet"), form=described(notes="Two of three.", cost=1.5))
    entry = upload.entry
    assert upload.state == UploadState.CHECKED
    assert entry
    assert (entry.state, entry.team, entry.notes, entry.cost) == (
        EntryState.DRAFT,
        upload.team,
        "Two of three.",
        1.5,
    )
    assert (entry.agent.name, entry.agent.model, entry.task_set.slug) == (SOLVER, MODEL, "masked")
    assert [attempt.task.task_id for attempt in entry.attempts.all()] == ["cet", "pet"]
    assert entry.figures.exists()
    assert not entry.figures.exclude(task_set=None).exists()


def test_a_row_of_the_report_has_the_result_of_a_file() -> None:
    data = run_zip("pet", **{"cet/history.json": b"{", "elsewhere/history.json": history(), "notes.md": "x"})
    upload = checked(data)
    lines = {line.name: (line.verdict, line.task_id, line.errors) for line in upload.files.all()}
    assert lines == {
        "pet/history.json": ("used", "pet", 0),
        "cet/history.json": ("refused", "cet", 1),
        "elsewhere/history.json": ("refused", "", 1),
        "notes.md": ("passed over", "", 0),
    }
    used = upload.files.get(verdict="used")
    assert (used.matched_by, used.number, used.attempt) == ("folder", 1, Attempt.objects.get())


def test_an_answer_beside_a_trajectory_is_recorded_with_it() -> None:
    answers = '{"task_id": "pet", "answer": {"loss": 0.5}}\n{"task_id": "cet", "answer": 1}\n'
    data = packed(**{"pet/history.json": unanswered(), "answers.jsonl": answers})
    first = checked(data).entry
    assert first
    pet = first.attempts.get(task__task_id="pet")
    assert (pet.answer, pet.ending, pet.has_trajectory) == ('{\n  "loss": 0.5\n}', "submitted", True)
    assert pet.scores.get(scorer="super-strict", metric="accuracy").value == 1.0

    changed = answers.replace("0.5", "0.7")
    other = checked(packed(**{"pet/history.json": unanswered(), "answers.jsonl": changed}))
    assert other.entry
    assert other.entry.attempts.get(task__task_id="pet").source_digest != pet.source_digest


def test_a_harbor_job_makes_an_attempt_a_trial_whose_original_has_its_files() -> None:
    files: dict[str, Any] = {"job/result.json": b'{"n_total_trials": 2}', "job/job.log": b"x"}
    for name in ("pet__aaaaaaa", "pet__bbbbbbb"):
        turn = atif_step(("finish", {"message": json.dumps({"loss": name})}, "ok"))
        told = result("org/pet", name)
        files |= trial({"agent/trajectory.json": json.dumps(atif(turn)).encode()}, told, f"job/{name}/")
    upload = checked(packed(**files))
    assert upload.entry
    assert {line.name: line.errors for line in upload.files.filter(verdict="used")} == {
        "job/pet__aaaaaaa": 0,
        "job/pet__bbbbbbb": 0,
    }
    numbers = [attempt.number for attempt in upload.entry.attempts.order_by("number")]
    assert numbers == [1, 2]
    original = upload.entry.attempts.get(number=1).files.get(kind="original")
    assert original.name == "pet__aaaaaaa.zip"
    downloaded = client_of("alice").get(f"/a/{original.attempt_id}/download/original/").getvalue()
    with zipfile.ZipFile(io.BytesIO(downloaded)) as inside:
        assert inside.read("agent/trajectory.json") == files["job/pet__aaaaaaa/agent/trajectory.json"]
        assert "config.json" not in inside.namelist()


def test_what_is_missing_is_asked_for_and_nothing_is_recorded() -> None:
    upload = checked(run_zip("pet"), form={})
    assert (upload.state, upload.entry) == (UploadState.INCOMPLETE, None)
    assert upload.description == {"benchmark": "super", "set": "masked"}
    assert upload.files.get().verdict == "used"
    assert not Entry.objects.exists()


def test_an_incomplete_upload_s_report_has_what_is_wrong_with_its_files() -> None:
    upload = checked(run_zip("pet", **{"cet/history.json": b"{"}), form={})
    assert upload.state == UploadState.INCOMPLETE
    assert {file.task_id: file.verdict for file in upload.files.all()} == {"pet": "used", "cet": "refused"}

    hopeless = checked(packed(**{"pet/history.json": b"{"}), form={})
    assert hopeless.state == UploadState.REFUSED


def test_the_report_says_what_was_taken_from_a_metrics_file() -> None:
    scores = {"pet/metrics.json": metrics(0.5, None), "cet/metrics.json": {"f1": 0.5}}
    upload = checked(run_zip("pet", "cet", **scores))
    said = {
        (str(each.severity), each.problem.file): each.problem.reason
        for file in upload.files.all()
        for each in file.findings
    }
    taken = "the scores in metrics.json are taken as reported: accuracy 0.5, landmarks none"
    assert said["note", "pet/metrics.json"] == taken
    assert said["error", "cet/metrics.json"] == "there is no score in it"
    assert {file.task_id: file.verdict for file in upload.files.all()} == {"pet": "used", "cet": "refused"}


def test_one_bad_line_of_answers_is_refused_and_the_others_are_used() -> None:
    lines = [
        '{"task_id": "pet", "answer": {"loss": 0.5}}',
        '{"task_id": "cet", "answer": ',
        '{"task_id": "dpt"}',
    ]
    for order in (lines, lines[::-1], [lines[1], lines[0], lines[2]]):
        upload = checked(packed(**{"answers.jsonl": "\n".join(order)}), form=described(notes=order[0]))
        assert upload.state == UploadState.CHECKED
        (used,) = upload.files.filter(verdict="used")
        assert used.task_id == "pet"
        bad = upload.files.get(sample=f"line {order.index(lines[1]) + 1}")
        assert (bad.verdict, bad.findings[0].problem.place.split(",")[0]) == ("refused", bad.sample)


def test_checking_continues_when_the_missing_fields_are_filled_in() -> None:
    upload = checked(run_zip("pet"), form={})
    describe_upload(upload, form={"agent": SOLVER, "model": MODEL}, user=None)
    assert check(upload).state == UploadState.CHECKED
    assert Attempt.objects.count() == 1


def test_the_description_in_the_files_fills_in_empty_fields_of_the_form() -> None:
    words = {"agent": "Theirs", "model": MODEL, "benchmark": "super", "set": "masked"}
    upload = checked(run_zip("pet", **{"entry.json": words}), form={"agent": "Ours"})
    assert upload.entry
    assert upload.entry.agent.name == "Ours"
    assert upload.entry.agent.model == MODEL


OPEN = {
    "model_openness": "open-weights",
    "scaffold_openness": "open-source",
    "code": "https://example.org/code",
    "released": "2026-04-01",
}


def test_an_agent_s_address_openness_code_and_links_without_a_label_are_kept() -> None:
    words = {
        "agent": {"name": SOLVER, "url": "https://example.org/agent"},
        "links": ["https://example.org/paper"],
        **OPEN,
    }
    upload = checked(run_zip("pet", **{"entry.json": {**words, "model": MODEL}}), form={})
    assert upload.entry
    assert (upload.entry.agent.name, upload.entry.agent_url) == (SOLVER, "https://example.org/agent")
    assert upload.entry.links == [{"url": "https://example.org/paper", "label": ""}]
    assert {name: str(getattr(upload.entry, name)) for name in OPEN} == OPEN
    alice = client_of("alice")
    for page in (upload, upload.entry):
        assert "https://example.org/paper" in alice.get(page.get_absolute_url()).content.decode()


def test_a_name_that_can_not_be_published_is_pointed_out_and_ones_own_noted() -> None:
    first = checked(run_zip("pet"))
    assert (first.entry, first.findings) == (first.entry, [])
    assert first.entry
    publish_entry(first.entry, user=None)

    own = checked(run_zip("cet")).findings
    theirs = checked(run_zip("cet"), who="bob", form=described(agent=SOLVER.upper())).findings

    assert [(each.severity, each.problem.reason) for each in own] == [
        ("note", "your team has published Solver · gpt-4o on this board: /e/solver-gpt-4o-masked/")
    ]
    assert [each.severity for each in theirs] == ["warning"]
    assert "“SOLVER · gpt-4o” looks like another name: Solver" in theirs[0].problem.reason


def test_an_agent_s_address_is_carried_over_to_a_new_version() -> None:
    named = described(agent={"name": SOLVER, "url": "https://example.org/agent"})
    first = checked(run_zip("pet"), form=named)
    second = checked(run_zip("cet"), entry=first.entry, form={})
    assert second.entry
    assert second.entry.agent_url == "https://example.org/agent"


def test_a_new_version_keeps_links_without_a_label() -> None:
    first = checked(run_zip("pet"), form=described(links=["https://example.org/paper"]))
    second = checked(run_zip("cet"), entry=first.entry, form={})
    assert second.state == UploadState.CHECKED
    assert second.entry
    assert second.entry.links == [{"url": "https://example.org/paper", "label": ""}]


def test_a_new_version_s_own_description_overrides_the_earlier_one() -> None:
    old = {"notes": "Old.", "cost": 1.0, "model_openness": "open-weights"}
    first = checked(run_zip("pet"), form=described(**old, links=["https://example.org/old"]))
    assert first.entry
    publish_entry(first.entry, user=None)
    first.entry.refresh_from_db()
    words = {"notes": "New.", "cost": 2.0, "model_openness": "api-only"}
    second = checked(run_zip("cet", **{"entry.json": words}), previous=first.entry, form={"cost": 3.0})
    assert second.entry
    assert (second.entry.notes, second.entry.cost) == ("New.", 3.0)
    # The former version still says what it said.
    versions = (first.entry, second.entry)
    assert [each.model_openness for each in versions] == ["open-weights", "api-only"]
    assert second.entry.links == [{"url": "https://example.org/old", "label": ""}]


def test_a_new_version_s_other_name_is_an_error_that_names_both() -> None:
    first = checked(run_zip("pet"))
    assert first.entry
    publish_entry(first.entry, user=None)
    first.entry.refresh_from_db()
    data = run_zip("cet", **{"entry.json": {"agent": "Another"}})
    second = checked(data, previous=first.entry, form={})
    assert second.entry
    assert second.entry.agent == first.entry.agent
    (found,) = (each for each in second.problems if each["severity"] == "error")
    assert (found["severity"], found["place"]) == ("error", "agent")
    assert found["reason"] == f"entry.yaml has “Another”, but the entry that it is sent for has “{SOLVER}”"


def test_edits_of_a_draft_stay_when_its_files_are_checked_again() -> None:
    upload = checked(run_zip("pet", **{"entry.json": {"notes": "In the files."}}))
    assert upload.entry
    edit_entry(upload.entry, user=None, notes="Edited.")
    recheck_upload(upload, user=None)
    entry = check(upload).entry
    assert entry
    assert entry.notes == "Edited."


@pytest.mark.parametrize("described_by", [describe_upload, edit_entry])
def test_the_address_of_what_is_published_has_the_name_given_last(described_by: Any) -> None:
    upload = checked(run_zip("pet"), form=described(agent="Taken"))
    assert upload.entry
    if described_by is edit_entry:
        edit_entry(upload.entry, user=None, name="Given", model="m")
    else:
        describe_upload(upload, form={"agent": "Given", "model": "m"}, user=None)
        check(upload)
    assert publish_entry(Entry.objects.get(), user=None).slug == "given-m-masked"


@pytest.mark.parametrize("data", [b"no archive", packed(**{"readme.md": "x"}), run_zip("unknown")])
def test_an_unusable_upload_is_refused_and_leaves_no_entry(data: bytes) -> None:
    upload = checked(data)
    assert upload.state == UploadState.REFUSED
    assert (
        upload.problems
        or upload.files.filter(verdict="refused")
        or upload.files.filter(verdict="passed over")
    )
    assert not Entry.objects.exists()


def test_reported_scores_are_kept_as_reported() -> None:
    upload = checked(run_zip("pet", **{"pet/metrics.json": metrics(0.25, 0.5, 1, 1)}))
    assert upload.entry
    scores = Score.objects.filter(attempt__entry=upload.entry, metric="accuracy")
    assert scores.get(scorer=REPORTED).value == 0.25
    assert scores.get(scorer="super-strict").value == 1


def test_an_answer_without_a_trajectory_gets_the_scores_that_need_none() -> None:
    upload = checked(packed(**{"answers.jsonl": '{"task_id": "pet", "answer": {"loss": 0.5}}\n'}))
    attempt = Attempt.objects.get()
    scores = {s.metric: (s.value, s.reason) for s in attempt.scores.filter(scorer="super-strict")}
    assert upload.state == UploadState.CHECKED
    assert not attempt.has_trajectory
    assert '"loss": 0.5' in attempt.answer
    assert scores["accuracy"] == (1, "")
    assert scores["submitted"] == (1, "")
    assert scores["landmarks"] == scores["script_executed"] == (None, "")


def test_checking_again_gives_the_same() -> None:
    upload = checked(run_zip("pet", "cet"))
    before = all_rows()
    recheck_upload(upload, user=None)
    assert check(upload).state == UploadState.CHECKED
    assert {name: len(rows) for name, rows in all_rows().items()}.keys() == before.keys()
    assert Entry.objects.count() == 1
    assert Attempt.objects.count() == 2


def test_files_that_replace_a_draft_s_replace_its_attempts_exactly() -> None:
    first = checked(run_zip("pet", "cet", **{"pet/metrics.json": metrics(0, 0, 0, 0)}))
    second = checked(run_zip("pet", "dpt"), entry=first.entry, form={})
    assert second.entry == first.entry == Entry.objects.get()
    assert sorted(Attempt.objects.values_list("task__task_id", flat=True)) == ["dpt", "pet"]
    assert not Score.objects.filter(scorer=REPORTED).exists()
    assert list(Upload.objects.all()) == [second]


def test_unusable_files_leave_the_draft_unchanged() -> None:
    first = checked(run_zip("pet"))
    second = checked(b"no archive", entry=first.entry)
    assert (second.state, second.entry) == (UploadState.REFUSED, None)
    assert Attempt.objects.get().entry == first.entry


def test_a_single_file_is_checked_without_an_archive() -> None:
    upload = checked(run_zip("pet"))
    single = checked(b'{"task_id": "pet", "answer": {"loss": 0.5}}\n', name="answers.jsonl")
    assert (upload.state, single.state) == (UploadState.CHECKED, UploadState.CHECKED)


def test_no_scratch_folder_stays() -> None:
    upload = checked(run_zip("pet"))
    assert {path.name for path in upload_folder(upload.pk).iterdir()} == {"content", "sender"}


@pytest.mark.django_db(transaction=True)
def test_discarding_an_upload_discards_its_draft() -> None:
    make_set(PET)
    upload = checked(run_zip("pet"))
    discard_upload(upload, user=None)
    assert not Entry.objects.exists()
    assert not Attempt.objects.exists()
    assert AuditEvent.objects.get(action="discard upload").detail["charged"] == upload.size


def test_an_upload_s_draft_is_listed_on_no_board() -> None:
    upload = checked(run_zip("pet"))
    assert upload.entry
    assert not upload.entry.is_published


def test_the_upload_that_waited_longest_is_claimed_first() -> None:
    first, second = send(run_zip("pet")), send(run_zip("cet"))
    start(b"never sent")
    assert check(first).state == UploadState.INCOMPLETE
    assert check(second).state == UploadState.INCOMPLETE


def test_links_of_both_shapes_are_kept_and_shown() -> None:
    entry: dict[str, Any] = {
        "benchmark": "super",
        "set": "masked",
        "agent": {"name": SOLVER, "url": "https://x.org/a"},
    }
    entry |= {"model": MODEL, "links": ["https://x.org/b", {"label": "Code", "url": "https://x.org/c"}]}
    upload = checked(run_zip("pet", **{"entry.json": entry}), form={})
    assert upload.entry
    client = client_of("alice")
    for page in (upload.get_absolute_url(), upload.entry.get_absolute_url()):
        shown = client.get(page).content.decode()
        assert "https://x.org/b" in shown
        assert "https://x.org/c" in shown
    assert "https://x.org/a" in shown


def test_a_draft_whose_links_were_edited_takes_new_files() -> None:
    entry = checked(run_zip("pet")).entry
    assert entry
    edit_entry(
        entry, user=None, links=[{"url": "https://x.org/b"}, {"url": "https://x.org/c", "label": "Code"}]
    )
    upload = checked(run_zip("cet"), form={}, entry=entry)
    assert (upload.state, upload.entry) == (UploadState.CHECKED, entry)
    assert [link["url"] for link in Entry.objects.get().links] == ["https://x.org/b", "https://x.org/c"]


def test_a_larger_limit_of_a_trajectory_holds_for_all_of_a_check(settings: Any) -> None:
    settings.SUPERBOARD_MAX_TRAJECTORY_MB = 300
    # A file whose name names no task is opened to learn what it holds, before it is read.
    answers = json.dumps({"task_id": PET.task_id, "answer": {"loss": 0.5}}).encode()

    upload = checked(answers + b" " * (101 << 20) + b"\n", name="answers.jsonl")

    assert upload.state == UploadState.CHECKED, upload.problems
    assert Attempt.objects.filter(task__task_id=PET.task_id).count() == 1


def test_a_cost_of_nothing_is_a_cost() -> None:
    entry = checked(run_zip("pet"), form=described(cost=0)).entry

    assert entry is not None
    assert entry.cost == 0
