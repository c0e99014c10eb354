"""Archives that nobody would send in good faith, and some that somebody would."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable

from backports import zstd
from hypothesis import strategies as st

from tests.intake.archives import Zip, file, sparse, special, tar
from tests.intake.folders import trajectory

NAMES = st.one_of(
    st.sampled_from(
        ["cet/history.json", "cet.json", "CET/1.json", "amos/attempt_2/x.traj", "../x", "/x", "CON",
         "entry.yaml", "metrics.json", "cet/metrics.json", "cet/metadata.json", "output.jsonl", "x.eval", "",
         "__MACOSX/x", "cet", "a/b/c/d/e/f/g", "é.json", "e\u0301.json",
         "x" * 300, "a\\..\\b", ".", "\x1b[2J", "\u202e.json"]
    ),
    st.text(max_size=30),
)  # fmt: skip
CONTENTS = st.one_of(
    st.sampled_from(
        [trajectory(), trajectory("other", task_id="cet"), trajectory()[:40], b"{}", b"[]",
         b"", b'{"output_match": 7}', b'{"task": "cet"}', b'{"task": 3}', b"agent: [",
         b"a: &a [*a]", b"agent: A\nset: expert\n", b'{"trajectory": 3}',
         b'{"task_id": "cet", "answer": 1}\n{"task_id": "amos", "answer": 2}\n', b"\xff\xfe{",
         b"[" * 3000, b'{"nbformat": 4, "cells": {}}', Zip().add("header.json", b"{}").end(), bytes(60_000),
         bytes(40_000)]
    ),
    st.binary(max_size=200),
)  # fmt: skip
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}
SPECIALS = st.sampled_from([b"1", b"2", b"3", b"4", b"5", b"6", b"L", b"S", b"x", b"g", b"Z", b"\0"])


@st.composite
def zips(draw: st.DrawFn) -> bytes:
    archive = Zip()
    for _ in range(draw(st.integers(0, 6))):
        method = draw(st.sampled_from([0, 8, 93, 12]))
        honest = draw(st.booleans())
        name = draw(NAMES).encode("utf-8", "surrogatepass")
        archive.add(
            name,
            draw(CONTENTS),
            method=method,
            flags=draw(st.sampled_from([1 << 11, 0, 1 << 11 | 1])) if not honest else 1 << 11,
            mode=draw(st.sampled_from([0, 0o120777, 0o100644, 0o040755, 0o010644])),
            size=None if honest else draw(st.integers(0, 2**32 - 1)),
        )
    return archive.end()


@st.composite
def tars(draw: st.DrawFn) -> bytes:
    members = []
    for _ in range(draw(st.integers(0, 5))):
        name = draw(NAMES).encode("utf-8", "replace").decode().replace("\0", "?")
        if draw(st.integers(0, 3)):
            members.append(file(name, draw(CONTENTS)))
        else:
            members.append(special(name, draw(SPECIALS), "cet.json"))
    data = tar(*members)
    if draw(st.integers(0, 5)) == 0:
        offsets = draw(st.lists(st.integers(0, 2**31), max_size=4))
        data = sparse("cet.json", [(offset, b"x") for offset in offsets], draw(st.integers(0, 2**31)))
    return COMPRESSORS[draw(st.sampled_from(sorted(COMPRESSORS)))](data)


@st.composite
def damaged(draw: st.DrawFn, sound: st.SearchStrategy[bytes]) -> bytes:
    """An archive with some bytes changed, taken out or put in."""
    data = bytearray(draw(sound))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        kind = draw(st.sampled_from(["change", "cut", "put in", "end"]))
        if kind == "change" and data:
            data[at] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 600))]
        elif kind == "put in":
            data[at:at] = draw(st.binary(max_size=30))
        else:
            del data[at:]
    return bytes(data)
