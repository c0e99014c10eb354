"""`superboard board` and `download` against a site that answers for real; nobody needs a token for them."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.client.download import safe_name
from leaderboard.models import Attempt, AttemptFile
from tests.cast import PET, RIVAL, attempt_at, make_set, report
from tests.client.commands import superboard

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def attempt(site: str, tmp_path: Path) -> Attempt:
    task_set = make_set(PET)
    report(task_set, RIVAL, {"pet": 0.25})
    return attempt_at(task_set, tmp_path)


@pytest.mark.usefixtures("attempt")
def test_a_board_is_a_table_with_tabs_where_nobody_watches() -> None:
    for name in ((), ("masked",), ("super/masked",)):
        called = superboard("board", *name)
        lines = [line.split("\t") for line in called.out.splitlines()]
        assert called.code == 0
        assert [[*line[:3], line[-1]] for line in lines] == [
            ["rank", "agent", "model", "entry"],
            ["1", "Solver", "gpt-4o", "solver-gpt-4o-masked"],
            ["2", RIVAL, "gpt-4o", "rival-gpt-4o-masked"],
        ]
        assert [line[-3] for line in lines] == ["evidence", "trajectories", "accepted"]
        assert all(line[-2].startswith("imported by an operator") for line in lines[1:])
    data = superboard("board", "--sort", "agent", "--json").data
    assert (data["exit"], data["items"][0]["agent"]) == (0, RIVAL)
    past = superboard("board", "--at", "2020-01-01", "--coverage", "attempted", "--json").data
    assert (past["at"], past["coverage"], past["items"]) == ("2020-01-01", "attempted", [])
    steps = superboard("board", "--column", "steps", "--sort=-steps").out.splitlines()
    at = steps[0].split("\t").index("steps")
    assert [line.split("\t")[at] for line in steps[1:]] == ["2", ""]


@pytest.mark.usefixtures("attempt")
def test_a_board_that_there_is_not_is_answered_with_those_there_are() -> None:
    called = superboard("board", "super/none")

    assert called.code == 2
    assert "super/masked, super/expert" in called.err
    assert superboard("board", "--sort", "speed").code == 3


@pytest.mark.usefixtures("site")
def test_names_that_hold_a_terminals_codes_are_shown_harmless() -> None:
    report(make_set(PET), "\x1b[31m[red]evil[/red]", {"pet": 1.0})

    assert "\x1b" not in superboard("board").out


def test_files_of_an_attempt_or_of_an_entry_come_whole(attempt: Attempt, tmp_path: Path) -> None:
    stored = AttemptFile.objects.get(attempt=attempt, kind="original")
    for n, what in enumerate((str(attempt.pk), attempt.entry.slug, attempt.entry.get_absolute_url())):
        called = superboard("download", what, "-o", tmp_path / str(n), "--json")
        (file,) = (Path(name) for name in called.data["files"])
        assert file == tmp_path / str(n) / "pet" / "1" / "pet-Solver-gpt-4o.json"
        assert hashlib.sha256(file.read_bytes()).hexdigest() == stored.blob
    output = AttemptFile.objects.get(attempt=attempt, kind="html")
    AttemptFile.objects.filter(pk=output.pk).update(kind="output", step=3, name="history.step-3.txt")
    (long,) = superboard("download", str(attempt.pk), "--kind", "output", "-o", tmp_path, "--json").data[
        "files"
    ]
    assert hashlib.sha256(Path(long).read_bytes()).hexdigest() == output.blob
    (notebook,) = superboard(
        "download", attempt.pk.__str__(), "--kind", "notebook", "-o", tmp_path, "--json"
    ).data["files"]
    assert notebook.endswith("pet-Solver-gpt-4o.ipynb")
    assert attempt.get_absolute_url() in Path(notebook).read_text(encoding="utf-8")


def test_archives_of_an_entry_or_a_board_come_whole(attempt: Attempt, tmp_path: Path) -> None:
    for n, (what, slugs) in enumerate(
        (
            (attempt.entry.slug, ["solver-gpt-4o-masked"]),
            (attempt.entry.get_absolute_url(), ["solver-gpt-4o-masked"]),
            ("super/masked", ["solver-gpt-4o-masked", "rival-gpt-4o-masked"]),
        )
    ):
        folder = tmp_path / str(n)
        called = superboard("download", what, "--archive", "-o", folder, "--json")
        assert called.data["files"] == [str(folder / f"{slug}-attempts.zip") for slug in slugs]
        with zipfile.ZipFile(called.data["files"][0]) as archive:
            original = archive.read(f"{slugs[0]}/pet/attempt_1/history.json")
        assert hashlib.sha256(original).hexdigest() == attempt.files.get(kind="original").blob
    assert superboard("download", str(attempt.pk), "--archive", "-o", tmp_path).code == 2


def test_an_archive_that_breaks_off_is_not_there(attempt: Attempt, tmp_path: Path) -> None:
    AttemptFile.objects.filter(kind="original").update(blob="0" * 64)
    called = superboard("download", attempt.entry.slug, "--archive", "-o", tmp_path / "out")

    assert called.code == 4
    assert [*(tmp_path / "out").iterdir()] == []


def test_a_download_waits_where_the_site_asks_it_to(
    attempt: Attempt, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SUPERBOARD_API_RATE_ANONYMOUS = 0
    waits: list[float] = []

    def wait(_server: object, seconds: float) -> None:
        waits.append(seconds)
        settings.SUPERBOARD_API_RATE_ANONYMOUS = 100

    monkeypatch.setattr("leaderboard.client.server.Server.sleep", wait)
    called = superboard("download", attempt.entry.slug, "--archive", "-o", tmp_path)

    assert (called.code, len(waits)) == (0, 1)


def test_a_file_that_does_not_arrive_whole_is_not_there(attempt: Attempt, tmp_path: Path) -> None:
    AttemptFile.objects.update(blob=AttemptFile.objects.get(kind="html").blob)
    wrong = tmp_path / "out"
    AttemptFile.objects.filter(kind="original").update(size=3)
    called = superboard("download", str(attempt.pk), "-o", wrong)

    assert called.code == 4
    assert [path for path in wrong.rglob("*") if path.is_file()] == []


def test_a_folder_that_can_not_be_written_to_is_named(attempt: Attempt, tmp_path: Path) -> None:
    (tmp_path / "pet.txt").write_text("a file")
    called = superboard("download", str(attempt.pk), "-o", tmp_path / "pet.txt" / "in")

    assert (called.code, "pet.txt" in called.err) == (2, True)


@pytest.mark.usefixtures("site")
def test_a_command_that_is_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("leaderboard.client.server.Server.request", stop)
    called = superboard("board")

    assert (called.code, "Run the same command again" in called.err) == (130, True)


@pytest.mark.usefixtures("site")
def test_what_there_is_not_is_said() -> None:
    assert superboard("download", "none").code == 3
    assert superboard("download", "999").code == 3


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("history.json", "history.json"),
        ("../../etc/passwd", "etc_passwd"),
        ("/etc/x", "etc_x"),
        ("..", "file"),
        ("con", "_con"),
        ("NUL.txt", "_NUL.txt"),
        ("a\x1b[31mb\n.json", "a_31mb_.json"),
        ("-rf", "-rf"),
        ("x" * 300, "x" * 100),
        (".bashrc", "bashrc"),
        ("ü", "file"),
    ],
)
def test_a_name_is_one_plain_file(name: str, safe: str) -> None:
    assert safe_name(name) == safe
