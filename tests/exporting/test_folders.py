"""Where a copy is put: nothing else is overwritten, and no half of a copy is seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leaderboard.exporting.folders import MARKER, FolderError, whole_copy


def make_copy(place: Path, text: str = "new", *, replace: bool = False) -> None:
    with whole_copy(place, replace=replace) as folder:
        (folder / "index.html").write_text(text)


def test_a_copy_is_put_in_a_new_or_empty_folder_and_everybody_may_read_it(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    # As the site's own files are made.
    before = os.umask(0o077)
    try:
        for place in (tmp_path / "new" / "folder", tmp_path / "empty"):
            make_copy(place)
    finally:
        os.umask(before)

    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o755
    for place in (tmp_path / "new" / "folder", tmp_path / "empty"):
        assert sorted(path.name for path in place.iterdir()) == [MARKER, "index.html"]
        assert place.stat().st_mode & 0o777 == 0o755
        assert (place / "index.html").stat().st_mode & 0o777 == 0o644


def test_only_a_copy_is_replaced_and_only_if_asked_to(tmp_path: Path) -> None:
    place = tmp_path / "copy"
    with whole_copy(place, replace=False) as folder:
        (folder / "index.html").write_text("old")
        (folder / "gone.html").touch()

    with pytest.raises(FolderError, match="--replace"):
        make_copy(place)
    assert (place / "index.html").read_text() == "old"
    make_copy(place, replace=True)

    assert sorted(path.name for path in place.iterdir()) == [MARKER, "index.html"]
    assert (place / "index.html").read_text() == "new"


def test_a_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()

    with pytest.raises(FolderError, match=r"no \.superboard-copy"):
        make_copy(tmp_path, replace=True)
    with pytest.raises(FolderError, match="is a file"):
        make_copy(tmp_path / "thesis.txt", replace=True)

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_copy_with_something_of_others_beside_it_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "copy"
    make_copy(place, "old")
    (place / ".git").mkdir()

    with pytest.raises(FolderError, match=r"not of the copy: \.git\. Move it away"):
        make_copy(place, replace=True)

    assert sorted(path.name for path in place.iterdir()) == [".git", MARKER, "index.html"]
    assert (place / "index.html").read_text() == "old"


def test_a_copy_that_can_not_be_moved_into_place_leaves_the_former_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "copy"
    make_copy(place, "old")
    rename = Path.rename

    def stopped(path: Path, to: Path) -> Path:
        if path.name == "copy" and path != place:
            raise SystemExit(1)
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(SystemExit):
        make_copy(place, replace=True)

    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    assert (place / "index.html").read_text() == "old"


def test_a_copy_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    place = tmp_path / "copy"
    make_copy(place, "old")

    def make_half() -> None:
        with whole_copy(place, replace=True) as folder:
            (folder / "index.html").write_text("half")
            raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        make_half()

    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    assert (place / "index.html").read_text() == "old"
