"""A member whose name or kind can't be a file of ours is left out, and said; the others are unpacked."""

from __future__ import annotations

import stat
import tarfile
import unicodedata

import pytest

from leaderboard.intake.destination import ArchiveLimits
from leaderboard.intake.member_names import shown
from tests.intake.archives import Zip, file, files_in, special, tar
from tests.intake.conftest import Unpacker

BAD_NAMES = {
    "../cet.json": "leads out",
    "a/../../cet.json": "leads out",
    "..\\cet.json": "leads out",
    "/etc/cet.json": "absolute",
    "\\\\server\\share\\cet.json": "absolute",
    "//server/share/cet.json": "absolute",
    "C:\\cet.json": "absolute",
    "c:cet.json": "absolute",
    "CON": "device",
    "nul.json": "device",
    "a/COM1/cet.json": "device",
    "lpt9 .txt": "device",
    "COM¹.json": "device",
    "x" * 251 + ".json": "more than 255 bytes",
    "ü" * 126 + ".json": "more than 255 bytes",
    "/".join(["long" * 50] * 21): "more than 4,096 bytes",
    "/".join("abcdefghijk"): "SUPERBOARD_MAX_UPLOAD_DEPTH",
    "cet\n.json": "invisible",
    "cet\x1b[2J.json": "invisible",
    "cet\u202enosj.json": "invisible",
    "cet\u200b.json": "invisible",
    ".": "no name",
}


@pytest.mark.parametrize("packed", ["zip", "tar"])
@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_left_out(name: str, packed: str, unpacked: Unpacker) -> None:
    data = Zip().add("ok.json").add(name).end() if packed == "zip" else tar(file("ok.json"), file(name))

    problems = unpacked(data, limits=ArchiveLimits(depth=10))

    assert [problem.file for problem in problems] == [shown(name)] if name != "." else True
    assert BAD_NAMES[name] in problems[0].reason
    assert files_in(unpacked.into) == ["ok.json"]


@pytest.mark.parametrize(
    "name", ["a.b/c-d_e/cet (2).json", "日本/été.json", "console.json", "./a//b.json", "a\\b.json"]
)
def test_an_ordinary_name_is_taken(name: str, unpacked: Unpacker) -> None:
    assert unpacked(Zip().add(name).end()) == []


def test_a_name_that_is_not_utf_8_is_left_out_of_a_tar(unpacked: Unpacker) -> None:
    problems = unpacked(tar(file("caf\udce9.json"), file("ok.json"), form=tarfile.GNU_FORMAT))

    assert problems[0].file == "caf\\udce9.json"
    assert "can't be decoded" in problems[0].reason
    assert files_in(unpacked.into) == ["ok.json"]


def test_a_zip_that_lies_about_utf_8_loses_that_member_only(unpacked: Unpacker) -> None:
    problems = unpacked(Zip().add(b"caf\xe9.json").add("ok.json").end())

    assert "can't be decoded" in problems[0].reason
    assert files_in(unpacked.into) == ["ok.json"]


def test_a_name_with_the_mark_for_lost_characters_is_taken(unpacked: Unpacker) -> None:
    assert unpacked(Zip().add("caf\ufffd.json").end()) == []


@pytest.mark.parametrize(("raw", "name"), [("é.json".encode(), "é.json"), (b"\x82.json", "é.json")])
def test_without_a_word_utf_8_goes_before_code_page_437(raw: bytes, name: str, unpacked: Unpacker) -> None:
    unpacked(Zip().add(raw, flags=0).end())

    assert files_in(unpacked.into) == [name]


@pytest.mark.parametrize(
    "twins",
    [
        ("cet.json", "CET.json"),
        ("Run/a.json", "run/b.json"),
        (unicodedata.normalize("NFC", "é.json"), unicodedata.normalize("NFD", "é.json")),
        ("straße.json", "STRASSE.json"),
    ],
)
def test_of_two_names_that_some_systems_take_for_one_the_first_is_kept(
    twins: tuple[str, str], unpacked: Unpacker
) -> None:
    problems = unpacked(Zip().add(twins[0]).add(twins[1]).end())

    assert "case or accents only" in problems[0].reason
    assert files_in(unpacked.into) == [twins[0]]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("cet.json", "cet.json"), "twice"),
        (("cet", "cet/history.json"), "so it can't be a folder"),
        (("cet/history.json", "cet"), "a folder with its name"),
    ],
)
def test_names_that_exclude_each_other_are_left_out(
    names: tuple[str, str], reason: str, unpacked: Unpacker
) -> None:
    problems = unpacked(tar(*map(file, names)))

    assert reason in problems[0].reason
    assert files_in(unpacked.into) == [names[0]]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "symbolic link"),
        (tarfile.LNKTYPE, "hard link"),
        (tarfile.CHRTYPE, "neither a file nor a folder"),
        (tarfile.BLKTYPE, "neither a file nor a folder"),
        (tarfile.FIFOTYPE, "neither a file nor a folder"),
        (b"Z", "neither a file nor a folder"),
    ],
)
def test_what_is_no_file_is_left_out_of_a_tar(kind: bytes, reason: str, unpacked: Unpacker) -> None:
    problems = unpacked(tar(file("ok.json"), special("cet.json", kind, "ok.json"), file("cet.json/x")))

    assert reason in problems[0].reason
    assert "cet.json" not in files_in(unpacked.into)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_what_is_no_file_is_left_out_of_a_zip(kind: int, unpacked: Unpacker) -> None:
    problems = unpacked(Zip().add("ok.json").add("cet.json", b"/etc/passwd", mode=kind | 0o777).end())

    assert [problem.file for problem in problems] == ["cet.json"]
    assert files_in(unpacked.into) == ["ok.json"]


def test_a_method_that_is_not_read_is_left_out(unpacked: Unpacker) -> None:
    problems = unpacked(Zip().add("ok.json").add("cet.json", method=12).end())

    assert "other than deflate and zstd" in problems[0].reason


def test_thousands_of_bad_members_make_hundreds_of_problems(unpacked: Unpacker) -> None:
    data = Zip()
    for n in range(2_000):
        data.add(f"../{n}.json")

    problems = unpacked(data.end())

    assert len(problems) == 501
    assert "1,500 more members" in problems[-1].reason
