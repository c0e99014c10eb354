"""All attempts of an entry or a board as one archive, and the archive uploaded again."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.core import blobs
from leaderboard.core.zip_streams import Member, stream_zip
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.services import publish_entry
from leaderboard.models import Attempt, AttemptFile, Entry
from leaderboard.pipeline import pack
from tests.cast import NOVICE, history, make_set, metrics, report
from tests.client.commands import superboard
from tests.entries.cast import make_draft
from tests.formats.frameworks import finish, output_line, run, stored, v0_events, v1_events
from tests.people import client_of, person
from tests.uploads.cast import checked, packed

pytestmark = pytest.mark.django_db
TASKS = ("amrbart_data", "glee_data", "blockskim_data", "bert-lnl_data", "bert-lnl_goal")


def lines(*documents: Any) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in documents)


RESULTS: dict[str, Any] = {
    "entry.yaml": "links: [https://example.org/paper]\nnotes: 'Two attempts: one task'\ncost: 12.5\n",
    # Two attempts at a task, the second without an answer of its own.
    "amrbart_data/attempt_1/history.json": history({"loss": 0.5}),
    "amrbart_data/attempt_1/metrics.json": metrics(0.25, 0.5, None, 1.0),
    "amrbart_data/attempt_2/history.json": {**history({"loss": 0.5}), "history": history()["history"][:1]},
    # A file of two tasks.
    "output.jsonl": lines(
        output_line(v0_events(run("ls"), finish()), "glee_data"),
        output_line(v0_events(run("pwd"), finish()), "blockskim_data"),
    ),
    # An answer beside a trajectory, and one alone.
    "answers.jsonl": lines(
        {"task_id": "amrbart_data", "attempt": 2, "answer": {"loss": 0.25}},
        {"task_id": "bert-lnl_data", "answer": {"map": 0.5}},
    ),
    # Scores alone.
    "bert-lnl_goal/metrics.json": metrics(0.5),
}


@pytest.fixture
def entry() -> Entry:
    """A published entry of Alice's with attempts of every kind."""
    make_set(*(TaskSpec(task_id=each, gold={"loss": 0.5}) for each in TASKS))
    upload = checked(packed(**RESULTS))
    assert upload.entry
    publish_entry(upload.entry, user=person("alice"), leaving_out=True, secrets_acknowledged=True)
    return Entry.objects.get(pk=upload.entry.pk)


def fetch(client: Client, address: str) -> zipfile.ZipFile:
    response = client.get(address, headers={"accept-encoding": "gzip"})
    assert response.status_code == 200
    assert "Content-Encoding" not in response
    content: bytes = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert archive.testzip() is None
    return archive


def archive_of(client: Client, entry: Entry) -> dict[str, bytes]:
    """The files of an entry's archive, by their paths in its folder."""
    archive = fetch(client, reverse("entry-archive", args=(entry.slug,)))
    return {each.removeprefix(f"{entry.slug}/"): archive.read(each) for each in archive.namelist()}


def told(entry: Entry) -> list[tuple[Any, ...]]:
    """What an entry's attempts are: their task, number, answer, ending, and scores."""
    return [
        (
            each.task.task_id,
            each.number,
            each.has_trajectory,
            each.answer,
            each.ending,
            sorted(each.scores.values_list("scorer", "metric", "value")),
        )
        for each in entry.attempts.all()
    ]


def test_originals_are_there_byte_for_byte_by_task_and_attempt(client: Client, entry: Entry) -> None:
    files = archive_of(client, entry)

    assert [*files] == [
        "entry.json",
        "amrbart_data/attempt_1/history.json",
        "amrbart_data/attempt_1/metrics.json",
        "amrbart_data/attempt_2/history.json",
        "_sources/1/answers.jsonl.original",
        "bert-lnl_goal/attempt_1/metrics.json",
        "_of_several_tasks/2/output.jsonl",
        "answers.jsonl",
        "results.json",
    ]
    sent = zipfile.ZipFile(io.BytesIO(packed(**RESULTS)))
    for name, path in (
        ("amrbart_data/attempt_1/history.json",) * 2,
        ("amrbart_data/attempt_2/history.json",) * 2,
        ("output.jsonl", "_of_several_tasks/2/output.jsonl"),
        ("answers.jsonl", "_sources/1/answers.jsonl.original"),
    ):
        assert files[path] == sent.read(name)


