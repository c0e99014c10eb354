"""What rendering gives back."""

from __future__ import annotations

from dataclasses import dataclass

from nbformat import NotebookNode


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a whole long text.

    Attributes:
        step, part: whose text it is; ``part`` is ``output``, ``action`` or ``thought``.
        number: counted from 1 within the text.
        html: a ``pre`` with the page's rows, words left open as in the fragment.
        first_line, last_line: the lines of the text on it, from 1; a very long line is on several pages.
        start, end: offsets in ``StepText.text``, end exclusive: the page of any offset is found by bisection.
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
    """The plain text of one part of a step as shown (the terminal's work done), lines joined by newlines."""

    step: int
    part: str
    text: str


@dataclass(frozen=True, slots=True)
class Whole:
    """That all of a step's output is kept elsewhere: bytes of it; ``cut`` where even that lacks its end."""

    size: int
    cut: bool


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """One line of the outline: ``landmarks`` are the numbers hit in this step's output."""

    number: int
    kind: str
    title: str
    duration: float | None
    marks: tuple[str, ...]
    landmarks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rendering:
    """All that is stored of one attempt's trajectory; ``html`` is every step with its long texts folded."""

    notebook: NotebookNode
    html: str
    outline: tuple[OutlineItem, ...]
    pages: tuple[Page, ...]
    texts: tuple[StepText, ...]
