"""An nbconvert exporter of our own: notebook -> fragment of HTML, linear in the text, one for the process.

It uses nbconvert's template machinery with our templates and filters. By-products (outline, pages, texts)
come back in the resources, as with nbconvert's own exporters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from nbconvert.exporters import TemplateExporter
from nbformat import NotebookNode
from traitlets.config import Config

from leaderboard.domain.durations import two_largest_units
from leaderboard.rendering import actions
from leaderboard.rendering.fold import Folded, fold
from leaderboard.rendering.hits import Hit
from leaderboard.rendering.lines import Line, plain_lines, visible
from leaderboard.rendering.model import OutlineItem, Page, StepText
from leaderboard.rendering.prose import prose
from leaderboard.rendering.terminal import shown
from leaderboard.rendering.whole import flag_left_out, with_link
from leaderboard.rendering.words import word

TEMPLATES = Path(__file__).parent / "templates"
LONG_THOUGHT = 4_000
"""Characters beyond which a thought is shown as plain text and folds."""


class Gathered:
    """The state of one export: what the filters leave for the caller. ``whole`` hides nothing on pages."""

    def __init__(self, *, whole: bool = False, hits_before: Mapping[int, int] = MappingProxyType({})) -> None:
        self.whole = whole
        self.outline: list[OutlineItem] = []
        self.pages: list[Page] = []
        self.texts: list[StepText] = []
        self.ordinals = dict(hits_before)

    def add(self, folded: Folded, step: int, part: str) -> Markup:
        """Keeps a text's by-products and returns its HTML."""
        self.pages += folded.pages
        if folded.text:
            self.texts.append(StepText(step, part, folded.text))
        return Markup(folded.html)  # noqa: S704 - escaped line by line

    def hits(self, cell: NotebookNode) -> list[Hit]:
        """The hits in a cell's output, numbered on over the attempt."""
        found = []
        for landmark in cell["metadata"]["superboard"]["landmarks"]:
            number = landmark["number"]
            for start, end in landmark["spans"]:
                self.ordinals[number] = self.ordinals.get(number, 0) + 1
                found.append(Hit(start, end, number, self.ordinals[number]))
        return found


class TrajectoryExporter(TemplateExporter):
    """Exports the notebooks of ``rendering.notebook``; pass ``{"gathered": Gathered()}`` as resources."""

    @property
    def default_config(self) -> Config:
        """No preprocessor: the notebook is ours, and each would copy it."""
        return Config({"TrajectoryExporter": {"default_preprocessors": []}})

    def default_filters(self) -> Any:
        """Ours alone."""
        return [
            ("word", _word),
            ("thought", _thought),
            ("action", _action),
            ("output", _output),
            ("outline", _outline),
            ("duration", _duration),
            ("clock", _clock),
            ("visible", visible),
        ]

    def _create_environment(self) -> Environment:
        environment: Environment = super()._create_environment()  # type: ignore[no-untyped-call]
        environment.autoescape = True
        return environment

    def _preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        return nb, resources


@cache
def exporter() -> TrajectoryExporter:
    """The process's exporter: making one costs as much as many exports."""
    return TrajectoryExporter(  # type: ignore[no-untyped-call]
        template_name="trajectory", extra_template_basedirs=[str(TEMPLATES)], file_extension=".html"
    )


def export(
    notebook: NotebookNode, *, whole: bool = False, hits_before: Mapping[int, int] = MappingProxyType({})
) -> tuple[str, Gathered]:
    """The fragment of all steps, and what was gathered on the way; hits are numbered from ``hits_before``."""
    gathered = Gathered(whole=whole, hits_before=hits_before)
    html, _ = exporter().from_notebook_node(notebook, resources={"gathered": gathered})
    return html, gathered


def _word(key: str, *args: object) -> Markup:
    return Markup(word(key, *args))  # noqa: S704 - a marker of fixed form


def _thought(cell: NotebookNode, gathered: Gathered) -> Markup:
    step, source = cell["metadata"]["superboard"]["step"], cell["source"]
    if len(source) > LONG_THOUGHT:
        return gathered.add(fold(plain_lines(source), step, "thought", whole=gathered.whole), step, "thought")
    gathered.texts.append(StepText(step, "thought", source))
    return Markup(prose(source))  # noqa: S704 - through the allow-list


def _action(cell: NotebookNode, gathered: Gathered) -> dict[str, Any]:
    about = cell["metadata"]["superboard"]
    step = about["step"]
    shown_action = actions.action(about["kind"], cell["source"])
    folded = fold(shown_action.lines, step, "action", whole=gathered.whole)
    return {
        "html": gathered.add(folded, step, "action"),
        "file": shown_action.file,
        "range": shown_action.lines_range,
    }


def _output(cell: NotebookNode, gathered: Gathered) -> Markup:
    about = cell["metadata"]["superboard"]
    step, kept = about["step"], about.get("whole_output")
    text = "".join(output["text"] for output in cell["outputs"])
    lines: Iterable[Line] = shown(text, gathered.hits(cell))
    folded = fold(flag_left_out(lines) if kept else lines, step, "output", whole=gathered.whole)
    if kept:
        folded = with_link(folded, step, kept, linked=not gathered.whole)
    return gathered.add(folded, step, "output")


def _outline(cell: NotebookNode, gathered: Gathered) -> OutlineItem:
    about = cell["metadata"]["superboard"]
    item = OutlineItem(
        number=about["step"],
        kind=about["kind"],
        title=actions.title(cell["source"]),
        duration=about["duration"],
        marks=tuple(about["marks"]),
        landmarks=tuple(landmark["number"] for landmark in about["landmarks"]),
    )
    gathered.outline.append(item)
    return item


_CLOCK = re.compile(r"\d\d:\d\d:\d\d")


def _clock(started: str) -> str:
    """The clock time in a text like ``2024-08-22 06:15:34.123456``; the whole text where it has none."""
    found = _CLOCK.search(started)
    return found[0] if found else started


def _duration(seconds: float) -> Markup:
    parts = two_largest_units(seconds)
    return _word(parts[0], *parts[1]) if parts else Markup("")
