"""What `superboard view` finds and reads, and how it follows files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from leaderboard import formats
from leaderboard.domain.errors import InputError
from leaderboard.formats import bundles
from leaderboard.viewing import sources
from leaderboard.viewing.attempts import Viewed
from leaderboard.viewing.collection import Collection
from leaderboard.viewing.reading import Reader
from leaderboard.viewing.sources import Root, find_sources, open_roots
from leaderboard.viewing.task_files import read_task_file
from leaderboard.viewing.tasks import Tasks
from tests.formats.harbor_jobs import job
from tests.repository.files import ROOT
from tests.viewing.cast import history, put

LIMIT = 1 << 20


def collected(folder: Path, tmp_path: Path, *, tasks: Tasks | None = None, limit: int = LIMIT) -> Collection:
    """The attempts of a folder, read once."""
    kept = tmp_path / "kept"
    kept.mkdir(exist_ok=True)
    found = Collection([Root("runs", folder)], Reader(tasks or Tasks(), limit), folder=kept)
    found.update()
    return found


def names(collection: Collection) -> list[str]:
    return [row.attempt.source for row in collection.state().rows]


def problems(collection: Collection) -> list[str]:
    return [str(problem) for problem in collection.state().problems]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return put(
        tmp_path / "runs",
        {"cake/history.json": history("ok", answer={"f1": 1}), "pie/history.json": history("no")},
    )


def test_an_attempt_is_named_by_its_folder_where_its_file_names_no_task(runs: Path, tmp_path: Path) -> None:
    rows = collected(runs, tmp_path).state().rows

    assert [row.attempt.task.task_id for row in rows] == ["cake", "pie"]
    assert [row.attempt.step_count for row in rows] == [2, 1]


def test_what_can_not_be_read_is_told_once_and_stops_no_other(runs: Path, tmp_path: Path) -> None:
    lines = b"\n".join(json.dumps({"event": n}).encode() for n in range(20)) + b"\n"
    put(
        runs, {"empty.json": b"", "events.jsonl": lines, "cut.json": history("x")[:60], "notes.txt": b"Hello"}
    )
    put(runs, {"large.json": b'{"query": "' + b"x" * LIMIT + b'"}'})

    found = collected(runs, tmp_path)

    assert names(found) == ["cake/history.json", "pie/history.json"]
    said = problems(found)
    assert [each.partition(":")[0].partition(",")[0] for each in said] == [
        "cut.json",
        "empty.json",
        "events.jsonl",
        "large.json",
    ]
    assert "SUPERBOARD_MAX_TRAJECTORY_MB" in said[3]
    assert found.state().passed_over == 1


def test_links_are_not_followed(runs: Path, tmp_path: Path) -> None:
    (runs / "again").symlink_to(runs, target_is_directory=True)
    (runs / "mine.json").symlink_to(runs / "cake" / "history.json")

    assert names(collected(runs, tmp_path)) == ["cake/history.json", "pie/history.json"]


def test_a_folder_that_can_not_be_listed_is_told(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.scandir

    def refusing(folder: Path) -> object:
        if Path(folder).name == "cake":
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    found = collected(runs, tmp_path)

    assert names(found) == ["pie/history.json"]
    assert problems(found) == ["cake: it can't be read: Permission denied (check its permissions)"]


def test_of_a_folder_with_too_many_files_the_first_are_read(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_FILES", 1)

    found = collected(runs, tmp_path)

    assert len(names(found)) == 1
    assert "more than 1 files" in problems(found)[0]


def test_a_run_that_writes_is_followed_and_its_attempts_keep_their_addresses(
    runs: Path, tmp_path: Path
) -> None:
    found = collected(runs, tmp_path)
    first = found.state()

    put(runs, {"pie/history.json": history("no", "still no"), "tart/history.json": history("new")})
    found.update()

    rows = {row.attempt.task.task_id: row.attempt for row in found.state().rows}
    assert {name: attempt.step_count for name, attempt in rows.items()} == {"cake": 2, "pie": 2, "tart": 1}
    assert rows["pie"].pk == first.rows[1].attempt.pk
    assert found.state().revision > first.revision


def test_nothing_new_is_no_news(runs: Path, tmp_path: Path) -> None:
    found = collected(runs, tmp_path)
    before = found.state().revision

    found.update()

    assert found.state().revision == before


def test_a_file_that_is_being_written_keeps_what_was_read_of_it(runs: Path, tmp_path: Path) -> None:
    found = collected(runs, tmp_path)

    (runs / "pie" / "history.json").write_bytes(history("no", "more")[:50])
    found.update()

    assert names(found) == ["cake/history.json", "pie/history.json"]
    assert problems(found) == []


def test_a_half_written_last_line_is_no_error(tmp_path: Path) -> None:
    line = json.dumps({"instance_id": "cake", **json.loads(history("ok"))}).encode()
    runs = put(
        tmp_path / "runs", {"output.jsonl": line + b"\n" + line.replace(b"cake", b"pie") + b"\n" + line[:40]}
    )

    found = collected(runs, tmp_path)

    assert len(names(found)) == 2
    assert problems(found) == []


def test_an_attempt_whose_file_is_gone_is_gone(runs: Path, tmp_path: Path) -> None:
    found = collected(runs, tmp_path)
    key = found.state().rows[0].attempt.pk

    shutil.rmtree(runs / "cake")
    found.update()

    assert names(found) == ["pie/history.json"]
    assert found.view(key) is None


def test_a_file_of_several_attempts_gives_each(tmp_path: Path) -> None:
    lines = [json.dumps({"task_id": name, **json.loads(history("ok"))}) for name in ("cake", "pie")]
    runs = put(tmp_path / "runs", {"all.jsonl": "\n".join(lines).encode()})

    rows = collected(runs, tmp_path).state().rows

    assert [(row.attempt.task.task_id, row.attempt.sample) for row in rows] == [
        ("cake", "line 1"),
        ("pie", "line 2"),
    ]


def test_an_agents_attempts_at_one_task_are_numbered(tmp_path: Path) -> None:
    step = {"step_id": 1, "source": "agent", "message": "Done."}
    agent = {"name": "chef", "version": "1", "model_name": "m"}
    document = {"schema_version": "ATIF-v1.4", "session_id": "s", "agent": agent, "steps": [step]}
    data = json.dumps({**document, "task_id": "cake"}).encode()
    runs = put(tmp_path / "runs", {"one/a.json": data, "two/a.json": data})

    found = collected(runs, tmp_path)

    assert [(row.attempt.task.task_id, row.attempt.number) for row in found.state().rows] == [
        ("cake", 1),
        ("cake", 2),
    ]
    viewed = found.view(found.state().rows[1].attempt.pk)
    assert isinstance(viewed, Viewed)
    assert viewed.attempt.number == 2


def test_several_files_that_are_one_attempt_are_packed_into_one_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = put(tmp_path / "runs", {"trial/main.json": history("ok"), "trial/more.json": b"{}"})
    group = bundles.Group("trial", ("trial/main.json", "trial/more.json"))
    monkeypatch.setattr(formats, "group_files", lambda files: [group])

    (source,) = find_sources([Root("runs", runs)]).sources.values()

    assert (source.name, source.label) == ("trial/main.json", "trial")
    packed = bundles.pack({"main.json": history("ok"), "more.json": b"{}"})
    assert Reader(Tasks(), LIMIT).data(source) == packed


def test_a_job_of_harbors_is_its_trials_and_nothing_else(tmp_path: Path) -> None:
    found = collected(put(tmp_path / "runs", job()), tmp_path)

    assert [row.attempt.task.task_id for row in found.state().rows] == ["amos", "cet", "cet", "conv_graph"]
    assert problems(found) == []


def test_an_archive_is_unpacked_into_the_temporary_folder(runs: Path, tmp_path: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", runs))

    roots, left_out = open_roots([archive], tmp_path / "temporary")

    assert left_out == []
    assert list(find_sources(roots).sources) == ["cake/history.json", "pie/history.json"]
    assert roots[0].path.is_relative_to(tmp_path / "temporary")


def test_two_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    one = put(tmp_path / "a" / "out", {"cake/history.json": history("ok")})
    other = put(tmp_path / "b" / "out", {"cake/history.json": history("ok")})

    roots, _left_out = open_roots([one, other], tmp_path)

    assert list(find_sources(roots).sources) == ["out/cake/history.json", "out (2)/cake/history.json"]


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json: there is no such file or folder"):
        open_roots([tmp_path / "nowhere.json"], tmp_path)


def test_scores_beside_a_trajectory_are_those_of_its_tool(runs: Path, tmp_path: Path) -> None:
    put(runs, {"cake/metrics.json": b'{"f1": 0.5, "unknown": null}', "pie/metrics.json": b"[]"})

    rows = collected(runs, tmp_path).state().rows

    assert [row.attempt.rewards for row in rows] == [[["f1", "0.5"]], []]


TASK = {"task_id": "cake", "query": "q", "answer": '{"f1": 1}', "landmarks": ["loss: \\d+"]}


def test_known_tasks_are_scored_and_have_landmarks(runs: Path, tmp_path: Path) -> None:
    failed = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'cake'"
    put(runs, {"cake/history.json": history("loss: 3", failed, answer={"f1": 1})})
    tasks = put(tmp_path, {"tasks.jsonl": json.dumps(TASK).encode()}) / "tasks.jsonl"

    found = collected(runs, tmp_path, tasks=read_task_file(tasks))

    cake, pie = found.state().rows
    assert (cake.value, pie.value) == (1.0, None)
    assert cake.attempt.finding == ""
    viewed = found.view(cake.attempt.pk)
    assert isinstance(viewed, Viewed)
    assert [(number, result.status, pattern) for result, number, pattern in viewed.landmarks] == [
        (1, "hit", "loss: \\d+")
    ]
    assert viewed.diagnosis.is_solved


@pytest.mark.parametrize("name", ["benchmark.json", "tasks.jsonl"])
def test_a_benchmarks_file_and_the_tasks_beside_it_are_one(name: str) -> None:
    tasks = read_task_file(ROOT / "fixtures" / "warmup" / name)

    assert tasks.scoring.scorers
    assert len(tasks.by_id) == 6


def test_a_file_that_is_neither_tasks_nor_a_benchmark_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"tasks.jsonl": b'{"name": "cake"}'})

    with pytest.raises(InputError, match="no task_id"):
        read_task_file(tmp_path / "tasks.jsonl")
