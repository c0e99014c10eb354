"""No archive, however it was made, takes memory or disk beyond the limits; each limit says its setting."""

from __future__ import annotations

import gzip
import lzma
import struct
import tarfile
import zlib
from collections.abc import Callable

import pytest
from backports import zstd

from leaderboard.formats import archives
from leaderboard.intake.destination import MEGABYTE, ArchiveLimits
from tests.intake.archives import DEFLATE, ZSTD, Zip, file, files_in, pack, sparse, tar
from tests.intake.conftest import Refused, Unpacker

SMALL = ArchiveLimits(
    files=100, total_bytes=8 * MEGABYTE, file_bytes=4 * MEGABYTE, ratio=20, ratio_from=MEGABYTE, depth=5
)
ZEROS = bytes(3 * MEGABYTE)


@pytest.fixture(autouse=True)
def _little_memory(unpacked: Unpacker) -> None:
    unpacked.most_memory = 32 * MEGABYTE


@pytest.mark.parametrize("method", [DEFLATE, ZSTD])
def test_a_ratio_that_no_text_has_is_refused(method: int, refused: Refused) -> None:
    problem = refused(Zip().add("cet.json", ZEROS, method=method).end(), limits=SMALL)

    assert "20 times its size" in problem.reason
    assert "SUPERBOARD_MAX_UPLOAD_RATIO" in problem.remedy


@pytest.mark.parametrize("method", [DEFLATE, ZSTD])
def test_no_more_than_a_chunk_is_unpacked_at_once(method: int, refused: Refused, unpacked: Unpacker) -> None:
    data = Zip().add("cet.json", bytes(96 * MEGABYTE), method=method, size=3 * MEGABYTE).end()
    unpacked.most_memory = 4 * MEGABYTE

    assert "SUPERBOARD_MAX_UPLOAD_RATIO" in refused(data, limits=SMALL).remedy


def test_a_directory_is_not_read_beyond_a_limit(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_DIRECTORY", 1000)
    archive = Zip()
    for n in range(20):
        archive.add(f"{n}.json")

    assert "directory" in refused(archive.end()).reason


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd.compress])
def test_so_is_that_of_a_compressed_tar(compress: Callable[[bytes], bytes], refused: Refused) -> None:
    problem = refused(compress(tar(file("cet.json", ZEROS))), limits=SMALL)

    assert "SUPERBOARD_MAX_UPLOAD_RATIO" in problem.remedy


def test_what_a_tar_has_to_skip_counts_as_well(refused: Refused) -> None:
    data = gzip.compress(tar(*(file(f"../{n}", ZEROS) for n in range(3))))

    assert "SUPERBOARD_MAX_UPLOAD_RATIO" in refused(data, limits=SMALL).remedy


def test_more_bytes_in_all_than_the_limit_are_refused(refused: Refused) -> None:
    data = Zip()
    for n in range(4):
        data.add(f"{n}.json", ZEROS, method=0)

    problem = refused(data.end(), limits=SMALL)

    assert "more than 8 MB" in problem.reason
    assert "SUPERBOARD_MAX_UPLOAD_UNPACKED_MB" in problem.remedy


@pytest.mark.parametrize("announced", [5 * MEGABYTE, 10])
def test_a_file_that_is_too_big_is_left_out_whatever_it_announces(announced: int, unpacked: Unpacker) -> None:
    data = Zip().add("big.json", bytes(5 * MEGABYTE), method=0, size=announced).add("cet.json").end()

    problems = unpacked(data, limits=SMALL)

    assert ["SUPERBOARD_MAX_UPLOAD_FILE_MB" in problem.reason for problem in problems] == [True]
    assert files_in(unpacked.into) == ["cet.json"]


@pytest.mark.parametrize("packed", ["zip", "tar"])
def test_a_hundred_thousand_entries_are_refused(packed: str, unpacked: Unpacker, refused: Refused) -> None:
    # Measuring takes longer than unpacking here.
    unpacked.most_memory = None
    if packed == "zip":
        archive = Zip().add("cet.json")
        for n in range(100_000):
            archive.list(b"%d.json" % n, 0, 0, 0, crc=0, method=0, flags=0, mode=0)
        data = archive.end()
    else:
        header = tarfile.TarInfo("a/").tobuf()
        data = gzip.compress(header * 100_000 + bytes(1024), 1)

    problem = refused(data, limits=ArchiveLimits(ratio=10_000))

    assert "more than 20,000 files" in problem.reason
    assert "SUPERBOARD_MAX_UPLOAD_FILES" in problem.remedy


