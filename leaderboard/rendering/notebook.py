"""Converts a trajectory to a notebook (nbformat 4), which is stored, downloaded and exported.

A step is a Markdown cell ``thought-12`` (if it has a thought) and a code cell ``step-12``, whose outputs are
the raw observation and its images. Data without a place in the notebook format is in ``metadata.superboard``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Final

from leaderboard.domain.durations import duration_text
from leaderboard.domain.refusals import refusal
from leaderboard.domain.repetitions import repeated_steps
from leaderboard.domain.scores import LandmarkResult, StepHits
from leaderboard.domain.text import plural, storable
from leaderboard.domain.trajectory import MISSING, Step, Trajectory, ending_words
from leaderboard.rendering.actions import title
from leaderboard.rendering.facts import MARKER, plain
from leaderboard.rendering.inert import fenced, inert_markdown
from leaderboard.rendering.marks import step_marks
from leaderboard.rendering.media import about_media, image_outputs
from leaderboard.rendering.model import Node, Whole
from leaderboard.rendering.names import KINDS, LANDMARK_STATUSES, MARKS, shown_marks
from leaderboard.rendering.repeats import REPEATED

TURN: Final = ("prompt_tokens", "response_tokens", "cached_tokens", "reasoning_tokens", "cost")
"""What a step has of its model's turn, where it is known."""
MAX_AGENT: Final = 60
"""Characters of a sub-agent's name that a heading shows."""


def to_notebook(
    trajectory: Trajectory,
    landmarks: Iterable[LandmarkResult] = (),
    outputs: Mapping[int, Whole] = MappingProxyType({}),
) -> Node:
    """The notebook of a trajectory; hits are in the cells' metadata (raw offsets) and tags."""
    hits: dict[int, list[tuple[int, StepHits]]] = {}
    for landmark in landmarks:
        for step_hits in landmark.hits:
            hits.setdefault(step_hits.step, []).append((landmark.number, step_hits))
    # A step with a landmark's hit is worth a look, whatever it repeats.
    repeated = repeated_steps(trajectory.steps) - hits.keys()
    cells: list[Node] = []
    for step in trajectory.steps:
        again = step.number in repeated
        cells += _cells(step, hits.get(step.number, []), outputs.get(step.number), repeated=again)
    answer = "" if trajectory.answer is MISSING else json.dumps(trajectory.answer, ensure_ascii=False)
    about = _node(
        format=trajectory.format,
        query=storable(trajectory.query),
        answer=storable(answer),
        ending=str(trajectory.shown_ending),
        ending_detail=storable(ending_words(trajectory.shown_ending, trajectory.ending_detail)),
    )
    kernel = _node(name="python3", display_name="Python 3", language="python")
    metadata = _node(kernelspec=kernel, language_info=_node(name="python"), superboard=about)
    return _node(nbformat=4, nbformat_minor=5, metadata=metadata, cells=cells)


def notebook_bytes(notebook: Node, landmarks: Sequence[LandmarkResult] = ()) -> bytes:
    """The .ipynb file, UTF-8. What its Markdown cells show loads nothing and runs nothing, in any program.

    Other programs show no metadata. So cells in front say what was asked and answered, which of ``landmarks``
    were hit, and what the steps are, and each step has a heading. `rendering.facts` are filled into the first
    cell when the file is served.
    """
    shown = {landmark.number for landmark in landmarks}
    steps = {cell["metadata"]["superboard"]["step"]: cell for cell in notebook["cells"] if _is_step(cell)}
    cells = _opening(notebook["metadata"]["superboard"], landmarks, steps.values())
    headed = 0
    for cell in notebook["cells"]:
        number = cell["metadata"]["superboard"]["step"]
        if number != headed:
            headed = number
            cells.append(_heading(steps[number], shown))
        cells.append(cell if _is_step(cell) else _node(**{**cell, "source": inert_markdown(cell["source"])}))
    text = json.dumps({**notebook, "cells": cells}, ensure_ascii=False, indent=1, sort_keys=True)
    return text.encode() + b"\n"


