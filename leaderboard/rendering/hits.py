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


class HitPlacer:
    """Places hits on one shown line.

    ``raw`` starts at the offset ``begin`` of the raw text; ``pieces`` are (start, end, base): the characters
    from start to end of ``raw`` are at base on the shown line, which has ``length`` characters.
    """

    def __init__(self, raw: str, begin: int, pieces: Iterable[tuple[int, int, int]], length: int) -> None:
        self.raw = raw
        self.begin = begin
        self.length = length
        self.pieces = sorted(pieces)
        self.ends = [end for _, end, _ in self.pieces]
        self.written_out = [match.start() for match in BIDI.finditer(raw)]

    def marks(self, hits: Sequence[Hit], pending: set[Hit], *, last: bool) -> list[HitMark]:
        """The marks, sorted; on the ``last`` line of a hit, a hit without visible characters gets width 0."""
        begin, length = self.begin, len(self.raw)
        found: list[HitMark] = []
        for hit in hits:
            for start, end in sorted(self._shown_ranges(hit.start - begin, hit.end - begin)):
                previous = found[-1] if found else None
                if previous and previous[2:4] == hit[2:4] and previous.end == start:
                    found[-1] = previous._replace(end=end)
                    continue
                found.append(HitMark(start, end, hit.landmark, hit.ordinal, hit in pending))
                pending.discard(hit)
            if last and hit in pending and hit.end <= begin + length + 1:
                at = self._point(hit.start - begin)
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
        longer = bisect_left(self.written_out, end) - bisect_left(self.written_out, start)
        return end - start + longer * (BIDI_WIDTH - 1)
