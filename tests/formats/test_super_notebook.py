"""SUPER's notebooks, in the two styles in which runs were published."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import nbformat
import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats import read
from tests.formats.samples import SWE_AGENT_PRELUDE, Document, as_bytes, code, markdown, notebook, step_cells


def read_notebook(document: Any) -> Trajectory:
    return read(as_bytes(document), name="history.ipynb")


def refusal(document: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        read_notebook(document)
    assert caught.value.problem.remedy
    return caught.value.problem


def react_ending_in(kind: str, source: str) -> Trajectory:
    return read_notebook(notebook(step_cells(1), step_cells(2, kind, source)))


def swe_agent_ending_in(kind: str, source: str) -> Trajectory:
    steps = [step_cells(1, "None", source), step_cells(2, kind, source)]
    return read_notebook(notebook(*steps, prelude=SWE_AGENT_PRELUDE))


def test_a_step_comes_from_its_cells() -> None:
    step = read_notebook(
        notebook(step_cells(1, "edit", "a.py\nx", observation="\x1b[1mok\r\0", thought="Why?\n\n"))
    ).steps[0]
    assert (step.number, step.kind, step.action_type, step.action) == (1, StepKind.EDIT, "edit", "a.py\nx")
    assert (step.thought, step.observation) == ("Why?\n\n", "\x1b[1mok\r\0")


def test_a_step_over_midnight_has_the_stated_duration() -> None:
    step = read_notebook(notebook(step_cells(1))).steps[0]
    assert (step.started, step.duration) == ("23:59:58", 5.0)


def test_a_step_without_a_time_cell_has_no_duration() -> None:
    step = read_notebook(notebook(step_cells(1, time=None))).steps[0]
    assert (step.started, step.duration) == ("", None)


@pytest.mark.parametrize(("prelude", "prompt"), [(None, "[a log]"), (SWE_AGENT_PRELUDE, "SETTING: a shell.")])
def test_query_and_prompt_come_without_their_headings(prelude: list[Document] | None, prompt: str) -> None:
    trajectory = read_notebook(notebook(step_cells(1), **({"prelude": prelude} if prelude else {})))
    assert trajectory.query == "Train the model.\nReport its loss."
    assert trajectory.prompt == prompt


def test_the_messages_of_a_prompt_are_text() -> None:
    log = "[{'role': 'system', 'content': 'You are\\nhere.'}, {'role': 'user', 'content': 'Go.'}]"
    prelude = [markdown(f"### Prompt\n<details>\n\n{log}\n</details>")]
    trajectory = read_notebook(notebook(step_cells(1), prelude=prelude))
    assert trajectory.prompt == "system:\nYou are\nhere.\n\nuser:\nGo."


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("{'loss': 0.5, 'ok': True, 'no': None}", {"loss": 0.5, "ok": True, "no": None}),
        ("None", None),
        ("null", None),
        ("[true, -1]", [True, -1]),
        ("{'a': [1, -2.5], 3: 'x'}", {"a": [1, -2.5], "3": "x"}),
        ("0.5", 0.5),
    ],
)
def test_a_react_submission_is_a_python_literal_or_json(source: str, answer: Any) -> None:
    trajectory = react_ending_in("submit", source)
    assert trajectory.answer == answer
    assert trajectory.ending is Ending.SUBMITTED
    assert trajectory.warnings == ()


@pytest.mark.parametrize(
    "source", ["{'a': nan, 'b': -inf}", '{"a": NaN, "b": -Infinity}', "{'a': nan, 'b': -1e400}"]
)
def test_numbers_that_are_not_finite_are_read_and_noted(source: str) -> None:
    trajectory = react_ending_in("submit", source)
    assert repr(trajectory.answer) == "{'a': nan, 'b': -inf}"
    assert [warning.place for warning in trajectory.warnings] == ["cell 12"]


@pytest.mark.parametrize(
    "source",
    [
        "The loss\nis 0.5",
        "",
        "f(1)",
        "{1, 2}",
        "b'x'",
        "-True",
        "1j",
        f"['{'x' * 200_000}']",
        "-" * 50_000 + "1",
        "(" * 5000,
        "{(1, 2): 3}",
    ],
    ids=lambda source: repr(source[:10]),
)
def test_what_is_no_json_value_stays_text_and_is_noted(source: str) -> None:
    trajectory = react_ending_in("submit", source)
    assert trajectory.answer == source
    assert "kept as text" in trajectory.warnings[0].reason


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ('submit {"loss": 0.50}', {"loss": 0.5}),
        ('submit ["a"]\n', ["a"]),
        ('submit "some words"', "some words"),
        ("submit null", None),
        ("submit {'loss': None}", {"loss": None}),
        ("submit not json", "not json"),
    ],
)
def test_a_swe_agent_submission_follows_the_command(source: str, answer: Any) -> None:
    trajectory = swe_agent_ending_in("submit", source)
    assert trajectory.answer == answer
    assert trajectory.ending is Ending.SUBMITTED


def test_only_swe_agent_submits_by_a_command() -> None:
    assert react_ending_in("submit", "submit 5").answer == "submit 5"


@pytest.mark.parametrize(
    ("word", "ending"),
    [
        ("exit_context", Ending.CONTEXT),
        ("exit_cost", Ending.COST),
        ("exit_max_compute_time", Ending.TIME),
        ("exit_else", Ending.EXCEPTION),
    ],
)
def test_a_swe_agent_exit_is_the_last_command(word: str, ending: Ending) -> None:
    trajectory = swe_agent_ending_in("None", word)
    assert (trajectory.ending, trajectory.ending_detail) == (ending, word)
    assert [step.kind for step in trajectory.steps] == [StepKind.EXECUTE, StepKind.EXCEPTION]
    assert trajectory.answer is MISSING


def test_a_react_limit_is_an_exception() -> None:
    trajectory = react_ending_in("exception", "Total compute time exceeded.")
    assert trajectory.ending is Ending.TIME
    assert trajectory.steps[-1].kind is StepKind.EXCEPTION


def test_a_run_that_just_stops_has_no_known_ending() -> None:
    assert react_ending_in("execute", "ls").ending is Ending.UNKNOWN


def test_swe_agents_own_waiting_is_no_format_error() -> None:
    cells = step_cells(1, "", "continue_wait", thought="[continued after timeout]")
    assert read_notebook(notebook(cells, prelude=SWE_AGENT_PRELUDE)).steps[0].kind is StepKind.WAIT


def test_a_sentence_over_lines_in_place_of_the_type_is_kept() -> None:
    step = react_ending_in("I will (now)\nlook", "ls").steps[-1]
    assert (step.kind, step.action_type) == (StepKind.FORMAT_ERROR, "I will (now)\nlook")


def test_a_step_without_an_observation_is_named() -> None:
    trajectory = read_notebook(notebook(step_cells(1, observation=None)))
    assert trajectory.steps[0].observation is None
    assert (trajectory.warnings[0].place, trajectory.warnings[0].reason) == (
        "cell 7",
        "step 1 has no observation",
    )


def test_outputs_of_every_kind_make_one_observation() -> None:
    document = notebook(step_cells(1))
    document["cells"][-1]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"image/png": "AA==", "application/json": {"a": 1}},
        },
        {"output_type": "error", "ename": "E", "evalue": "x", "traceback": ["T1", "T2"]},
    ]
    assert read_notebook(document).steps[0].observation == "a\nb\nT1\nT2"


def test_a_heading_out_of_count_is_noted_and_counted_anew() -> None:
    trajectory = read_notebook(notebook(step_cells(1), step_cells(7)))
    assert [step.number for step in trajectory.steps] == [1, 2]
    assert trajectory.warnings[0].place == "cell 8"


def test_another_notebook_is_recognised_as_such() -> None:
    problem = refusal(notebook(prelude=[markdown("# My analysis"), code("1 + 1", "2")]))
    assert problem.reason == "a notebook, but not one of a SUPER run: no '### Step' heading"


@pytest.mark.parametrize(
    ("position", "wanted"),
    [(7, "'### Step'"), (8, "Thought"), (9, "Thought"), (10, "Action"), (11, "code cell")],
)
def test_the_first_cell_out_of_sequence_is_named(position: int, wanted: str) -> None:
    document = notebook(step_cells(1), step_cells(2))
    document["cells"].insert(position, markdown("A remark."))
    problem = refusal(document)
    assert problem.place == f"cell {position + 1}"
    assert wanted in problem.reason


def test_a_heading_with_more_in_it_is_none() -> None:
    document = notebook(step_cells(1), step_cells(2))
    document["cells"][7]["source"] = "### Step 2 begins"
    assert refusal(document).place == "cell 8"


def test_a_notebook_that_ends_within_a_step_is_refused_at_its_last_cell() -> None:
    document = notebook(step_cells(1), step_cells(2))
    del document["cells"][-1]
    problem = refusal(document)
    assert problem.place == "cell 11"
    assert "ends here" in problem.reason


def change(*path: Any, to: Any = ...) -> Callable[[Document], None]:
    """Set what is at a path of keys, or remove it."""

    def apply(document: Document) -> None:
        target: Any = document
        for key in path[:-1]:
            target = target[key]
        if to is ...:
            del target[path[-1]]
        else:
            target[path[-1]] = to

    return apply


OUTPUT = ("cells", 6, "outputs", 0)
REFUSED = {
    "format 3": (change("nbformat", to=3), "$.nbformat"),
    "format 2": (change("nbformat", to=2), "$.nbformat"),
    "format as a fraction": (change("nbformat", to=4.0), "$.nbformat"),
    "format as text": (change("nbformat", to="4"), "$.nbformat"),
    "no minor": (change("nbformat_minor"), "$.nbformat_minor"),
    "no metadata": (change("metadata"), "$.metadata"),
    "no cells": (change("cells"), "$.cells"),
    "cells of another type": (change("cells", to={}), "$.cells"),
    "a cell that is text": (change("cells", 1, to="x"), "cell 2"),
    "no cell type": (change("cells", 2, "cell_type"), "cell 3"),
    "an unknown cell type": (change("cells", 2, "cell_type", to="heading"), "cell 3"),
    "no source": (change("cells", 2, "source"), "cell 3"),
    "a number for source": (change("cells", 2, "source", to=1), "cell 3"),
    "numbers in source": (change("cells", 2, "source", to=["a", 1]), "cell 3"),
    "no cell metadata": (change("cells", 2, "metadata"), "cell 3"),
    "a list for metadata": (change("cells", 2, "metadata", to=[]), "cell 3"),
    "no outputs": (change("cells", 6, "outputs"), "cell 7"),
    "outputs of another type": (change("cells", 6, "outputs", to={}), "cell 7"),
    "no execution count": (change("cells", 6, "execution_count"), "cell 7"),
    "text for execution count": (change("cells", 6, "execution_count", to="1"), "cell 7"),
    "an output that is text": (change(*OUTPUT, to="x"), "cell 7"),
    "no output type": (change(*OUTPUT, "output_type"), "cell 7"),
    "an unknown output type": (change(*OUTPUT, "output_type", to="pyout"), "cell 7"),
    "no data": (change(*OUTPUT, "data"), "cell 7"),
    "a list for data": (change(*OUTPUT, "data", to=[]), "cell 7"),
    "numbers in data": (change(*OUTPUT, "data", to={"text/html": [1]}), "cell 7"),
    "a number for a binary": (change(*OUTPUT, "data", to={"application/pdf": 1}), "cell 7"),
    "a stream without text": (change(*OUTPUT, to={"output_type": "stream", "name": "stdout"}), "cell 7"),
}


@pytest.mark.parametrize(("damage", "place"), REFUSED.values(), ids=REFUSED)
def test_what_nbformat_refuses_is_refused_too(damage: Callable[[Document], None], place: str) -> None:
    document = notebook(step_cells(1))
    nbformat.validate(copy.deepcopy(document))
    damage(document)
    # nbformat itself fails in other ways on a version it does not know.
    with pytest.raises((nbformat.ValidationError, KeyError, AssertionError, ImportError)):
        nbformat.validate(copy.deepcopy(document))
    assert refusal(document).place == place
