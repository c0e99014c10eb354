"""Where the numbers of an answer are seen: in which outputs, as printed, rounded or in another scale."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from leaderboard.diagnosis.outputs import whole_lines
from leaderboard.domain.trajectory import JsonValue, Missing, Step, StepKind

MOST_NUMBERS: Final = 50
"""Numbers of an answer that are looked for."""
MOST_SEARCHED: Final = 5_000_000
"""Characters of outputs in which they are looked for."""
AROUND: Final = 200
"""Characters before and after a printed number that are taken for its line."""
MOST_LINES: Final = 40
"""Lines kept for one number."""
LONGEST_TEXT: Final = 2_000
"""Characters of an answer that is a text."""
DEEPEST: Final = 30
"""Levels of an answer that are read."""
LONGEST_LABEL: Final = 80
FEWEST_DECIMALS: Final = 3
"""Decimals of a printed number that a longer number of an answer may have been rounded to."""
SCALES: Final = (100.0, 0.01)
SAME_WORDS: Final = {
    "acc": "accuracy", "val": "valid", "validation": "valid", "dev": "valid", "development": "valid",
    "evaluation": "eval", "training": "train", "testing": "test", "predict": "test", "em": "exact",
    "avg": "average", "mean": "average", "fscore": "f1", "losses": "loss",
}  # fmt: skip

_NUMBER: Final = re.compile(r"(?<![\w.])-?(\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?(?![\w.]*\w)")
_LABEL: Final = re.compile(r"([A-Za-z][\w@/. -]{0,39}?)[\"'\]\s]{0,4}(?:[:=|>]|\s)[\s\"'\[(|]{0,30}$")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+")
_MOST_DECIMALS: Final = 15
"""0.10000000000000002 is 0.1."""


class How(IntEnum):
    """How a printed number shows that of an answer."""

    PRINTED = 1
    ROUNDED = 2
    SCALED = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """A line of an output that has a number; ``label`` is its name there: ``loss`` of ``'loss': 0.7``."""

    step: int
    line: str
    how: How
    label: str
    pre_executed: bool


@dataclass(slots=True)
class Number:
    """A number of an answer at its ``path`` of keys, and the lines that have it, in order."""

    path: tuple[str, ...]
    value: float
    seen: list[Seen] = field(default_factory=list)

    @property
    def name(self) -> str:
        return ".".join(self.path)

    @property
    def words(self) -> frozenset[str]:
        """The words of its keys."""
        return words_of(" ".join(self.path))

    @property
    def is_telling(self) -> bool:
        """Whether it is so particular that a line with it is hardly chance: 0, 1 or 0.5 are anywhere."""
        return len(re.sub(r"\D", "", f"{self.value!r}".split("e")[0]).strip("0")) >= 3

    @property
    def as_it_is(self) -> list[Seen]:
        """The lines that have it as printed or rounded."""
        return [each for each in self.seen if each.how is not How.SCALED]


@dataclass(slots=True)
class Wanted:
    """Numbers by decimals and their value at so many, each with how it shows there."""

    by_value: dict[tuple[int, float], list[tuple[Number, How]]] = field(default_factory=dict)

    def add(self, places: int, value: float, number: Number, how: How) -> None:
        self.by_value.setdefault((places, round(value, places)), []).append((number, how))

    @property
    def whole_parts(self) -> frozenset[str]:
        """The digits before the point that a printed number with one of them can have."""
        near = (int(abs(value)) + shift for _, value in self.by_value for shift in (-1, 0, 1))
        return frozenset(f"{part}" for part in near if part >= 0)

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(sorted({places for places, _ in self.by_value}))


def label_before(text: str) -> str:
    """The name that a printed number has: the last word or words before it."""
    found = _LABEL.search(text)
    return found[1].strip() if found else ""


def words_of(text: str) -> frozenset[str]:
    """The words of a name in lower case, those that mean the same as one: ``val_acc`` is valid, accuracy."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(SAME_WORDS.get(word, word) for word in words if len(word) > 1)


