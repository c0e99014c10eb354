"""Several entries in one archive, sent by the client: each is followed, reported and published."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.models import Entry, Upload
from tests.cast import MODEL
from tests.client.commands import results, superboard
from tests.intake.folders import write_file

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("token")]
SAID = ("--no-validate", "--set", "super/masked", "--model", MODEL)


def two_entries(folder: Path, **files: bytes) -> Path:
    for agent in ("A", "B"):
        write_file(results(folder / agent, "pet", **files), "entry.yaml", f"agent: {agent}\n")
    return folder


def test_each_entry_is_published(site: str, tmp_path: Path) -> None:
    called = superboard("submit", two_entries(tmp_path / "run"), *SAID, "--publish")

    entries = Entry.objects.order_by("agent__name")
    assert called.code == 0
    assert [(entry.agent.name, entry.state) for entry in entries] == [("A", "published"), ("B", "published")]
    assert all(f"Published: {site}{entry.get_absolute_url()}" in called.err for entry in entries)
    assert [part.summary["attempts"] for part in Upload.objects.exclude(parent=None)] == [1, 1]


def test_one_that_has_errors_is_not_published_and_the_other_is(site: str, tmp_path: Path) -> None:
    folder = two_entries(tmp_path / "run")
    write_file(folder, "B/cet/history.json", b"{")

    called = superboard("submit", folder, *SAID, "--publish", "--json")

    assert (called.code, called.data["exit"]) == (1, 1)
    told = {part["upload"]["part"]: part["upload"]["entry_state"] for part in called.data["parts"]}
    assert told == {"A": "draft", "B": "draft"}
    assert [("entry" in part) for part in called.data["parts"]] == [True, False]
    assert Entry.objects.filter(state="published").get().agent.name == "A"


def test_status_shows_them(site: str, tmp_path: Path) -> None:
    superboard("submit", two_entries(tmp_path / "run"), *SAID)
    upload = Upload.objects.get(parent=None)

    whole = superboard("status", str(upload.pk))
    listed = superboard("status")

    assert whole.code == 0
    assert "A is checked: 1 attempt, 0 errors" in whole.err
    assert "B is checked: 1 attempt, 0 errors" in whole.err
    assert sorted(line.split("\t")[1] for line in listed.out.splitlines()[1:]) == ["A", "B", "run.zip"]
