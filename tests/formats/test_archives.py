"""An .eval is an untrusted zip: whatever is wrong with it is reported, and nothing it claims is trusted."""

from __future__ import annotations

import io
import struct
from typing import Any

import pytest
from backports.zstd import zipfile

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats import archives, list_samples, open_file, read
from tests.formats.frameworks import TURNS, archive, chunked_log, eval_log, inspect_sample
from tests.formats.samples import as_bytes

ENTRY = "samples/conv_graph_epoch_1.json"
LOG = eval_log(inspect_sample(*TURNS))


def refusal(data: bytes, **options: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        read(data, name="log.eval", **options)
    assert caught.value.problem.file == "log.eval"
    assert caught.value.problem.remedy
    return caught.value.problem


def log_of(content: bytes, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    return archive({"header.json": {}, ENTRY: content}, method=method)


@pytest.mark.parametrize("tenth", range(10))
def test_an_archive_cut_anywhere_is_refused(tenth: int) -> None:
    assert refusal(LOG[: max(2, len(LOG) * tenth // 10)])


def test_a_zip_of_something_else_is_no_log() -> None:
    problem = refusal(archive({"a.json": {}}))
    assert problem.reason == "not a known trajectory format: it is a zip archive"


def test_a_log_without_samples_says_so() -> None:
    assert list_samples(archive({"header.json": {}}), name="log.eval") == ()
    assert refusal(archive({"header.json": {}})).reason == "there is no sample in the file"


def test_a_changed_byte_is_found() -> None:
    data = log_of(as_bytes(inspect_sample(*TURNS)), method=zipfile.ZIP_STORED)
    problem = refusal(data.replace(b'conv_graph"', b'konv_graph"', 1))
    assert (problem.place, problem.reason) == (ENTRY, "the entry is damaged")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_damaged_compression_is_found(method: int) -> None:
    data = bytearray(log_of(as_bytes(inspect_sample(*TURNS)), method=method))
    start = data.index(ENTRY.encode()) + len(ENTRY)
    data[start + 20 : start + 40] = bytes(20)
    assert refusal(bytes(data)).reason == "the entry is damaged"


def test_an_encrypted_entry_is_refused() -> None:
    data = bytearray(log_of(b"{}"))
    central = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    flags = struct.unpack_from("<H", data, central + 8)[0]
    struct.pack_into("<H", data, central + 8, flags | 1)
    problem = refusal(bytes(data))
    assert (problem.place, problem.reason) == (ENTRY, "the entry is encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(method: int) -> None:
    assert f"method {method}" in refusal(log_of(b"{}", method=method)).reason


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    data = log_of(b'{"a": "' + b" " * 30_000_000 + b'"}')
    assert len(data) < 100_000
    assert refusal(data, max_bytes=1_000_000).reason == "the archive has more than 19 MB unpacked"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_a_sample_beyond_the_limit_is_refused(method: int) -> None:
    data = log_of(b'{"a": "' + b" " * 3_000_000 + b'"}', method=method)
    problem = refusal(data, max_bytes=1 << 20)
    assert (problem.place, problem.reason) == (
        ENTRY,
        "the sample has more than 1 MB unpacked",
    )


def test_the_chunks_of_a_sample_count_together() -> None:
    sample = inspect_sample(*TURNS, attachments=["x" * 700_000])
    sample["messages"][0]["content"] = "y" * 700_000
    assert refusal(chunked_log(sample), max_bytes=1 << 20).place.startswith("samples/conv_graph_epoch_1/")


def test_each_sample_has_the_whole_limit() -> None:
    samples = [inspect_sample(*TURNS, id=name, store={"x": "y" * 700_000}) for name in ("a", "b", "c")]
    file = open_file(eval_log(*samples), name="log.eval", max_bytes=1 << 20)
    assert all(file.read(sample.key).steps for sample in file.samples)


def test_an_entry_that_says_it_is_small_gives_no_more() -> None:
    data = bytearray(log_of(b'{"a": "' + b" " * 3_000_000 + b'"}'))
    central = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    struct.pack_into("<I", data, central + 24, 10)
    assert refusal(bytes(data)).reason == "the entry is damaged"


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRIES", 1)
    assert refusal(LOG).reason == "the archive has 3 entries, more than 1"


def test_of_two_entries_with_one_name_the_last_is_read() -> None:
    other = ENTRY.replace("samples", "s_mples")
    sample = inspect_sample(*TURNS)
    data = archive({ENTRY: {**sample, "input": "old"}, other: {**sample, "input": "new"}, "header.json": {}})
    data = data.replace(other.encode(), ENTRY.encode())
    assert len(list_samples(data, name="log.eval")) == 1
    assert read(data, name="log.eval").query == "new"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"{", f"{ENTRY}, line 1, column 2"),
        (b"\xff", f"{ENTRY}, line 1, byte 0"),
        (b"[]", f"{ENTRY}, $"),
        (b"[" * 100_000, ENTRY),
    ],
)
def test_an_entry_that_is_no_sample_is_named(content: bytes, place: str) -> None:
    assert refusal(log_of(content)).place == place


@pytest.mark.parametrize(
    ("entry", "content", "reason"),
    [
        ("messages/0.json", {}, "the chunk is an object, not a list"),
        ("messages/2.json", None, "a chunk before this one is missing"),
        ("sample.json", [], "the sample is a list, not an object"),
    ],
)
def test_a_chunk_that_is_wrong_or_missing_is_named(entry: str, content: Any, reason: str) -> None:
    whole = zipfile.ZipFile(io.BytesIO(chunked_log(inspect_sample(*TURNS))))
    entries: dict[str, Any] = {info.filename: whole.read(info) for info in whole.infolist()}
    prefix = "samples/conv_graph_epoch_1"
    if content is None:
        del entries[f"{prefix}/messages/0.json"]
    else:
        entries[f"{prefix}/{entry}"] = content
    problem = refusal(archive(entries))
    assert problem.reason == reason
    assert problem.place.split(",")[0] == f"{prefix}/{entry}"
