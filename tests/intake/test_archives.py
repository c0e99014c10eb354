"""Archives are unpacked, told by content; what can't be is refused whole, and leaves nothing."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest
from backports import zstd
from backports.zstd import zipfile as zstd_zipfile

from leaderboard.intake.archives import unpack
from tests.intake.archives import CONTENT, STORED, ZSTD, Zip, file, files_in, tar
from tests.intake.conftest import Refused, Unpacker

PLAIN_TAR = tar(file("cet/history.json"), file("amos/history.json", CONTENT * 5_000))
ARCHIVES = {
    "deflate": Zip().add("cet/history.json").add("amos/history.json").end(),
    "stored": Zip().add("cet/history.json", method=STORED).add("amos/history.json", method=STORED).end(),
    "zstd": Zip().add("cet/history.json", method=ZSTD).add("amos/history.json", method=ZSTD).end(),
    "tar": PLAIN_TAR,
    "tar.gz": gzip.compress(PLAIN_TAR, mtime=0),
    "tar.xz": lzma.compress(PLAIN_TAR),
    "tar.zst": zstd.compress(PLAIN_TAR),
}


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_is_told_by_its_content_whatever_its_name(data: bytes, unpacked: Unpacker) -> None:
    assert unpacked(data, name="results.bin") == []

    assert files_in(unpacked.into) == ["amos/history.json", "cet/history.json"]
    assert (unpacked.into / "cet/history.json").read_bytes() == CONTENT


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zstd_zipfile.ZIP_ZSTANDARD])
def test_what_zipfile_writes_is_read(method: int, unpacked: Unpacker) -> None:
    content = CONTENT * 40_000
    target = io.BytesIO()
    with zstd_zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("cet/", "")
        with archive.open("cet/history.json", "w", force_zip64=True) as entry:
            entry.write(content)

    unpacked(target.getvalue())

    assert (unpacked.into / "cet/history.json").read_bytes() == content


@pytest.mark.parametrize("kind", ARCHIVES)
@pytest.mark.parametrize("tenths", range(10))
def test_one_cut_off_anywhere_is_refused(kind: str, tenths: int, refused: Refused) -> None:
    data = ARCHIVES[kind][: len(ARCHIVES[kind]) * tenths // 10]

    problem = refused(data)

    assert problem.file == "results.zip"
    assert problem.reason
    assert problem.remedy


def test_a_tar_without_its_end_was_cut_off(refused: Refused) -> None:
    content = PLAIN_TAR.rstrip(b"\0")

    assert "cut off" in refused(content + bytes(-len(content) % 512)).reason


def test_an_encrypted_zip_is_refused(refused: Refused) -> None:
    problem = refused(Zip().add("cet/history.json").add("amos/history.json", flags=1).end())

    assert str(problem) == "results.zip, amos/history.json: it is encrypted (pack without a password)"


@pytest.mark.parametrize("start", [2**62, 2**63, 2**64 - 1])
def test_content_said_to_lie_beyond_all_files_is_refused(start: int, refused: Refused) -> None:
    problem = refused(Zip().add("cet.json").end_with_start(start))

    assert str(problem).startswith("results.zip, cet.json: its content is not where the directory says")


def test_damaged_content_is_refused_with_its_name(refused: Refused) -> None:
    problem = refused(Zip().add("cet/history.json", crc=1).end())

    assert problem.place == "cet/history.json"
    assert "not what was packed" in problem.reason


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"some notes", "neither an archive nor a result file"),
        (b"BZh91AY", "bzip2 archives are not supported"),
        (b"Rar!\x1a\x07", "RAR archives are not supported"),
        (b"7z\xbc\xaf\x27\x1c", "7z archives are not supported"),
        (gzip.compress(CONTENT, mtime=0), "cut off or is damaged"),
        (b"PK\5\6" + bytes(18), ""),
    ],
)
def test_what_is_no_archive_is_refused(data: bytes, words: str, unpacked: Unpacker, refused: Refused) -> None:
    if not words:
        assert unpacked(data) == [], "an empty zip has nothing in it"
        return
    assert words in refused(data).reason


@pytest.mark.parametrize("name", ["cet.json", "folder/cet.json", "C:\\runs\\cet.json"])
def test_a_single_result_file_is_put_in_as_it_is(name: str, unpacked: Unpacker) -> None:
    unpacked(CONTENT, name=name)

    assert files_in(unpacked.into) == ["cet.json"]


def test_an_inspect_log_stays_packed(unpacked: Unpacker) -> None:
    log = Zip().add("header.json").add("samples/cet_epoch_1.json", method=ZSTD).end()

    unpacked(log, name="2026-01-01.eval")

    assert (unpacked.into / "2026-01-01.eval").read_bytes() == log


def test_an_archive_inside_stays_packed(unpacked: Unpacker) -> None:
    inner = Zip().add("deep.zip", Zip().add("../../escape").end()).end()

    unpacked(Zip().add("inner.zip", inner).end())

    assert files_in(unpacked.into) == ["inner.zip"]


def test_what_systems_leave_behind_is_passed_over_without_a_word(unpacked: Unpacker) -> None:
    data = Zip().add("cet/history.json")
    for name in ("__MACOSX/cet/._history.json", "cet/.DS_Store", "Thumbs.db", ".git/config", ".git/../../x"):
        data.add(name)

    assert unpacked(data.end()) == []
    assert files_in(unpacked.into) == ["cet/history.json"]


def test_progress_ends_with_all_bytes(tmp_path: Path) -> None:
    archive = tmp_path / "results.tar.gz"
    archive.write_bytes(ARCHIVES["tar.gz"])
    told: list[tuple[int, int]] = []

    unpack(
        archive, tmp_path / "into", name="results", on_progress=lambda done, total: told.append((done, total))
    )

    assert told[-1] == (archive.stat().st_size,) * 2


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "results.zip"
    archive.write_bytes(ARCHIVES["deflate"])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("leaderboard.intake.destination.Destination._write", full)

    with pytest.raises(OSError, match="No space"):
        unpack(archive, tmp_path / "into", name="results.zip")
    assert not (tmp_path / "into").exists()