def test_folders_that_are_made_for_files_count_as_well(refused: Refused) -> None:
    archive = Zip()
    for n in range(30):
        archive.add(f"{n}/a/b/c/cet.json")

    assert "more than 100 files and folders" in refused(archive.end(), limits=SMALL).reason


def test_overlapping_entries_are_refused(refused: Refused) -> None:
    kernel = pack(ZEROS, DEFLATE)
    archive = Zip().add("0.json", ZEROS)
    for n in range(1, 50):
        archive.list(
            b"%d.json" % n, 0, len(kernel), len(ZEROS), crc=zlib.crc32(ZEROS), method=DEFLATE, flags=0, mode=0
        )

    assert "overlaps" in refused(archive.end(), limits=SMALL).reason


def test_entries_that_quote_the_next_ones_header_are_refused(refused: Refused) -> None:
    archive = Zip().add("1.json", ZEROS)
    inner = bytes(archive.data)
    # A stored block of deflate that holds the header of the member after it.
    quoted = struct.pack("<BHH", 0, len(inner) & 0xFFFF, ~len(inner) & 0xFFFF) + inner
    outer = Zip()
    outer.data += struct.pack("<4s5H3L2H", b"PK\3\4", 45, 0, DEFLATE, 0, 0, 0, len(quoted), 9, 6, 0)
    outer.data += b"0.json" + quoted
    outer.list(b"0.json", 0, len(quoted), 9, crc=0, method=DEFLATE, flags=0, mode=0)
    outer.list(b"1.json", 36 + 5, len(inner) - 36, 9, crc=0, method=DEFLATE, flags=0, mode=0)

    assert "overlaps" in refused(outer.end(), limits=SMALL).reason


def test_a_zip_within_zips_is_not_unpacked(unpacked: Unpacker) -> None:
    layer = Zip().add("0.json", ZEROS).end()
    for depth in range(5):
        archive = Zip()
        for n in range(16):
            archive.add(f"{depth}-{n}.zip", layer)
        layer = archive.end()

    unpacked(layer, limits=SMALL)

    assert files_in(unpacked.into) == sorted(f"4-{n}.zip" for n in range(16))


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_tar_header_without_end_is_refused(kind: bytes, refused: Refused) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, 200 * MEGABYTE
    data = zstd.compress(info.tobuf(tarfile.GNU_FORMAT) + b"a" * (2 * MEGABYTE))

    assert "damaged" in refused(data).reason


def test_headers_upon_headers_are_refused(refused: Refused) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 2
    data = (info.tobuf(tarfile.GNU_FORMAT) + b"a\0" + bytes(510)) * 5_000

    assert "damaged" in refused(gzip.compress(data)).reason


def test_a_sparse_file_counts_by_its_real_size(unpacked: Unpacker) -> None:
    data = sparse("cet.json", [(0, b"{"), (3 * MEGABYTE, b"}")], 3 * MEGABYTE + 1)

    unpacked(data, limits=ArchiveLimits())

    assert (unpacked.into / "cet.json").stat().st_size == 3 * MEGABYTE + 1


def test_a_sparse_file_beyond_the_limit_is_left_out(unpacked: Unpacker) -> None:
    problems = unpacked(sparse("cet.json", [(0, b"{")], 1 << 32), limits=SMALL)

    assert "SUPERBOARD_MAX_UPLOAD_FILE_MB" in problems[0].reason


def test_many_holes_are_refused_as_a_bomb(refused: Refused) -> None:
    problem = refused(sparse("cet.json", [(0, b"{")], 3 * MEGABYTE), limits=SMALL)

    assert "SUPERBOARD_MAX_UPLOAD_RATIO" in problem.remedy


@pytest.mark.parametrize("parts", [[(10, b"ab"), (0, b"cd")], [(0, b"a" * 600), (0, b"b" * 600)]])
def test_a_sparse_map_that_leads_back_is_left_out(parts: list[tuple[int, bytes]], unpacked: Unpacker) -> None:
    problems = unpacked(sparse("cet.json", parts, 2000))

    assert "map is damaged" in problems[0].reason


def test_a_log_that_compresses_well_is_fine(unpacked: Unpacker) -> None:
    assert unpacked(Zip().add("cet.json", bytes(20 * MEGABYTE)).end()) == []
