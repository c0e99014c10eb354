"""Converts raw offsets of landmark hits to marks on a shown line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from leaderboard.rendering.lines import BIDI, BIDI_WIDTH, HitMark


class Hit(NamedTuple):
    """A match of a landmark: raw offsets, end exclusive; ``ordinal`` counts its hits in the attempt."""

    start: int
    end: int
    landmark: int
    ordinal: int


def written_out(raw: str, start: int, end: int) -> list[int]:
    """Where ``raw`` has characters that are shown as their names in brackets."""
    return [match.start() for match in BIDI.finditer(raw, start, end)]


class HitPlacer:
    """Places hits on one shown line.

    ``pieces`` are (start, end, base): the raw characters from start to end are at base on the shown line,
    which has ``length`` characters. ``controls`` are the raw offsets of those that are `written_out`.
    """

    def __init__(self, controls: Sequence[int], pieces: Iterable[tuple[int, int, int]], length: int) -> None:
        self.length = length
        self.pieces = sorted(pieces)
        self.ends = [end for _, end, _ in self.pieces]
        self.controls = controls

    def marks(self, hits: Sequence[Hit], pending: set[Hit], ending: set[Hit]) -> list[HitMark]:
        """The marks, sorted; a hit of ``ending`` that no line has shown gets a mark of width 0."""
        found: list[HitMark] = []
        for hit in hits:
            for start, end in sorted(self._shown_ranges(hit.start, hit.end)):
                previous = found[-1] if found else None
                if previous and previous[2:4] == hit[2:4] and previous.end == start:
                    found[-1] = previous._replace(end=end)
                    continue
                found.append(HitMark(start, end, hit.landmark, hit.ordinal, hit in pending))
                pending.discard(hit)
            if hit in ending and hit in pending:
                at = self._point(hit.start)
                found.append(HitMark(at, at, hit.landmark, hit.ordinal, True))
                pending.discard(hit)
        return sorted(found)

    def _shown_ranges(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        for index in range(bisect_right(self.ends, low), len(self.pieces)):
            start, end, base = self.pieces[index]
            if start >= high:
                return
            left, right = max(low, start), min(high, end)
            if left < right:
                at = base + self._shown_length(start, left)
                yield at, at + self._shown_length(left, right)

    def _point(self, offset: int) -> int:
        index = bisect_right(self.ends, offset)
        if index == len(self.pieces):
            return self.length
        start, _, base = self.pieces[index]
        return base + self._shown_length(start, max(start, offset))

    def _shown_length(self, start: int, end: int) -> int:
        longer = bisect_left(self.controls, end) - bisect_left(self.controls, start)
        return end - start + longer * (BIDI_WIDTH - 1)
