"""Texts of an attempt's steps as shown: page by page, line by line, and whole."""

from __future__ import annotations

from typing import Final

from django.db.models import QuerySet

from leaderboard.models import Attempt, AttemptStep, OutputPage
from leaderboard.rendering.inert import step_markdown
from leaderboard.rendering.names import KINDS
from leaderboard.rendering.text_pages import TextPage, only_page, page_with_line, stored_page

FIELDS: Final = {"thought": "thought", "action": "action", "output": "observation"}
"""The field of a step that has the text of each part."""


def read_page(attempt: Attempt, step: int, part: str, number: int) -> TextPage | None:
    """A page of a text; a text that is not long has one. None if there is none. Two queries."""
    page = _pages(attempt, step, part).filter(number=number).first()
    if page:
        return stored_page(page, _pages(attempt, step, part).count())
    return only_page(read_text(attempt, step, part), step, part) if number == 1 else None


def page_of_line(attempt: Attempt, step: int, part: str, line: int) -> tuple[int, str] | None:
    """The number of the first page that has a line, and the line's address on it. Two queries at most."""
    pages = list(_pages(attempt, step, part).values_list("number", "last_line"))
    if not pages:
        text = read_text(attempt, step, part)
        pages = [(1, text.count("\n") + 1)] if text else []
    return page_with_line(pages, step, part, line)


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
