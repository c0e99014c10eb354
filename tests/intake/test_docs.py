"""docs/submitting.md says what the code does."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

from django.conf import LazySettings

from leaderboard.intake.check import check_folder
from leaderboard.intake.description import entry_schema, read_description
from leaderboard.intake.destination import MEGABYTE, ArchiveLimits
from tests.intake.folders import KNOWN_TASKS, found_in, write, write_file
from tests.repository.files import ROOT

TEXT = (ROOT / "docs/submitting.md").read_text()


def test_the_example_of_entry_yaml_is_one(tmp_path: Path) -> None:
    block = re.search(r"\n\n((?:    .*\n)*    benchmark:(?:.*\n)(?:    .*\n)+)", TEXT)
    assert block is not None
    write_file(tmp_path, "entry.yaml", textwrap.dedent(block[1]))

    assert read_description(tmp_path / "entry.yaml", name="entry.yaml").missing == ()


def test_every_key_of_entry_yaml_is_described() -> None:
    keys = entry_schema()["properties"]

    assert [key for key in keys if not re.search(rf"^\|[^|]*`{key}`", TEXT, flags=re.MULTILINE)] == []


def test_the_report_has_the_keys_that_are_described(tmp_path: Path) -> None:
    report = check_folder(write(tmp_path, "cet.json"), name="x", known_tasks=KNOWN_TASKS).as_data()

    keys = {*report, *report["totals"], *report["files"][0]}
    described = TEXT.partition("## The report as JSON")[2].partition("\n## ")[0]

    assert {key for key in keys if f"`{key}`" not in described} == set()


def test_every_layout_that_is_described_is_understood(tmp_path: Path) -> None:
    table = TEXT.partition("| layout | |")[2].partition("\n\n")[0]
    names = [name for name in re.findall(r"`([\w./-]+)`", table) if "amrbart" in name]
    write(tmp_path, *(f"{n}/{name}".replace("amrbart_data", "cet_data") for n, name in enumerate(names)))

    for folder in tmp_path.iterdir():
        assert [attempt.task_id for attempt in found_in(folder).attempts] == ["cet_data"]


def test_the_settings_defaults_are_those_of_the_limits(settings: LazySettings) -> None:
    limits = ArchiveLimits()

    assert limits.files == settings.SUPERBOARD_MAX_UPLOAD_FILES
    assert limits.total_bytes == settings.SUPERBOARD_MAX_UPLOAD_UNPACKED_MB * MEGABYTE
    assert limits.file_bytes == settings.SUPERBOARD_MAX_UPLOAD_FILE_MB * MEGABYTE
    assert limits.ratio == settings.SUPERBOARD_MAX_UPLOAD_RATIO
    assert limits.depth == settings.SUPERBOARD_MAX_UPLOAD_DEPTH
    assert json.dumps(limits.ratio) in TEXT
