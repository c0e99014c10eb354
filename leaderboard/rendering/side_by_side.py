"""Two attempts side by side: their steps, aligned, with the lines in which they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Final, Protocol

from leaderboard.domain.alignment import MAX_STEPS, Acted, Relation, Row, align
from leaderboard.domain.pages import Page

ROWS_A_PAGE: Final = 200
HEAD: Final = 4_000
"""Characters at the beginning of an action or output whose lines are compared."""
ACTION_LINES, OUTPUT_LINES = 5, 4
"""Lines that a cell shows."""
LINE_LENGTH: Final = 160
BEFORE: Final = 60
"""Characters of a long line that are shown before its first difference."""
FOLDED: Final = 3
"""So many steps that are the same in both are folded."""
PRE_EXECUTED: Final = "pre-executed"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a text, from its first line that the other text does not have at the same place.

    ``own`` is the part of that line that differs, ``begin`` and ``end`` are around it; all three are empty
    where there is no such line. ``skipped`` lines precede, ``more`` follow.
    """

    begin: str
    own: str
    end: str
    lines: list[str]
    skipped: int
    more: bool


@dataclass(frozen=True, slots=True)
class Brief:
    """What a comparison keeps of a step: the beginnings of its texts, and a hash of the whole output."""

    number: int
    kind: str
    title: str
    duration: float | None
    marks: Sequence[str]
    landmarks: Sequence[int]
    acted: Acted
    action: str
    output: str
    whole_output: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A step with what is shown of it; an excerpt is None where there is nothing, or nothing that differs."""

    step: Brief
    action: Excerpt | None
    output: Excerpt | None


@dataclass(frozen=True, slots=True)
class Together:
    """Two steps that correspond."""

    one: Cell
    other: Cell
    relation: Relation
    other_output: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows of the page: ``pairs``, which are the same if ``same``, or steps without a counterpart."""

    pairs: list[Together]
    one: list[Cell]
    other: list[Cell]
    same: bool = False

    @property
    def folded(self) -> bool:
        return len(self.pairs) >= FOLDED

    @property
    def with_other_output(self) -> list[Together]:
        return [pair for pair in self.pairs if pair.other_output]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two attempts, aligned.

    Attributes:
        common: how many steps from the first have the same action.
        given: how many of these were executed before the agents started.
        first_other_output: of these, the first whose output differs; None without one.
        next_one, next_other: the steps at which they part; None where an attempt ends there.
        too_long: an attempt has more steps than are compared, ``limit``.
        blocks: one page of the rest.
    """

    common: int
    given: int
    first_other_output: int | None
    next_one: Cell | None
    next_other: Cell | None
    too_long: bool
    blocks: Page[Block]
    limit: int = MAX_STEPS


class ComparedStep(Protocol):
    """What a comparison reads of a step: a row of it, stored or not."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def duration(self) -> float | None: ...
    @property
    def marks(self) -> Sequence[str]: ...
    @property
    def landmarks(self) -> Sequence[int]: ...
    @property
    def action(self) -> str: ...
    @property
    def observation(self) -> str: ...


def compare_steps(mine: Sequence[Brief], theirs: Sequence[Brief], page: int) -> Comparison:
    """One page of two attempts side by side, ``ROWS_A_PAGE`` rows."""
    alignment = align([step.acted for step in mine], [step.acted for step in theirs])
    common = alignment.common
    start = (page - 1) * ROWS_A_PAGE
    rows = alignment.rows[start : start + ROWS_A_PAGE]
    differing = (at for at in range(common) if mine[at].whole_output != theirs[at].whole_output)
    first = next(differing, None)
    next_one, next_other = _parting(mine[common : common + 1], theirs[common : common + 1])
    return Comparison(
        common=common,
        given=sum(step.acted.given for step in mine[:common]),
        first_other_output=None if first is None else mine[first].number,
        next_one=next_one,
        next_other=next_other,
        too_long=max(len(mine), len(theirs)) > MAX_STEPS,
        blocks=Page(list(_blocks(rows, mine, theirs)), page, start + ROWS_A_PAGE < len(alignment.rows)),
    )


