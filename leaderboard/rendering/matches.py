"""Finds a text in the steps of an attempt, as they are shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.domain.words import fold_case
from leaderboard.rendering.addresses import line_id

MATCHES_A_STEP = 20
MATCHES_IN_ALL = 200
"""How many matches a search lists; the rest are counted."""
PARTS = {"thought": "Thoughts", "action": "Code", "output": "Outputs"}
"""The parts of a step that can be searched alone, with their labels."""
EXCERPT = 60
"""Characters shown on each side of a match."""


@dataclass(frozen=True, slots=True)
class Match:
    """A search hit: ``line``, from 1, of the part's text as shown, and the line's text around the match.

    ``page`` is the page of the text that holds the line. ``nth`` counts the hits before it in the line, and
    ``nth_in_part`` in the part.
    """

    step: int
    part: str
    line: int
    page: int
    before: str
    match: str
    after: str
    nth: int
    nth_in_part: int

    @property
    def line_id(self) -> str:
        return line_id(self.step, self.part, self.line)


@dataclass(frozen=True, slots=True)
class Matches:
    """Search results: ``total`` counts all, ``listed`` holds the first."""

    listed: list[Match]
    total: int


def parts_to_search(part: str) -> tuple[str, ...]:
    """The part of that name, or all of them."""
    return (part,) if part in PARTS else tuple(PARTS)


def find_in(
    texts: Iterable[tuple[int, str, str]], text: str, starts: Mapping[tuple[int, str], Sequence[int]]
) -> Matches:
    """Search for ``text`` in (step, part, text as shown), folded parts included; case is ignored.

    ``starts`` has the offsets of the pages of long texts, by step and part. Linear in the texts.
    """
    wanted = fold_case(text)
    listed: list[Match] = []
    total, current, room = 0, 0, 0
    for step, part, shown in texts:
        if step != current:
            current, room = step, min(MATCHES_A_STEP, MATCHES_IN_ALL - len(listed))
        offsets, count = _find(fold_case(shown), wanted, room)
        room -= len(offsets)
        total += count
        spans = [(at, at + len(wanted)) for at in offsets]
        listed += _matches(step, part, shown, spans, starts.get((step, part), (0,)))
    return Matches(listed, total)


def _find(text: str, wanted: str, most: int) -> tuple[list[int], int]:
    """The first offsets of ``wanted``, at most ``most``, and how often it is there; none overlap."""
    offsets: list[int] = []
    after = 0
    while len(offsets) < most and (at := text.find(wanted, after)) >= 0:
        offsets.append(at)
        after = at + len(wanted)
    return offsets, len(offsets) + text.count(wanted, after)


def _matches(
    step: int, part: str, text: str, spans: Iterable[tuple[int, int]], starts: Sequence[int]
) -> Iterator[Match]:
    line, counted_to, nth = 1, 0, 0
    for nth_in_part, (start, end) in enumerate(spans):
        newlines = text.count("\n", counted_to, start)
        nth = 0 if newlines or not nth_in_part else nth + 1
        line += newlines
        counted_to = start
        before = text[max(0, start - EXCERPT) : start].rpartition("\n")[2]
        after = text[end : end + EXCERPT].partition("\n")[0]
        # Pages are in order without gaps: a match is on the last page that starts at or before it.
        page = bisect_right(starts, start)
        yield Match(step, part, line, page, before, text[start:end], after, nth, nth_in_part)