def decimals_of(value: float) -> int:
    """The decimals that a number is written with, at most 15."""
    mantissa, _, exponent = f"{value!r}".partition("e")
    fraction = mantissa.partition(".")[2]
    decimals = (0 if fraction == "0" else len(fraction)) - int(exponent or 0)
    return min(_MOST_DECIMALS, max(0, decimals))


def numbers_of(answer: JsonValue | Missing) -> list[Number]:
    """The numbers of an answer in order, at most ``MOST_NUMBERS``; numbers written as text count."""
    if isinstance(answer, str):
        return _numbers_in(answer[:LONGEST_TEXT])
    found = []
    for path, value in leaves(answer):
        if isinstance(value, str) and len(value) < 40 and _NUMBER.fullmatch(value.strip(" %")):
            value = float(value.strip(" %"))
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
            found.append(Number(path, round(float(value), _MOST_DECIMALS)))
        if len(found) == MOST_NUMBERS:
            break
    return found


def _numbers_in(text: str) -> list[Number]:
    """The numbers in an answer that is a text, each with the name before it."""
    found = []
    for match in _NUMBER.finditer(text):
        name = label_before(text[max(0, match.start() - LONGEST_LABEL) : match.start()])
        if len(match[0]) < LONGEST_LABEL:
            found.append(Number((name,) if name else (), round(float(match[0]), _MOST_DECIMALS)))
    return found[:MOST_NUMBERS]


def leaves(
    value: JsonValue | Missing, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """The values of an answer that hold no others, each with its keys."""
    if len(path) < DEEPEST and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, str(key)[:LONGEST_LABEL]))
    elif len(path) < DEEPEST and isinstance(value, list):
        for number, inner in enumerate(value, start=1):
            yield from leaves(inner, (*path, str(number)))
    else:
        yield path, value


def find_numbers(numbers: Sequence[Number], steps: Sequence[Step]) -> bool:
    """Note in ``numbers`` the lines of outputs that have them; returns whether all outputs were searched.

    Linear in the outputs, of which at most ``MOST_SEARCHED`` characters are searched.
    """
    wanted = _wanted(numbers)
    if not wanted.by_value:
        return True
    places, starts = wanted.places, wanted.whole_parts
    left = MOST_SEARCHED
    for step in steps:
        if step.kind in (StepKind.SUBMIT, StepKind.FORMAT_ERROR, StepKind.EXCEPTION) or not step.observation:
            continue
        for line in whole_lines(step.observation[:left]):
            for match in _NUMBER.finditer(line):
                if match[1] in starts or "e" in match[0].lower():
                    _note(match, wanted, places, step)
        left -= len(step.observation)
        if left < 0:
            return False
    return True


def _wanted(numbers: Sequence[Number]) -> Wanted:
    wanted = Wanted()
    for number in numbers:
        places = decimals_of(number.value)
        wanted.add(places, number.value, number, How.PRINTED)
        for fewer in range(FEWEST_DECIMALS, min(places, 7)):
            wanted.add(fewer, number.value, number, How.ROUNDED)
        if number.is_telling:
            for scale in SCALES:
                # The rounding is that of the answer: 0.873 in it may be 87.31 in an output.
                wanted.add(
                    max(0, places + (2 if scale < 1 else -2)), number.value * scale, number, How.SCALED
                )
    return wanted


def _note(match: re.Match[str], wanted: Wanted, all_places: Sequence[int], step: Step) -> None:
    text = match[0]
    printed = float(text) if len(text) < LONGEST_LABEL else math.inf
    if not math.isfinite(printed):
        return
    decimals = len(text.partition(".")[2].split("e")[0].split("E")[0])
    for places in all_places:
        for number, how in wanted.by_value.get((places, round(printed, places)), ()):
            if how is How.ROUNDED and decimals != places:
                continue
            if how is How.PRINTED and printed != number.value:
                if decimals <= places:
                    continue
                how = How.ROUNDED
            if len(number.seen) < MOST_LINES:
                start = match.start()
                line = match.string[max(0, start - AROUND) : start + AROUND].strip()
                label = label_before(match.string[max(0, start - LONGEST_LABEL) : start])
                sure = number.is_telling and how is not How.SCALED
                if sure or number.words & words_of(label or line):
                    number.seen.append(Seen(step.number, line, how, label, step.pre_executed))
