"""A folder as one file: the same every time, without what must not be in it."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from leaderboard.client.packing import digest_of, pack
from leaderboard.domain.errors import InputError


def packed(folder: Path, name: str = "a.zip") -> Path:
    archive = folder.parent / name
    pack(folder, archive, on_progress=lambda done, total: None)
    return archive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    for name in ("b/history.json", "a/history.json", "entry.yaml", ".git/config", "a/.DS_Store"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (folder / "link").symlink_to(folder / "a")
    return folder


def test_files_are_in_order_without_links_and_hidden_ones(folder: Path) -> None:
    with zipfile.ZipFile(packed(folder)) as archive:
        assert archive.namelist() == ["a/history.json", "b/history.json", "entry.yaml"]
        assert archive.read("a/history.json") == b"a/history.json"


def test_the_same_files_give_the_same_bytes(folder: Path) -> None:
    first = digest_of(packed(folder))
    for path in folder.rglob("*.json"):
        os.utime(path, (1, 1))
        path.chmod(0o600)

    assert digest_of(packed(folder, "b.zip")) == first


def test_progress_ends_at_all_of_it(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    pack(folder, folder.parent / "a.zip", on_progress=lambda done, total: told.append((done, total)))

    assert told[-1] == (38, 38)
    assert len(told) == 3


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(InputError, match="there is no file in it"):
        packed(tmp_path / "run")
