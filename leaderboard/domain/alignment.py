"""Align two attempts at one task, step by step: by what they did, and by the landmarks that both hit."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from enum import StrEnum
from hashlib import sha256
from itertools import islice, pairwise
from typing import Final

MAX_STEPS: Final = 2_000
"""The steps of each attempt that are aligned; further ones are left out."""
SIMILAR: Final = 0.4
"""The share of common words from which two actions are similar."""
MAX_WORDS: Final = 200
"""The first words of an action that are compared with those of another."""
TELLING: Final = 12
"""Characters of an action from which it fixes a step's place; `ls` may be anywhere."""
SIDE: Final = 100
"""Longer stretches without fixed places are cut into parts of this length: so the work grows linearly."""

_WORD: Final = re.compile(r"\w(?:[\w./=-]*\w)?")
Pair = tuple[int, int]


class Relation(StrEnum):
    """What two aligned steps have in common.

    SAME: their action, see `_same`. LANDMARK: both are the first to hit a landmark. SIMILAR: many words of
    their actions.
    """

    SAME = "same"
    LANDMARK = "landmark"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True)
class Row:
    """A step of one attempt beside a step of the other, by index from 0; None where nothing corresponds."""

    one: int | None
    other: int | None
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Rows with every step of both attempts, in order; the first ``common`` have the same action."""

    rows: tuple[Row, ...]
    common: int


@dataclass(frozen=True, slots=True)
class Acted:
    """What a step did, for comparing: its kind, its action as text, and the landmarks hit in it.

    ``given``: it was executed before the agent started. The action, which can be long, is not kept: ``key``
    is equal where kind and `normalised` action are, ``size`` is their length in characters.
    """

    kind: str
    action: InitVar[str]
    landmarks: frozenset[int] = frozenset()
    given: bool = False
    key: bytes = field(init=False)
    size: int = field(init=False)
    words: frozenset[str] = field(init=False)

    def __post_init__(self, action: str) -> None:
        text = normalised(action)
        words = (found[0] for found in islice(_WORD.finditer(text), MAX_WORDS))
        whole = f"{self.kind} {text}"
        object.__setattr__(self, "key", sha256(whole.encode("utf-8", "surrogatepass")).digest())
        object.__setattr__(self, "size", len(whole))
        # The kind counts as a word: two edits have more in common than an edit and a command.
        object.__setattr__(self, "words", frozenset((f"kind {self.kind}", *words)))


def normalised(action: str) -> str:
    """An action without what makes no difference: comments, blank lines, spaces, a shell command's ``!``."""
    lines = (" ".join(line.split()).removeprefix("!").lstrip() for line in action.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("#"))


def align(one: Sequence[Acted], other: Sequence[Acted]) -> Alignment:
    """Align two attempts; of each, the first ``MAX_STEPS`` steps. Deterministic; linear in the steps."""
    one, other = one[:MAX_STEPS], other[:MAX_STEPS]
    shorter = min(len(one), len(other))
    common = next((at for at in range(shorter) if not _same(one[at], other[at])), shorter)
    fixed = [(at, at) for at in range(common)]
    fixed += _rising(_first_hits(one, other, common))
    rows: list[Row] = []
    end = (len(one), len(other))
    for (i, j), (k, m) in pairwise([(-1, -1), *fixed, end]):
        rows += _between(one, other, range(i + 1, k), range(j + 1, m))
        if (k, m) != end:
            same = _same(one[k], other[m])
            rows.append(Row(k, m, Relation.SAME if same else Relation.LANDMARK))
    return Alignment(tuple(rows), common)


def _same(mine: Acted, theirs: Acted) -> bool:
    """Whether the actions are equal as `normalised`. Formats tell a pre-executed cell in different words."""
    return mine.key == theirs.key or (mine.given and theirs.given and _likeness(mine, theirs) > 0)


def _first_hits(one: Sequence[Acted], other: Sequence[Acted], start: int) -> list[Pair]:
    """The first steps to hit a landmark that both attempts hit, and neither before ``start``; sorted."""
    first: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for found, steps in zip(first, (one, other), strict=True):
        for at, step in enumerate(steps):
            for landmark in step.landmarks:
                found.setdefault(landmark, at)
    pairs = {(first[0][number], first[1][number]) for number in first[0].keys() & first[1].keys()}
    return sorted(pair for pair in pairs if min(pair) >= start)


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """A longest choice of sorted ``pairs`` in which both numbers rise."""
    # Of equal first numbers only one may be chosen: with the second falling, no two of them rise.
    ordered = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for at, (_, number) in enumerate(ordered):
        length = bisect_left(ends, number)
        ends[length : length + 1] = [number]
        last[length : length + 1] = [at]
        before.append(last[length - 1] if length else None)
    chosen: list[Pair] = []
    at_last = last[-1] if last else None
    while at_last is not None:
        chosen.append(ordered[at_last])
        at_last = before[at_last]
    return chosen[::-1]


def _between(one: Sequence[Acted], other: Sequence[Acted], a: range, b: range) -> Iterator[Row]:
    """The rows of two stretches: actions that occur once in each fix places, the rest is matched between."""
    places = _once(other, b)
    unique = [(i, places[key]) for key, i in _once(one, a).items() if key in places]
    for (i, j), (k, m) in pairwise([(a.start - 1, b.start - 1), *_rising(unique), (a.stop, b.stop)]):
        mine, theirs = range(i + 1, k), range(j + 1, m)
        # So many parts of each that a part is at most SIDE long on average.
        parts = max(1, -(-max(len(mine), len(theirs)) // SIDE))
        for part in range(parts):
            yield from _best(one, other, _part(mine, part, parts), _part(theirs, part, parts))
        if (k, m) != (a.stop, b.stop):
            yield Row(k, m, Relation.SAME)


def _once(steps: Sequence[Acted], where: range) -> dict[bytes, int]:
    """The telling actions that occur once in a stretch, with their index."""
    counts = Counter(steps[at].key for at in where)
    return {steps[at].key: at for at in where if counts[steps[at].key] == 1 and steps[at].size >= TELLING}


def _part(whole: range, number: int, parts: int) -> range:
    return whole[len(whole) * number // parts : len(whole) * (number + 1) // parts]


def _best(one: Sequence[Acted], other: Sequence[Acted], a: range, b: range) -> Iterator[Row]:
    """The rows whose pairs are most alike in all, among those that keep the order of steps."""
    alike = [[_likeness(one[i], other[j]) for j in b] for i in a]
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        row, below, likeness = best[i], best[i + 1], alike[i]
        for j in reversed(range(len(b))):
            paired = likeness[j] + below[j + 1] if likeness[j] else 0.0
            row[j] = max(paired, below[j], row[j + 1])
    i = j = 0
    while i < len(a) and j < len(b):
        if alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            same = _same(one[a[i]], other[b[j]])
            yield Row(a[i], b[j], Relation.SAME if same else Relation.SIMILAR)
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            yield Row(a[i], None)
            i += 1
        else:
            yield Row(None, b[j])
            j += 1
    yield from (Row(at, None) for at in a[i:])
    yield from (Row(None, at) for at in b[j:])


def _likeness(mine: Acted, theirs: Acted) -> float:
    """How much alike two actions are, the same ones by their length; 0 if they are not similar."""
    if mine.key == theirs.key:
        return 1.0 + min(mine.size, 40) / 40
    shorter, longer = sorted((len(mine.words), len(theirs.words)))
    if shorter < SIMILAR * longer:
        return 0.0
    common = len(mine.words & theirs.words)
    share = common / (shorter + longer - common)
    return share if share >= SIMILAR else 0.0