def test_what_comes_out_can_be_uploaded_again(client: Client, entry: Entry) -> None:
    archive = fetch(client, reverse("entry-archive", args=(entry.slug,)))
    buffer = archive.fp
    assert buffer
    buffer.seek(0)
    again = checked(buffer.read(), form={}, who="bob").entry

    assert again
    assert told(again) == told(entry)
    for name in ("task_set", "agent", "links", "notes", "cost"):
        assert getattr(again, name) == getattr(entry, name), name


def test_an_attempt_of_several_files_can_be_uploaded_again(client: Client) -> None:
    make_set(*(TaskSpec(task_id=each, gold={"loss": 0.5}) for each in TASKS))
    ends = ("finish", {"kind": "FinishAction", "message": '{"loss": 0.5}'}, None)
    events = v1_events(("terminal", {"kind": "TerminalAction", "command": "ls"}, "ok"), ends)
    state = {"agent": {}, "execution_status": "finished"}
    entry = checked(packed(**stored(events, folder="glee_data/", state=state))).entry
    assert entry
    archive = fetch(client_of("alice"), reverse("entry-archive", args=(entry.slug,)))
    buffer = archive.fp
    assert buffer
    buffer.seek(0)

    assert f"{entry.slug}/glee_data/attempt_1/glee_data.zip" in archive.namelist()
    assert told(checked(buffer.read(), form={}, who="bob").entry or entry) == told(entry)
    assert Entry.objects.count() == 2


def test_validate_finds_all_attempts_in_the_unpacked_folder(
    client: Client, entry: Entry, tmp_path: Path
) -> None:
    fetch(client, reverse("entry-archive", args=(entry.slug,))).extractall(tmp_path)
    called = superboard("validate", tmp_path, "--json")

    used = {(line["task"], line["attempt"]) for line in called.data["files"] if line["task"]}
    assert used == set(entry.attempts.values_list("task__task_id", "number"))
    assert called.data["totals"]["errors"] == 0


def test_scores_are_beside_the_attempts(client: Client, entry: Entry) -> None:
    results = json.loads(archive_of(client, entry)["results.json"])

    assert results["entry"]["slug"] == entry.slug
    first = results["attempts"][0]
    assert (first["task_id"], first["attempt"]) == ("amrbart_data", 1)
    assert first["file"] == "amrbart_data/attempt_1/history.json"
    assert {"reported", "super-strict"} <= {score["scorer"] for score in first["scores"]}
    assert [each["file"] for each in results["attempts"]].count("_of_several_tasks/2/output.jsonl") == 2


def test_what_looks_like_a_secret_is_for_the_team_alone(client: Client, entry: Entry) -> None:
    first, second = entry.attempts.filter(task__task_id="amrbart_data")
    Attempt.objects.filter(pk=first.pk).update(secrets=1)
    path = "amrbart_data/attempt_1/history.json"

    files = archive_of(client, entry)
    assert path not in files
    assert json.loads(files["results.json"])["attempts"][0]["file"] is None
    assert f"amrbart_data/attempt_{second.number}/history.json" in files
    assert path in archive_of(client_of("alice"), entry)
    Attempt.objects.filter(pk=second.pk).update(secrets=1)
    assert b"0.25" not in archive_of(client, entry)["answers.jsonl"], "the answer beside it, too"


def test_the_archive_of_a_draft_tells_no_score_that_its_page_withholds(client: Client) -> None:
    task_set = make_set(*(TaskSpec(task_id=each, gold={"loss": 0.5}) for each in TASKS))
    draft = make_draft(task_set, {"amrbart_data": 0.25}, trajectories=True)
    address = reverse("entry-archive", args=(draft.slug,))

    assert client.get(address).status_code == 404
    scores = json.loads(archive_of(client_of("alice"), draft)["results.json"])["attempts"][0]["scores"]
    assert {each["value"] for each in scores if each["metric"] == "accuracy"} == {None}


def test_no_archive_tells_of_gold_answers(client: Client, entry: Entry) -> None:
    entry.task_set.tasks.update(gold='{"loss": "Zanzibar"}')

    assert not any(b"Zanzibar" in content for content in archive_of(client, entry).values())


