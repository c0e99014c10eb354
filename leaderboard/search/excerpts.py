"""The lines of a step in which something was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

from leaderboard.domain.words import Term, indexed_pieces, term_spans
from leaderboard.models import AttemptStep

MOST_EXCERPTS = 3
"""Excerpts of one step."""
BEFORE, AFTER = 60, 140
"""Characters of a line shown before the first hit of an excerpt, and from there on."""
MOST_HITS = 50
"""Hits of one term in one text that are considered."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a line of a step's ``part``, counted from 1; ``hits`` are offsets in ``text``."""

    part: str
    line: int
    text: str
    hits: list[Span]

    @property
    def part_label(self) -> str:
        """The part's name on pages."""
        return "output" if self.part == "observation" else self.part

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The text in pieces, each with whether it is a hit."""
        pieces, done = [], 0
        for start, end in self.hits:
            pieces += [(self.text[done:start], False), (self.text[start:end], True)]
            done = end
        return [piece for piece in (*pieces, (self.text[done:], False)) if piece[0]]


def step_excerpts(step: AttemptStep, terms: Sequence[Term]) -> list[Excerpt]:
    """At most ``MOST_EXCERPTS`` lines that together show as many of ``terms`` as they can, in order."""
    found: dict[tuple[int, int], dict[int, list[Span]]] = {}
    parts = {"thought": step.thought, "action": step.action, "observation": step.observation}
    for place, text in enumerate(parts.values()):
        for start, hits in _hits_by_line(text, terms).items():
            found[place, start] = hits
    chosen: list[tuple[int, int]] = []
    missing = set(range(len(terms)))
    while missing and len(chosen) < MOST_EXCERPTS:
        # The earliest of the lines that have the most of what no chosen line has.
        best = max(found, key=lambda line: len(missing & found[line].keys()), default=None)
        if best is None or not missing & found[best].keys():
            break
        chosen.append(best)
        missing -= found[best].keys()
    names = list(parts)
    return [
        _excerpt(names[place], parts[names[place]], sorted(chain(*found[place, start].values())))
        for place, start in sorted(chosen)
    ]


def _hits_by_line(text: str, terms: Sequence[Term]) -> dict[int, dict[int, list[Span]]]:
    """By the offset of a line in ``text``, the hits that begin in it, by the number of their term."""
    lines: dict[int, dict[int, list[Span]]] = defaultdict(lambda: defaultdict(list))
    for offset, piece in indexed_pieces(text):
        for number, term in enumerate(terms):
            for start, end in islice(term_spans(piece, term), MOST_HITS):
                line = text.rfind("\n", 0, offset + start) + 1
                lines[line][number].append((offset + start, offset + end))
    return dict(sorted(lines.items()))


def _excerpt(part: str, text: str, hits: Sequence[Span]) -> Excerpt:
    """The line of ``text`` in which the first hit begins, or what is around that of a long line."""
    first, first_end = hits[0]
    line_start = text.rfind("\n", 0, first) + 1
    line_end = text.find("\n", first_end)
    line_end = len(text) if line_end < 0 else line_end
    start = max(line_start, first - BEFORE)
    end = min(max(first + AFTER, first_end), line_end)
    before = "…" if start > line_start else ""
    shown: list[Span] = []
    for hit_start, hit_end in hits:
        # Of hits that overlap, the first is marked.
        if hit_end <= end and (not shown or hit_start >= shown[-1][1]):
            shown.append((hit_start, hit_end))
    shift = len(before) - start
    return Excerpt(
        part=part,
        line=text.count("\n", 0, first) + 1,
        text=before + text[start:end] + ("…" if end < line_end else ""),
        hits=[(hit_start + shift, hit_end + shift) for hit_start, hit_end in shown],
    )
