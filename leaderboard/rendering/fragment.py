"""Notebook -> fragment of HTML, in linear time, with the templates and filters of this package.

The templates are Jinja's, as nbconvert's are; `rendering.exporter` makes an exporter of nbconvert of them. It
is not needed here: to import nbconvert takes longer than to read and render most trajectories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from leaderboard.domain.amounts import dollars
from leaderboard.domain.durations import duration_text
from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import Shown, Trajectory
from leaderboard.rendering import actions
from leaderboard.rendering.fold import Folded, fold
from leaderboard.rendering.hits import Hit
from leaderboard.rendering.lines import Line, plain_lines, visible
from leaderboard.rendering.media import media_of_cell
from leaderboard.rendering.model import Node, OutlineItem, Page, Rendering, StepText, Whole
from leaderboard.rendering.names import KINDS, LANDMARK_STATUSES, MARKS, shown_marks
from leaderboard.rendering.notebook import to_notebook
from leaderboard.rendering.prose import as_written, prose
from leaderboard.rendering.repeats import stretches
from leaderboard.rendering.terminal import terminal_lines
from leaderboard.rendering.whole import add_output_link, tag_left_out_line

TEMPLATES = Path(__file__).parent / "templates" / "trajectory"
TEMPLATE = "index.html.j2"
LONG_THOUGHT = 4_000
"""A longer thought, in characters, is shown as plain text and folded."""


@dataclass(slots=True)
class ExportState:
    """The state of one export: what the filters collect.

    ``whole``: one page with all text, no others. ``ordinals``: the hits of each landmark so far.
    """

    whole: bool = False
    ordinals: dict[int, int] = field(default_factory=dict)
    outline: list[OutlineItem] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    texts: list[StepText] = field(default_factory=list)

    def add(self, folded: Folded, step: int, part: str) -> Markup:
        """Store a text and its pages, and return its HTML."""
        self.pages += folded.pages
        if folded.text:
            self.texts.append(StepText(step, part, folded.text))
        return Markup(folded.html)  # noqa: S704 - escaped line by line

    def hits(self, cell: Node) -> list[Hit]:
        """The hits in a cell's output, numbered across the attempt."""
        found = []
        for landmark in cell["metadata"]["superboard"]["landmarks"]:
            number = landmark["number"]
            for start, end in landmark["spans"]:
                self.ordinals[number] = self.ordinals.get(number, 0) + 1
                found.append(Hit(start, end, number, self.ordinals[number]))
        return found


@cache
def environment() -> Environment:
    """The process's only environment of templates: creating one takes as long as many exports."""
    made = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    made.filters.update(FILTERS)
    return made


def export(notebook: Node, state: ExportState) -> str:
    """The HTML fragment of all steps; the rest is in ``state`` then."""
    html = environment().get_template(TEMPLATE).render(nb=notebook, resources={"state": state})
    return html.lstrip("\r\n")


Export = Callable[[Node, ExportState], str]
"""Makes the fragment of a notebook: `export`, or that of an exporter of nbconvert, which gives the same."""


def render_attempt(
    trajectory: Trajectory,
    landmarks: tuple[LandmarkResult, ...] = (),
    *,
    hits_before: Mapping[int, int] = MappingProxyType({}),
    outputs: Mapping[int, Whole] = MappingProxyType({}),
    exported: Export | None = None,
) -> Rendering:
    """Render everything that is stored for one attempt's trajectory.

    ``hits_before`` has each landmark's number of hits in earlier steps of the page that are rendered
    separately, so that a hit's HTML id is unique. ``outputs``, by step, are those shown in part only.
    ``exported`` is used in place of `export`.
    """
    notebook = to_notebook(trajectory, landmarks, outputs)
    state = ExportState(ordinals=dict(hits_before))
    html = (exported or export)(notebook, state)
    return Rendering(
        notebook=notebook,
        html=html,
        outline=tuple(state.outline),
        pages=tuple(state.pages),
        texts=tuple(state.texts),
    )


def _thought(cell: Node, state: ExportState) -> Markup:
    step, source = cell["metadata"]["superboard"]["step"], cell["source"]
    if len(source) > LONG_THOUGHT:
        return state.add(fold(plain_lines(source), step, "thought", whole=state.whole), step, "thought")
    state.texts.append(StepText(step, "thought", source))
    html = prose(source)
    return Markup(html + as_written(source, html))  # noqa: S704 - cleaned by nh3, and escaped