def _opening(about: Node, landmarks: Sequence[LandmarkResult], steps: Iterable[Node]) -> list[Node]:
    """The cells before the first step, each with a heading."""
    kinds = {cell["metadata"]["superboard"]["step"]: cell for cell in steps}
    listed = [
        f"- Landmark {each.number}: {LANDMARK_STATUSES[each.status]}"
        + (f", [step {each.first_step}](#{_anchor(kinds[each.first_step])})" if each.first_step else "")
        for each in landmarks
    ]
    outline = "\n".join(_outline_line(cell) for cell in kinds.values())
    texts = {
        "query": ("What the agent was asked", inert_markdown(about["query"])),
        "answer": ("What it answered", fenced(about["answer"]) if about["answer"] else "Nothing."),
        "landmarks": ("Landmarks", "\n".join(listed)),
        "outline": ("Steps", fenced(outline) if outline else ""),
    }
    found = [
        _markdown(name, f"## {title}\n\n{text}") for name, (title, text) in texts.items() if text.strip()
    ]
    return [_markdown("facts", MARKER), *found]


def _outline_line(cell: Node) -> str:
    about = cell["metadata"]["superboard"]
    known = "" if about["duration"] is None else duration_text(about["duration"])
    whose = about.get("agent", "")[:MAX_AGENT]
    ends = ", ".join(
        filter(None, (known, whose, *(MARKS[mark] for mark in shown_marks(about["kind"], about["marks"]))))
    )
    return f"{about['step']:>4}  {KINDS[about['kind']]}  {_title(cell)}  {ends}".rstrip()


def _title(cell: Node) -> str:
    about = cell["metadata"]["superboard"]
    observation = "".join(output["text"] for output in cell["outputs"] if output["output_type"] == "stream")
    return title(about["kind"], cell["source"], observation, refused=about.get("refused", ""))


def _heading(cell: Node, shown: Collection[int]) -> Node:
    """A step's heading, and below it how long it took, its marks and those of its landmarks in ``shown``."""
    about = cell["metadata"]["superboard"]
    hits = [str(each["number"]) for each in about["landmarks"] if each["number"] in shown]
    parts = (
        "" if about["duration"] is None else duration_text(about["duration"]),
        *(MARKS[mark] for mark in shown_marks(about["kind"], about["marks"])),
        plural(len(hits), "landmark ", "landmarks ") + ", ".join(hits) if hits else "",
    )
    below = " · ".join(filter(None, parts))
    text = f"## {_heading_text(about)}" + (f"\n\n*{below}*" if below else "")
    return _markdown(f"heading-{about['step']}", text)


def _heading_text(about: Node) -> str:
    agent = f" · {plain(about['agent'][:MAX_AGENT])}" if about.get("agent") else ""
    return f"Step {about['step']} · {KINDS[about['kind']]}{agent}"


def _anchor(cell: Node) -> str:
    """The address of a step's heading, as Jupyter and nbconvert make it."""
    return _heading_text(cell["metadata"]["superboard"]).replace(" ", "-")


def _is_step(cell: Node) -> bool:
    return bool(cell["cell_type"] == "code")


def _markdown(key: str, source: str) -> Node:
    return _node(cell_type="markdown", id=key, metadata=_node(), source=source)


def _cells(
    step: Step, hits: list[tuple[int, StepHits]], whole: Whole | None, *, repeated: bool
) -> list[Node]:
    observation = storable(step.observation or "")
    found = step_marks(step.kind, observation, pre_executed=step.pre_executed)
    if repeated:
        found += (REPEATED,)
    why = refusal(step.kind, observation)
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
    if why:
        about["refused"] = why
    if known := {name: value for name in TURN if (value := getattr(step, name)) is not None}:
        about["turn"] = _node(**known)
    if step.agent:
        about["agent"] = storable(step.agent)
    if step.shown:
        about["shown"] = _node(**asdict(step.shown))
    if whole:
        about["whole_output"] = _node(size=whole.size, cut=whole.cut)
    tags = [f"step-{step.number}", *found, *(f"landmark-{number}" for number, _ in hits)]
    if step.media:
        about["media"] = [_node(**each) for each in about_media(step.media)]
    outputs = [_node(output_type="stream", name="stdout", text=observation)] if observation else []
    outputs += [_node(**output) for output in image_outputs(step.media)]
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


def _node(**values: object) -> Node:
    return values
