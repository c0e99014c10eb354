"""Converts a trajectory to a notebook (nbformat 4), which is stored, downloaded and exported.

A step is a Markdown cell ``thought-12`` (if it has a thought) and a code cell ``step-12``, whose only output
is the raw observation. Data without a place in the notebook format is in ``metadata.superboard``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from nbformat import NotebookNode

from leaderboard.domain.repetitions import repeated_steps
from leaderboard.domain.scores import LandmarkResult, StepHits
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import MISSING, Step, Trajectory
from leaderboard.rendering.markdown import inert_markdown
from leaderboard.rendering.marks import step_marks
from leaderboard.rendering.model import Whole
from leaderboard.rendering.repeats import REPEATED


def to_notebook(
    trajectory: Trajectory,
    landmarks: Iterable[LandmarkResult] = (),
    outputs: Mapping[int, Whole] = MappingProxyType({}),
) -> NotebookNode:
    """The notebook of a trajectory; hits are in the cells' metadata (raw offsets) and tags."""
    hits: dict[int, list[tuple[int, StepHits]]] = {}
    for landmark in landmarks:
        for step_hits in landmark.hits:
            hits.setdefault(step_hits.step, []).append((landmark.number, step_hits))
    # A step with a landmark's hit is worth a look, whatever it repeats.
    repeated = repeated_steps(trajectory.steps) - hits.keys()
    cells: list[NotebookNode] = []
    for step in trajectory.steps:
        again = step.number in repeated
        cells += _cells(step, hits.get(step.number, []), outputs.get(step.number), repeated=again)
    answer = "" if trajectory.answer is MISSING else json.dumps(trajectory.answer, ensure_ascii=False)
    about = _node(
        format=trajectory.format,
        query=storable(trajectory.query),
        answer=storable(answer),
        ending=str(trajectory.shown_ending),
        ending_detail=storable(trajectory.ending_detail),
    )
    kernel = _node(name="python3", display_name="Python 3", language="python")
    metadata = _node(kernelspec=kernel, language_info=_node(name="python"), superboard=about)
    return _node(nbformat=4, nbformat_minor=5, metadata=metadata, cells=cells)


def notebook_bytes(notebook: NotebookNode) -> bytes:
    """The .ipynb file, UTF-8. What its Markdown cells show loads nothing and runs nothing, in any program."""
    cells = [
        _node(**{**cell, "source": inert_markdown(cell["source"])})
        if cell["cell_type"] == "markdown"
        else cell
        for cell in notebook["cells"]
    ]
    text = json.dumps({**notebook, "cells": cells}, ensure_ascii=False, indent=1, sort_keys=True)
    return text.encode() + b"\n"


def _cells(
    step: Step, hits: list[tuple[int, StepHits]], whole: Whole | None, *, repeated: bool
) -> list[NotebookNode]:
    observation = storable(step.observation or "")
    found = step_marks(step.kind, observation, pre_executed=step.pre_executed)
    if repeated:
        found += (REPEATED,)
    about = _node(
        step=step.number,
        kind=str(step.kind),
        action_type=storable(step.action_type),
        duration=step.duration,
        started=storable(step.started),
        pre_executed=step.pre_executed,
        marks=list(found),
        landmarks=[_node(number=n, spans=[list(span) for span in h.spans], more=h.more) for n, h in hits],
    )
    if whole:
        about["whole_output"] = _node(size=whole.size, cut=whole.cut)
    tags = [f"step-{step.number}", *found, *(f"landmark-{number}" for number, _ in hits)]
    outputs = [_node(output_type="stream", name="stdout", text=observation)] if observation else []
    code = _node(
        cell_type="code",
        id=f"step-{step.number}",
        metadata=_node(superboard=about, tags=tags),
        source=storable(step.action),
        execution_count=None,
        outputs=outputs,
    )
    if not step.thought.strip():
        return [code]
    thought = _node(
        cell_type="markdown",
        id=f"thought-{step.number}",
        metadata=_node(superboard=_node(step=step.number), tags=[f"step-{step.number}"]),
        source=storable(step.thought),
    )
    return [thought, code]


def _node(**values: object) -> NotebookNode:
    return NotebookNode(values)  # type: ignore[no-untyped-call]