def _action(cell: Node, state: ExportState) -> dict[str, Any]:
    about = cell["metadata"]["superboard"]
    step = about["step"]
    why = about.get("refused", "")
    shown_action = actions.action(about["kind"], cell["source"], _text(cell), made=not why)
    folded = fold(shown_action.lines, step, "action", whole=state.whole)
    return {
        "html": state.add(folded, step, "action"),
        "file": shown_action.file,
        "range": shown_action.lines_range,
        "refused": why,
    }


def _output(cell: Node, state: ExportState) -> Markup:
    about = cell["metadata"]["superboard"]
    step, kept = about["step"], about.get("whole_output")
    lines: Iterable[Line] = terminal_lines(_text(cell), state.hits(cell))
    folded = fold(tag_left_out_line(lines) if kept else lines, step, "output", whole=state.whole)
    if kept:
        folded = add_output_link(folded, step, kept, linked=not state.whole)
    return state.add(folded, step, "output")


def _text(cell: Node) -> str:
    """The raw text of a cell's outputs."""
    return "".join(output["text"] for output in cell["outputs"] if output["output_type"] == "stream")


def _media(cell: Node, state: ExportState) -> list[dict[str, Any]]:
    return list(media_of_cell(cell, whole=state.whole))


class _Cell(NamedTuple):
    """A step's cell as `repeats.stretches` reads it."""

    number: int
    kind: str
    marks: Sequence[str]


def _stretches(nb: Node) -> dict[str, Any]:
    """Stretches of repeated steps by the numbers of their first steps, and the numbers of their last ones."""
    abouts = [cell["metadata"]["superboard"] for cell in nb["cells"] if cell["cell_type"] == "code"]
    cells = (_Cell(a["step"], a["kind"], a["marks"]) for a in abouts)
    found = [stretch for stretch in stretches(cells) if stretch.text]
    return {
        "begun": {stretch.steps[0].number: stretch for stretch in found},
        "ended": {stretch.steps[-1].number for stretch in found},
    }


def _outline(cell: Node, state: ExportState) -> OutlineItem:
    about = cell["metadata"]["superboard"]
    item = OutlineItem(
        number=about["step"],
        kind=about["kind"],
        title=actions.title(about["kind"], cell["source"], _text(cell), refused=about.get("refused", "")),
        duration=about["duration"],
        marks=tuple(about["marks"]),
        landmarks=tuple(landmark["number"] for landmark in about["landmarks"]),
        shown=Shown(**about["shown"]) if "shown" in about else None,
        agent=about.get("agent", ""),
        **about.get("turn", {}),
    )
    state.outline.append(item)
    return item


def _tokens(item: OutlineItem) -> str:
    """A turn's tokens, sent and received; empty where neither is known."""
    known = (
        (item.prompt_tokens, "sent", item.cached_tokens, "from a cache"),
        (item.response_tokens, "received", item.reasoning_tokens, "reasoning"),
    )
    parts = [
        f"{count:,} {word}" + (f" ({part:,} {which})" if part else "")
        for count, word, part, which in known
        if count is not None
    ]
    return f"tokens: {', '.join(parts)}" if parts else ""


_CLOCK = re.compile(r"\d\d:\d\d:\d\d")


def _clock(started: str) -> str:
    """The clock time in a text like ``2024-08-22 06:15:34.123456``; the whole text if it has none."""
    found = _CLOCK.search(started)
    return found[0] if found else started


FILTERS: dict[str, Any] = {
    "kind_name": KINDS.__getitem__,
    "mark_name": MARKS.__getitem__,
    "shown_marks": lambda item: shown_marks(item.kind, item.marks),
    "status_name": LANDMARK_STATUSES.__getitem__,
    "grouped": "{:,}".format,
    "plural": plural,
    "lines_range": actions.lines_text,
    "thought": _thought,
    "action": _action,
    "output": _output,
    "media": _media,
    "outline": _outline,
    "duration": duration_text,
    "tokens": _tokens,
    "dollars": dollars,
    "clock": _clock,
    "stretches": _stretches,
    "visible": visible,
}
"""The filters of the templates, beside Jinja's own."""
