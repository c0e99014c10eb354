"""The pages of a text as shown, with an address for each line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from leaderboard.rendering.addresses import line_id, with_line_ids
from leaderboard.rendering.fold import unfolded


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


class StoredPage(Protocol):
    """What is read of a page of a long text: a row of it, or a `rendering.model.Page`."""

    @property
    def step(self) -> int: ...
    @property
    def part(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def first_line(self) -> int: ...
    @property
    def last_line(self) -> int: ...
    @property
    def html(self) -> str: ...


def stored_page(page: StoredPage, pages: int) -> TextPage:
    """One of the ``pages`` of a long text."""
    html = with_line_ids(page.html, page.step, page.part, page.first_line)
    return TextPage(page.step, page.part, page.number, pages, page.first_line, page.last_line, html)


def only_page(text: str, step: int, part: str) -> TextPage | None:
    """The page of a text that is not long; None of an empty one."""
    if not text:
        return None
    html = with_line_ids(unfolded(text), step, part, 1)
    return TextPage(step, part, 1, 1, 1, html.count('class="ln"'), html)


def page_with_line(
    pages: Iterable[tuple[int, int]], step: int, part: str, line: int
) -> tuple[int, str] | None:
    """The first of ``pages``, each a number and its last line, that has a line, and the line's address."""
    number = next((number for number, last in pages if line <= last), None)
    return (number, line_id(step, part, line)) if number and line > 0 else None
