"""The notebook of a trajectory."""

from __future__ import annotations

import json

import nbformat
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.trajectory import Ending, Step, StepKind, Trajectory
from leaderboard.rendering.notebook import notebook_bytes, to_notebook
from tests.rendering.helpers import hit, step, trajectory

TEXTS = st.text(st.characters(codec=None), max_size=20)


def test_a_step_is_a_thought_and_a_code_cell_with_stable_ids() -> None:
    notebook = to_notebook(trajectory(step("out", thought="Why."), step(None, number=2)))
    assert [cell["id"] for cell in notebook["cells"]] == ["thought-1", "step-1", "step-2"]
    assert notebook["cells"][1]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "out"}]
    assert notebook["cells"][2]["outputs"] == []


def test_hits_are_in_metadata_and_tags() -> None:
    cell = to_notebook(trajectory(step("loss 0.5")), (hit((5, 8), number=2, more=4),))["cells"][0]
    assert cell["metadata"]["superboard"]["landmarks"] == [{"number": 2, "spans": [[5, 8]], "more": 4}]
    assert cell["metadata"]["tags"] == ["step-1", "landmark-2"]


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_any_trajectory_makes_a_valid_notebook(
    thought: str, action: str, observation: str, query: str
) -> None:
    steps = (Step(1, StepKind.OTHER, action, action, thought, observation, 0.5, thought, True),)
    made = Trajectory(steps, "test", query=query, answer={query: [float("nan")]}, ending=Ending.COST)
    data = notebook_bytes(to_notebook(made, (hit((0, 1)),)))
    read = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(read)


def test_the_file_says_what_was_asked_and_answered() -> None:
    about = json.loads(notebook_bytes(to_notebook(trajectory())))["metadata"]["superboard"]
    assert about["query"] == "Find it."
    assert json.loads(about["answer"]) == {"f1": 0.5}
