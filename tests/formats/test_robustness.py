"""Whatever the bytes, reading them gives a trajectory or an `InputError`."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import formats
from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats import read
from leaderboard.formats.run_folder import read_metadata, read_metrics
from tests.formats.samples import as_bytes

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
    for reader in (read_metrics, read_metadata):
        with contextlib.suppress(InputError):
            reader(as_bytes(document), name="f")
