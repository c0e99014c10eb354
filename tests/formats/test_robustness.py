"""Whatever the bytes, reading them gives a trajectory or an `InputError`."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard import formats
from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats import open_file, read
from leaderboard.formats.answers import read_answers
from leaderboard.formats.run_folder import read_metadata, read_metrics
from leaderboard.scoring.super import SCORING
from tests.formats.agent_logs import LOGS
from tests.formats.agent_logs import lines as log_lines
from tests.formats.mutations import (
    ARCHIVES,
    DOCUMENTS,
    LINES,
    MESSAGE_LINES,
    changed_entry,
    choices,
    mutated,
    nested,
)
from tests.formats.samples import as_bytes
from tests.fuzzing import FUZZ, inputs

text = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ["submit", "### Step 1", "exception", "code"]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | text
history_keys = st.sampled_from(["query", "history", "thought", "action", "type", "content", "observation"])
notebook_keys = st.sampled_from(
    ["nbformat", "metadata", "cells", "cell_type", "source", "outputs", "text/plain"]
)
result_keys = st.sampled_from(["output_type", "data", "task", "task_id", "output_match", "checkpoints"])
keys = history_keys | notebook_keys | result_keys
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys | text, inner, max_size=6),
    max_leaves=20,
)
actions = anything | st.fixed_dictionaries({}, optional={"type": anything, "content": anything})
steps = anything | st.fixed_dictionaries(
    {},
    optional={
        "thought": anything,
        "action": actions,
        "observation": anything,
        "execution_start_time": anything | st.datetimes().map(str),
        "execution_end_time": anything | st.datetimes().map(str),
    },
)
histories = st.fixed_dictionaries(
    {"query": anything, "history": anything | st.lists(steps, max_size=4)},
    optional={"total_cost": scalars, "total_context_tokens_count": scalars},
)
cells = anything | st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw"]),
        "source": text | anything,
        "metadata": st.just({}),
    },
    optional={"outputs": anything, "execution_count": st.none()},
)
notebooks = st.fixed_dictionaries(
    {"nbformat": st.just(4), "nbformat_minor": st.just(5), "metadata": st.just({}), "cells": st.lists(cells)}
)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(InputError):
        read(data, name="f")


@given(anything | histories | notebooks)
def test_any_json_is_read_or_refused(document: Any) -> None:
    with contextlib.suppress(InputError):
        read(as_bytes(document), name="f")


class Recursive:
    """A format whose reader walks the document by recursion, and finds it too deep."""

    NAME = "recursive"

    def detect(self, document: Any) -> bool:
        return True

    def read(self, document: Any, *, name: str) -> Trajectory:
        return self.read(document, name=name)


def test_a_reader_that_runs_out_of_stack_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "FORMATS", (Recursive(),))
    with pytest.raises(InputError, match="nest too deeply"):
        read(b"[]", name="f")


@given(anything)
def test_any_metrics_and_metadata_are_read_or_refused(document: Any) -> None:
    for reader in (
        partial(read_metrics, known=SCORING.scored),
        partial(read_metrics, known=()),
        read_metadata,
    ):
        with contextlib.suppress(InputError):
            reader(as_bytes(document), name="f")


def read_whole(data: bytes) -> int:
    """Read every sample of a file; how many could be read. Whatever is wrong is said with file and reason."""
    read_count = 0
    try:
        file = open_file(data, name="f", max_bytes=1 << 20)
        samples = file.samples
    except InputError as error:
        check(error)
        return 0
    for sample in samples:
        try:
            trajectory = file.read(sample.key)
        except InputError as error:
            check(error)
        else:
            read_count += 1
            assert [step.number for step in trajectory.steps] == list(range(1, len(trajectory.steps) + 1))
    try:
        read_answers(data, name="f")
    except InputError as error:
        check(error)
    return read_count


def check(error: InputError) -> None:
    assert error.problem.file == "f"
    assert error.problem.reason


def test_the_files_that_are_mutated_are_sound() -> None:
    assert all(read_whole(as_bytes(document)) for document in DOCUMENTS)
    assert all(read_whole(data) for data in (LINES, MESSAGE_LINES, *ARCHIVES, *map(log_lines, LOGS)))


documents = st.sampled_from(DOCUMENTS)


@settings(FUZZ, max_examples=inputs("documents"))
@given(documents, choices)
def test_a_file_with_parts_changed_is_read_or_refused(document: Any, changes: Any) -> None:
    read_whole(as_bytes(mutated(document, changes)))


@settings(FUZZ, max_examples=inputs("lines"))
@given(st.sampled_from([LINES, MESSAGE_LINES]), documents, choices, st.integers(0, 10**6))
def test_lines_with_parts_changed_are_read_or_refused(
    lines: bytes, document: Any, changes: Any, where: int
) -> None:
    cut = where % (len(lines) + 1)
    read_whole(lines[:cut] + b"\n" + as_bytes(mutated(document, changes)) + b"\n" + lines[cut:])


@settings(FUZZ, max_examples=inputs("documents cut off"))
@given(documents, st.floats(0, 1))
def test_a_file_cut_off_anywhere_is_refused(document: Any, share: float) -> None:
    data = as_bytes(document)
    assert read_whole(data[: int(len(data) * share * 0.999)]) == 0


@settings(FUZZ, max_examples=inputs("logs"))
@given(st.sampled_from(LOGS), choices)
def test_a_log_with_events_changed_is_read_or_refused(events: Any, changes: Any) -> None:
    changed = mutated(events, changes)
    read_whole(log_lines(changed) if isinstance(changed, list) else as_bytes(changed))


@settings(FUZZ, max_examples=inputs("logs of events cut off"))
@given(st.sampled_from(LOGS), st.floats(0, 1))
def test_a_log_cut_off_anywhere_is_read_up_to_there_or_refused(events: Any, share: float) -> None:
    data = log_lines(events)
    read_whole(data[: int(len(data) * share * 0.999)])


@settings(FUZZ, max_examples=inputs("documents nested deeply"))
@given(documents, st.integers(0, 10**6), st.sampled_from([200, 900, 2000, 100_000]))
def test_a_file_nested_deeply_is_read_or_refused(document: Any, where: int, depth: int) -> None:
    read_whole(nested(document, where, depth))


@settings(FUZZ, max_examples=inputs("log entries"))
@given(st.sampled_from(ARCHIVES), st.integers(0, 100), choices)
def test_an_archive_with_an_entry_changed_is_read_or_refused(log: bytes, which: int, changes: Any) -> None:
    read_whole(changed_entry(log, which, changes))


@settings(FUZZ, max_examples=inputs("log bytes"))
@given(st.sampled_from(ARCHIVES), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8))
def test_an_archive_with_bytes_changed_is_read_or_refused(log: bytes, changes: Any) -> None:
    data = bytearray(log)
    for share, byte in changes:
        data[min(int(share * len(data)), len(data) - 1)] = byte
    read_whole(bytes(data))


@settings(FUZZ, max_examples=inputs("logs cut off"))
@given(st.sampled_from(ARCHIVES), st.floats(0, 1))
def test_an_archive_cut_off_anywhere_is_refused(log: bytes, share: float) -> None:
    assert read_whole(log[: int(len(log) * share * 0.999)]) == 0
