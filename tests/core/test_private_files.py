"""Other users of the machine read nothing of the site; tests/runner/test_demo.py looks at a whole var/."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from leaderboard.core.private_files import keep_private


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_others_could_read_is_closed_at_start_and_what_is_new_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    (folder / "bin").mkdir(parents=True)
    script, outside = folder / "bin" / "run", tmp_path / "outside"
    for path in (script, outside):
        path.touch()
    script.chmod(0o755)
    (folder / "link").symlink_to(outside)

    keep_private([folder, tmp_path / "missing"])
    (folder / "new").touch()

    assert (mode(folder), mode(script.parent), mode(script)) == (0o700, 0o700, 0o700)
    assert mode(folder / "new") == 0o600
    assert mode(outside) == 0o644


def test_a_folder_of_the_whole_machine_stays_open(tmp_path: Path) -> None:
    shared = tmp_path / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)

    keep_private([shared, Path(os.devnull)])

    assert mode(shared) == 0o1777
    assert mode(Path(os.devnull)) & 0o006 == 0o006


def test_what_cannot_be_closed_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    folder = tmp_path / "var"
    folder.mkdir()
    monkeypatch.setattr(Path, "chmod", refuse)
    with caplog.at_level(logging.WARNING):
        keep_private([folder])

    assert f"chmod -R go= {folder}" in caplog.text


def test_a_database_and_mails_in_other_folders_are_private_too(tmp_path: Path) -> None:
    database, mails, uploads = tmp_path / "data.sqlite3", tmp_path / "mails", tmp_path / "uploads"
    uploads.mkdir()
    for path in (database, mails, wal := tmp_path / "data.sqlite3-wal"):
        path.touch()
    subprocess.run(
        [sys.executable, "-c", "import leaderboard.core.settings"],
        cwd=django_settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "SUPERBOARD_VAR": str(tmp_path / "var"),
            "SUPERBOARD_UPLOADS": str(uploads),
            "DATABASE_URL": f"sqlite:///{database}",
            "EMAIL_URL": mails.as_uri(),
        },
        check=True,
    )

    assert [mode(path) for path in (database, wal, mails)] == [0o600] * 3
    assert mode(uploads) == 0o700
