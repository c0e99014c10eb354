"""Bytes to JSON: every way in which a file can be no document says what and where."""

from __future__ import annotations

import json
import pickle
import tracemalloc

import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats import read
from leaderboard.formats.documents import MAX_BYTES, MAX_WARNINGS, Notes, parse_json
from tests.formats.samples import act, as_bytes, history, notebook, step_cells


def refusal(data: bytes, max_bytes: int = MAX_BYTES) -> Problem:
    with pytest.raises(InputError) as caught:
        read(data, name="task/history.json", max_bytes=max_bytes)
    assert caught.value.problem.file == "task/history.json"
    return caught.value.problem


def test_an_empty_file_is_called_empty() -> None:
    assert refusal(b"").reason == "the file is empty"


def test_a_syntax_error_has_its_line_and_column() -> None:
    problem = refusal(b'{\n "query": "q",\n "history" []}')
    assert problem.place == "line 3, column 12"
    assert "not valid JSON" in problem.reason


@pytest.mark.parametrize("document", [history(act("execute"), act("submit", {"loss": [1.5e-3, True, None]}))])
def test_a_file_cut_anywhere_is_said_to_be_cut_off(document: object) -> None:
    data = json.dumps(document, indent=1).encode()
    for length in range(1, len(data)):
        assert "ends in the middle" in refusal(data[:length]).reason, data[:length]


@pytest.mark.parametrize("tenths", range(1, 10))
@pytest.mark.parametrize(
    "document", [history(act("submit", "é" * 50)), notebook(step_cells(1), step_cells(2))]
)
def test_a_file_cut_at_each_tenth_names_the_place(document: object, tenths: int) -> None:
    data = as_bytes(document)
    problem = refusal(data[: len(data) * tenths // 10])
    assert problem.place.startswith("line 1, ")
    assert "cut off" in problem.remedy


@pytest.mark.parametrize("data", [b'{"query": "q", "history": [] oops}', b"[tru                    ]"])
def test_an_error_near_the_end_is_not_taken_for_a_cut(data: bytes) -> None:
    assert "not valid JSON" in refusal(data).reason


def test_a_byte_that_is_not_utf8_has_its_line_and_offset() -> None:
    problem = refusal(b'{"query":\n"\xff"}')
    assert problem.place == "line 2, byte 11"
    assert problem.reason == "not UTF-8 text"
    assert refusal(b'\xef\xbb\xbf"\xff"').place == "line 1, byte 4"


def test_a_cut_inside_a_character_is_a_cut() -> None:
    assert "in the middle of a character" in refusal('{"query": "é'.encode()[:-1]).reason


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read(b"\xef\xbb\xbf" + as_bytes(history(act("execute"))), name="h").query == "Train the model."


def test_the_limit_is_named_with_its_setting() -> None:
    problem = refusal(b" " * (2**20 + 1), max_bytes=2**20)
    assert "the limit of 1 MB" in problem.reason
    assert "SUPERBOARD_MAX_TRAJECTORY_MB" in problem.remedy


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"query":"","history":' + b"[" * 200_000])
def test_nesting_beyond_reading_is_refused(data: bytes) -> None:
    assert "nest too deeply" in refusal(data).reason


def test_a_number_too_long_for_python_is_refused() -> None:
    assert "4,300 digits" in refusal(b"1" * 5000).reason


def test_a_raw_nul_byte_is_a_syntax_error() -> None:
    assert refusal(b'{"query": "\0"}').place == "line 1, column 12"


def test_of_a_key_that_comes_twice_the_last_wins() -> None:
    assert parse_json(b'{"a": 1, "a": 2}', name="f") == {"a": 2}


def test_an_unknown_document_is_described_by_its_keys() -> None:
    problem = refusal(b'{"steps": [], "agent": {}}')
    assert "'steps', 'agent'" in problem.reason
    assert "SUPER history.json" in problem.remedy
    assert "SUPER notebook" in problem.remedy
    assert refusal(as_bytes(dict.fromkeys("abcdefghij"))).reason.endswith("'h' and 2 more")


@pytest.mark.parametrize(
    ("data", "words"), [(b"[1]", "a list of 1 item"), (b"null", "null"), (b"{}", "without keys")]
)
def test_an_unknown_document_without_keys_is_described(data: bytes, words: str) -> None:
    assert words in refusal(data).reason


def test_hostile_keys_are_shown_escaped_and_cut() -> None:
    reason = refusal(as_bytes({"\ud800\x1b[31m" + "k" * 100: 1})).reason
    assert reason.isprintable()
    assert len(reason) < 150


def test_oddities_beyond_the_first_are_counted() -> None:
    notes = Notes("f")
    for number in range(MAX_WARNINGS + 7):
        notes.add(f"line {number}", "odd")
    assert len(notes.all()) == MAX_WARNINGS + 1
    assert notes.all()[-1].reason.startswith("7 more")


@pytest.mark.parametrize(
    "error",
    [InputError(Problem("f", "p", "r")), InputError(*[Problem("f", "p", "r")] * 2)],
)
def test_a_refusal_crosses_process_borders_whole(error: InputError) -> None:
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)  # noqa: S301


def test_a_large_file_is_read_without_copies_of_its_text() -> None:
    size = 20 * 2**20
    data = as_bytes({"query": "", "history": [{"action": act("execute"), "observation": "x" * size}]})
    tracemalloc.start()
    trajectory = read(data, name="f")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(trajectory.steps[0].observation or "") == size
    # The decoded text and the observation, which json cuts out of it.
    assert peak < 2.2 * size