def brief(step: ComparedStep) -> Brief:
    landmarks, given = frozenset(step.landmarks), PRE_EXECUTED in step.marks
    return Brief(
        number=step.number,
        kind=step.kind,
        title=step.title,
        duration=step.duration,
        marks=step.marks,
        landmarks=step.landmarks,
        acted=Acted(step.kind, step.action, landmarks, given),
        action=step.action[:HEAD],
        output=step.observation[:HEAD],
        whole_output=hash(step.observation),
    )


def _blocks(rows: Iterable[Row], mine: Sequence[Brief], theirs: Sequence[Brief]) -> Iterator[Block]:
    for relation, group in groupby(rows, key=lambda row: row.relation):
        if relation is None:
            found = list(group)
            one = [_alone(mine[row.one]) for row in found if row.one is not None]
            other = [_alone(theirs[row.other]) for row in found if row.other is not None]
            yield Block([], one, other)
            continue
        pairs = [
            _together(mine[row.one], theirs[row.other], relation)
            for row in group
            if row.one is not None and row.other is not None
        ]
        yield Block(pairs, [], [], same=relation is Relation.SAME)


def _parting(one: Sequence[Brief], other: Sequence[Brief]) -> tuple[Cell | None, Cell | None]:
    """The step of each, of at most one, at which they part; against each other where both have one."""
    if one and other:
        pair = _together(one[0], other[0], Relation.SIMILAR)
        return pair.one, pair.other
    return (_alone(one[0]) if one else None), (_alone(other[0]) if other else None)


def _alone(step: Brief) -> Cell:
    lines = step.action.splitlines()
    # The first line is its title already.
    rest = "\n".join(lines[1:] if lines and lines[0].strip() == step.title else lines)
    action, output = (
        _excerpt(text, "", most) if text.strip() else None
        for text, most in ((rest, ACTION_LINES), (step.output, OUTPUT_LINES))
    )
    return Cell(step, action, output)


def _together(one: Brief, other: Brief, relation: Relation) -> Together:
    same_action = relation is Relation.SAME or one.action == other.action
    other_output = one.whole_output != other.whole_output
    mine, theirs = (
        Cell(
            step,
            None if same_action else _excerpt(step.action, against.action, ACTION_LINES),
            _excerpt(step.output, against.output, OUTPUT_LINES) if other_output else None,
        )
        for step, against in ((one, other), (other, one))
    )
    return Together(mine, theirs, relation, other_output)


def _excerpt(text: str, against: str, most: int) -> Excerpt:
    """At most ``most`` lines of a text, for which nothing is marked if there is none ``against`` it."""
    lines, theirs = text.splitlines(), against.splitlines()
    skipped = _common(lines, theirs)
    going_on = len(text) == HEAD
    if skipped == len(lines):
        return Excerpt("", "", "", [], skipped, going_on)
    first, counterpart = lines[skipped], theirs[skipped] if skipped < len(theirs) else ""
    start = _common(first, counterpart)
    end = len(first) - _common(first[start:][::-1], counterpart[start:][::-1])
    return Excerpt(
        *(_around(first, start, end) if against else (_shortened(first), "", "")),
        [_shortened(line) for line in lines[skipped + 1 : skipped + most]],
        skipped,
        going_on or len(lines) > skipped + most,
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences have in common from the first."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _around(line: str, start: int, end: int) -> tuple[str, str, str]:
    """A line, shortened around its part from ``start`` to ``end``, in three parts."""
    first = max(0, start - BEFORE) if len(line) > LINE_LENGTH else 0
    last = first + LINE_LENGTH
    begin = ("…" if first else "") + line[first:start]
    return begin, line[start : min(end, last)], line[end:last] + ("…" if last < len(line) else "")


def _shortened(line: str) -> str:
    return line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…"
