"""manage.py import_run."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from leaderboard.domain.entries import Provenance
from leaderboard.models import Attempt, Entry
from tests.cast import CET, PET, add_attempt, all_rows, history, make_set, metrics

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("task_set")]


@pytest.fixture
def task_set() -> None:
    make_set(PET, CET)


def run(folder: Path, *more: str, agent: str = "Solver") -> str:
    out = io.StringIO()
    options = ["--set", "masked", "--agent", agent, "--model", "gpt-4o", "--workers", "1", *more]
    call_command("import_run", str(folder), *options, stdout=out)
    return out.getvalue()


def test_it_counts_what_it_did(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history())
    add_attempt(tmp_path, "cet", metrics=metrics(1))

    assert run(tmp_path) == "2 added, 0 changed, 0 unchanged, 0 not imported\n"
    assert run(tmp_path) == "0 added, 0 changed, 2 unchanged, 0 not imported\n"
    assert str(Entry.objects.get()) == "Solver · gpt-4o on Masked"


def test_what_entry_yaml_says_is_on_the_entry_and_a_changed_one_is_taken_up(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1))
    said = "model: gpt-4o\nmodel_openness: {}\ncode: https://example.org/code\nreleased: 2026-04-01\n"
    for openness in ("api-only", "open-weights"):
        (tmp_path / "entry.yaml").write_text(said.format(openness))
        run(tmp_path)

        entry = Entry.objects.get()
        told = (entry.model_openness, entry.code, str(entry.released))
        assert told == (openness, "https://example.org/code", "2026-04-01")
    before = all_rows()

    run(tmp_path)
    assert all_rows() == before


def test_an_import_leaves_what_a_team_says_of_its_entry(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1))
    run(tmp_path)
    Entry.objects.update(provenance=Provenance.SUBMITTED)
    (tmp_path / "entry.yaml").write_text("model_openness: open-weights\n")

    run(tmp_path)
    assert Entry.objects.get().model_openness == ""


def test_an_entry_yaml_of_another_entry_is_refused_and_nothing_is_imported(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1))
    (tmp_path / "entry.yaml").write_text("agent: Another\n")

    with pytest.raises(CommandError, match=r"\$.agent: it is “Another”, but the import is for “Solver”"):
        run(tmp_path)
    assert not Entry.objects.exists()


def test_progress_is_shown_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    add_attempt(tmp_path / "my-run", "pet", metrics=metrics(1))

    run(tmp_path / "my-run")

    said = capsys.readouterr().err
    assert "my-run" in said
    assert "1/1" in said


def test_a_bad_file_is_listed_the_rest_imported_and_the_status_is_1(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=b"{")
    add_attempt(tmp_path, "cet", metrics=metrics(1))
    add_attempt(tmp_path, "stranger", metrics=metrics(1))
    out, err = io.StringIO(), io.StringIO()
    options = ["--set", "masked", "--agent", "Solver", "--model", "gpt-4o"]

    with pytest.raises(CommandError, match=r"^2 not imported; the reasons are above$") as caught:
        call_command("import_run", str(tmp_path), *options, stdout=out, stderr=err)

    assert caught.value.returncode == 1
    assert out.getvalue() == "1 added, 0 changed, 0 unchanged, 2 not imported\n"
    assert [line.split(":")[0] for line in err.getvalue().splitlines()] == [
        "pet/history.json, line 1, column 2",
        "stranger",
    ]
    assert Attempt.objects.get().task.task_id == "cet"


def test_a_number_makes_it_another_try(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1))
    run(tmp_path)

    run(tmp_path, "--attempt", "2")

    assert list(Attempt.objects.values_list("number", flat=True)) == [1, 2]


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--attempt", "0", "a whole number from 1 to 32767"),
        ("--attempt", "two", "a whole number from 1 to 32767"),
        ("--workers", "32768", "a whole number from 1 to 32767"),
        ("--agent", "x" * 101, "a name has 1 to 100 characters"),
    ],
)
def test_an_option_out_of_range_is_refused(option: str, value: str, says: str, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(1))
    before = all_rows()

    with pytest.raises(CommandError, match=f"argument {option}: {says}"):
        run(tmp_path, option, value)

    assert all_rows() == before


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nowhere: there is no such folder"):
        run(tmp_path / "nowhere")


def test_an_unknown_set_lists_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=r"“lost” is not a task set \(task sets: super/masked, super/expert\)"
    ):
        run(tmp_path, "--set", "lost")
