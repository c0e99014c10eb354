"""A file that no format reads is told what it is, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import UnknownFormatError
from leaderboard.formats import list_samples
from leaderboard.formats.not_read import DOCUMENTS, sign_of
from tests.formats.agent_logs import lines
from tests.formats.samples import as_bytes

CAST = [{"version": 2, "width": 80, "height": 24}, [0.1, "o", "ls"], [0.2, "o", "a.py"]]
BENCH = {"id": "x", "is_resolved": True, "trial_name": "a.1-of-5", "parser_results": {}}
CTRF = {"results": {"tool": {"name": "pytest"}, "summary": {}, "tests": []}}


def reason(data: bytes) -> str:
    with pytest.raises(UnknownFormatError) as caught:
        list_samples(data, name="f")
    (problem,) = caught.value.problems
    return problem.reason


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (lines(CAST), "an asciinema recording"),
        (lines([{"version": 3, "term": {"cols": 80}}, [0.1, "o", "x"]]), "an asciinema recording"),
        (b"PAR1\x15\x04\xff", "a Parquet file"),
        (b"SQLite format 3\0\xff", "an SQLite database"),
        (b"\x18\0\0\0\0\0\0\0\xff\xff\xff\xff\x1a\rbrain.Event:2", "a TensorBoard event file"),
        (b":W&B\0\xff", "a Weights & Biases run file"),
        (b"\x1f\x8b\x08\0", "a gzip file"),
        (b"2026-02-08 17:28 INFO a run began\n2026-02-08 it ended\n", "plain text, not valid JSON"),
        (b"[2026-02-08 17:28] a run began\n", "plain text, not valid JSON"),
        (b"true story, this\n", "plain text, not valid JSON"),
        (b"Traceback (most recent call last):\n", "plain text, not valid JSON"),
        (as_bytes(BENCH), "a Terminal-Bench 1 result"),
        (as_bytes(CTRF), "a test report (CTRF)"),
        (as_bytes([{"run_type": "llm", "dotted_order": "x"}]), "LangSmith runs"),
        (as_bytes([{"type": "human", "data": {"content": "x"}}]), "LangChain messages"),
        (lines([{"op_name": "weave:///x", "trace_id": "t", "inputs": {}}] * 2), "Weave calls"),
        (as_bytes({"type": "result", "result": "x", "num_turns": 3}), "a result of Claude Code alone"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_read_is_named_once(data: bytes, name: str) -> None:
    assert reason(data) == f"{name}; not read"


def test_what_is_said_of_it_ends_with_what_is_read() -> None:
    with pytest.raises(UnknownFormatError, match=r"; not read \(.+; read are ATIF, .+Claude Code session"):
        list_samples(lines(CAST), name="f")


def test_lines_in_no_known_format_are_told_once_and_not_line_by_line() -> None:
    assert reason(lines([{"a": n} for n in range(900)])) == (
        "not a known trajectory format: it is JSON Lines, the first an object with the keys 'a'"
    )


@pytest.mark.parametrize("document", [None, 1, "x", [], [1], {}, {"version": True, "data": 1}])
def test_no_sign_is_seen_where_there_is_none(document: Any) -> None:
    assert sign_of(json.loads(json.dumps(document))) is None


def test_every_sign_asks_for_something() -> None:
    assert all(not sign.fits({}) for sign in DOCUMENTS)
