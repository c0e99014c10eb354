"""Texts of an attempt's steps as shown: page by page, line by line, and whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from leaderboard.models import Attempt, AttemptStep, OutputPage
from leaderboard.rendering.addresses import line_id, with_line_ids
from leaderboard.rendering.fold import unfolded
from leaderboard.rendering.inert import step_markdown
from leaderboard.rendering.names import KINDS

FIELDS: Final = {"thought": "thought", "action": "action", "output": "observation"}
"""The field of a step that has the text of each part."""


@dataclass(frozen=True, slots=True)
class TextPage:
    """A page of a text with an address for each line; ``pages`` are all of the text's, from 1."""

    step: int
    part: str
    number: int
    pages: int
    first_line: int
    last_line: int
    html: str


def read_page(attempt: Attempt, step: int, part: str, number: int) -> TextPage | None:
    """A page of a text; a text that is not long has one. None if there is none. Two queries."""
    page = _pages(attempt, step, part).filter(number=number).first()
    if page:
        pages = _pages(attempt, step, part).count()
        html = with_line_ids(page.html, step, part, page.first_line)
        return TextPage(step, part, number, pages, page.first_line, page.last_line, html)
    text = read_text(attempt, step, part) if number == 1 else ""
    if not text:
        return None
    html = with_line_ids(unfolded(text), step, part, 1)
    return TextPage(step, part, 1, 1, 1, html.count('class="ln"'), html)


def page_of_line(attempt: Attempt, step: int, part: str, line: int) -> tuple[int, str] | None:
    """The number of the first page that has a line, and the line's address on it. Two queries at most."""
    pages = list(_pages(attempt, step, part).values_list("number", "last_line"))
    if not pages:
        text = read_text(attempt, step, part)
        pages = [(1, text.count("\n") + 1)] if text else []
    number = next((number for number, last in pages if line <= last), None)
    return (number, line_id(step, part, line)) if number and line > 0 else None


def read_text(attempt: Attempt, step: int, part: str) -> str:
    """The text of a part of a step as shown; empty if there is none. One query."""
    field = FIELDS.get(part)
    found = attempt.steps.filter(number=step).values_list(field, flat=True).first() if field else None
    return found or ""


def read_markdown(attempt: Attempt, step: int) -> str:
    """A step as Markdown; empty if there is no such step. One query."""
    found = attempt.steps.filter(number=step).first()
    return _markdown(found) if found else ""


def _markdown(step: AttemptStep) -> str:
    heading = f"Step {step.number}: {KINDS.get(step.kind, step.kind)}"
    return step_markdown(heading, step.kind, step.thought, step.action, step.observation)


def _pages(attempt: Attempt, step: int, part: str) -> QuerySet[OutputPage]:
    return attempt.pages.filter(step=step, part=part)
