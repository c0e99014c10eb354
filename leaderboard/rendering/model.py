"""The results of rendering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboard.domain.trajectory import Shown

Node = dict[str, Any]
"""A notebook of nbformat, or a part of it: its own class, also a dict, takes long to import."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a long text.

    Attributes:
        step, part: of which step and which part: ``output``, ``action`` or ``thought``.
        number: counted from 1 within the text.
        html: a ``pre`` with the page's rows; URLs are markers, as in the fragment.
        first_line, last_line: the lines of the text on it, from 1; a very long line is on several pages.
        start, end: offsets in ``StepText.text``, end exclusive, so that bisection finds an offset's page.
    """

    step: int
    part: str
    number: int
    html: str
    first_line: int
    last_line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class StepText:
    """The plain text of one part of a step as shown, after terminal emulation; lines joined by newlines."""

    step: int
    part: str
    text: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A step's whole output, which is stored separately: its bytes; ``cut``: even this one is cut off."""

    size: int
    cut: bool


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """One line of the outline; ``landmarks`` are the numbers of those hit in this step's output.

    Tokens, cost, ``shown`` and ``agent`` are as in `Step`.
    """

    number: int
    kind: str
    title: str
    duration: float | None
    marks: tuple[str, ...]
    landmarks: tuple[int, ...]
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    shown: Shown | None = None
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """Everything stored for one attempt's trajectory; ``html`` has every step, with long texts folded."""

    notebook: Node
    html: str
    outline: tuple[OutlineItem, ...]
    pages: tuple[Page, ...]
    texts: tuple[StepText, ...]