def test_a_task_whose_id_is_no_folder_s_name_is_found_again(client: Client) -> None:
    ids = ("a:b", "CON", "..\\x", "Case", "case", ".hidden")
    task_set = make_set(*(TaskSpec(task_id=each) for each in ids))
    entry = report(task_set, NOVICE, dict.fromkeys(ids, 0.5))
    files = archive_of(client, entry)
    archive = fetch(client, reverse("entry-archive", args=(entry.slug,)))
    buffer = archive.fp
    assert buffer
    buffer.seek(0)

    folders = {path.partition("/")[0] for path in files}
    assert len({each.lower() for each in folders}) == len(ids) + len(("entry.json", "results.json"))
    assert not any({*folder} & {*":\\"} or folder in ("CON", ".hidden") for folder in folders)
    assert told(again := checked(buffer.read(), form={}, who="bob").entry or entry) == told(entry)
    assert again != entry


def test_a_board_s_archive_has_the_entries_that_it_shows(client: Client, entry: Entry) -> None:
    other = report(entry.task_set, NOVICE, {"bert-lnl_goal": 0.5})
    make_draft(entry.task_set, {"bert-lnl_goal": 1.0}, agent="Hidden")
    address = reverse("board-archive", args=("super", "masked"))

    folders = {each.partition("/")[0] for each in fetch(client, address).namelist()}
    assert folders == {entry.slug, other.slug}
    only = fetch(client, f"{address}?agent={NOVICE}").namelist()
    assert {each.partition("/")[0] for each in only} == {other.slug}


def test_the_links_say_how_much_it_is(client: Client, entry: Entry) -> None:
    # The file of two tasks and that of answers count once each.
    files = AttemptFile.objects.filter(kind="original", attempt__entry=entry)
    size = sum(dict(files.values_list("blob", "size")).values())
    for address, link in (
        (entry.get_absolute_url(), reverse("entry-archive", args=(entry.slug,))),
        (entry.task_set.get_absolute_url(), reverse("board-archive", args=("super", "masked"))),
    ):
        page = client.get(address).content.decode()
        assert f'href="{link}' in page
        assert f"{size / 1000:.1f} kB" in page


def test_beyond_the_limit_page_and_api_say_which_it_is(
    client: Client, entry: Entry, settings: Settings
) -> None:
    AttemptFile.objects.filter(attempt__entry=entry, kind="original").update(size=600 << 20)
    page = client.get(entry.get_absolute_url()).content.decode()
    assert reverse("entry-archive", args=(entry.slug,)) not in page
    assert f"superboard download {entry.slug}" in page

    refused = client.get(reverse("entry-archive", args=(entry.slug,)))
    assert refused.status_code == 413
    assert "more than 512 MB (SUPERBOARD_MAX_ARCHIVE_MB)" in refused.content.decode()
    answer = client.get(reverse("api:entry-archive", args=(entry.slug,)))
    assert answer.status_code == 413
    assert "SUPERBOARD_MAX_ARCHIVE_MB" in answer.json()["detail"]


def test_asking_for_the_head_reads_no_file(client: Client, entry: Entry) -> None:
    response = client.head(reverse("entry-archive", args=(entry.slug,)))

    assert response["Content-Disposition"] == f'attachment; filename="{entry.slug}-attempts.zip"'
    assert b"".join(response.streaming_content) == b""  # type: ignore[attr-defined]


def test_an_archive_that_lacks_a_file_breaks_off(client: Client, entry: Entry) -> None:
    original = AttemptFile.objects.filter(attempt__entry=entry, kind="original").order_by("pk")[0]
    blobs.delete(original.blob)
    response = client.get(reverse("entry-archive", args=(entry.slug,)))

    with pytest.raises(FileNotFoundError):
        b"".join(response.streaming_content)  # type: ignore[attr-defined]


def test_no_more_than_a_part_of_an_archive_is_in_memory() -> None:
    class Zeros(io.RawIOBase):
        left = 64 << 20

        def read(self, size: int = -1) -> bytes:
            taken = min(size, self.left)
            self.left -= taken
            return bytes(taken)

    members = (Member(f"{n}.json", 64 << 20, lambda: Zeros()) for n in range(2))  # type: ignore[arg-type,return-value]
    tracemalloc.start()
    try:
        sent = sum(len(part) for part in stream_zip(members))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert sent > 0


def test_the_same_members_give_the_same_bytes() -> None:
    def members() -> Iterator[Member]:
        yield Member.of("a/b.json", b"{}")
        yield Member.of("c", pack(b"x" * 1000).compressed)

    assert b"".join(stream_zip(members())) == b"".join(stream_zip(members()))
