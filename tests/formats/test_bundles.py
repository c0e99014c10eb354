"""Several files of a folder that are one attempt."""

import io
from types import SimpleNamespace
from zipfile import ZIP_STORED, ZipFile

from leaderboard.formats.bundles import Group, group_files, pack


def test_a_bundle_keeps_every_file_byte_for_byte() -> None:
    files = {"events/event-00000.json": b"{}\r\n", "base_state.json": b"\xff"}
    with ZipFile(io.BytesIO(pack(files))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
        assert {entry.compress_type for entry in archive.infolist()} == {ZIP_STORED}


def test_the_same_files_give_the_same_bytes_in_any_order() -> None:
    assert pack({"a": b"1", "b": b"2"}) == pack({"b": b"2", "a": b"1"})


def test_no_file_is_in_two_groups() -> None:
    def one_group(names: list[str]) -> list[Group]:
        return [Group("run", tuple(names))] if names else []

    modules = [SimpleNamespace(group=one_group), SimpleNamespace(), SimpleNamespace(group=one_group)]
    assert group_files(["run/a", "run/b"], modules) == [Group("run", ("run/a", "run/b"))]
