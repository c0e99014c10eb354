"""What in an attempt suggests that its answer was not worked out: for operators alone, and no verdict.

A suspicion names its step and says what to look at there, without a word of the gold answer or the solution.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from leaderboard.domain.commands import commands_in_cell
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.text import LEFT_OUT_LINE, plural
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Step, StepKind, Trajectory

VERSION: Final = "1"
"""Of the rules; raise it when one changes."""
DIGITS_OF_A_SHARE, DIGITS_OF_A_COUNT = 3, 4
"""Digits from which a number with a decimal point, and a whole number, is no coincidence."""
TEXT_LENGTH: Final = 20
"""Characters from which a text of the gold answer is no coincidence."""
LINE_LENGTH, LINES = 40, 5
"""Characters from which a line of the solution is telling, and how many such lines are no coincidence."""
LONGEST: Final = 100_000
"""Characters of an action that are searched."""
MOST: Final = 20
"""Suspicions that are kept about an attempt."""
MAX_NUMBERS, MAX_VALUES = 5_000, 50
"""The first numbers of a text that are looked at, and the values of a gold answer or an answer."""
SEEN_AS: Final = ((1, 0), (0.01, 0), (100, 0), (-1, 1), (-1, 100), (-0.01, 1), (-100, 100))
"""A printed number by a typed one, as factor and summand: itself, percent and share, the rest to 1."""
MAX_DIGITS: Final = 300
"""Longer numbers are none."""
NOT_TYPED: Final = frozenset({StepKind.VIEW, StepKind.SEARCH, StepKind.SUBMIT, StepKind.EXCEPTION})
"""Steps whose action is not a text that the agent made up, or is the answer, which is looked at by itself."""

_TYPED: Final = re.compile(
    r"(?<![\w.])(?:(?:\d{1,3}(?:,\d{3}){1,5}+(?!\d)|\d++)(?:\.\d++)?|\.\d++)(?!\w|\.\d)"
)
_PRINTED: Final = re.compile(r"(?:\d++(?:,\d{3})*+(?:\.\d++)?|\.\d++)(?:[eE][-+]?\d{1,3})?")
_YEARS = range(1900, 2101)
_USUAL_LINE: Final = re.compile(
    r"(?:import|from|%?cd|(?:%|python -m )?pip3?|conda|apt(?:-get)?|git|wget|curl)\b"
)
_DOCUMENT: Final = re.compile(r"readme|\.(?:md|rst|pdf|tex)$|arxiv\.org/", re.IGNORECASE)
_OPENED: Final = re.compile(r"open\(\s*['\"]([^'\"]+)")
_SHOWN_FILE: Final = re.compile(r"\[File: (\S+)")
_READERS: Final = frozenset({
    "cat", "head", "tail", "less", "more", "sed", "grep", "open", "nl", "awk", "cd", "ls", "echo", "find",
    "curl", "wget", "pdftotext", "wc",
})  # fmt: skip


class SuspicionKind(StrEnum):
    """What is suspicious."""

    GOLD = "gold"
    SOLUTION = "solution"
    BENCHMARK = "benchmark"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One reason to look at a step.

    Attributes:
        step: where to look first.
        line: of the step's action, from 1; 0 if it is about the answer.
        count: how many values, lines or places.
        source: for BENCHMARK, the name that the action has.
        document: for DOCUMENT, the step that read it.
        cut: an earlier output is shortened, and may have shown it.
    """

    kind: SuspicionKind
    step: int
    line: int = 0
    count: int = 1
    source: str = ""
    document: int = 0
    cut: bool = False

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Suspicion:
        """What `dataclasses.asdict` made of one."""
        return cls(**{**data, "kind": SuspicionKind(data["kind"])})

    @property
    def text(self) -> str:
        values = plural(self.count, "a value", "{n} values")
        numbers = plural(self.count, "A number of the answer stands", "{n} numbers of the answer stand")
        said = {
            SuspicionKind.GOLD: f"Line {self.line} has {values} of the gold answer, which no output had shown"
            if self.line
            else f"The answer has {values} of the gold answer, which no output had shown",
            SuspicionKind.SOLUTION: f"{self.count:,} lines of the task's solution are typed word for word, "
            f"the first in line {self.line}, before an output had shown them",
            SuspicionKind.BENCHMARK: f"Line {self.line} names {self.source}, the benchmark's own data",
            SuspicionKind.DOCUMENT: f"{numbers} in a document that was read in step {self.document}, "
            "and in no output of a run",
        }[self.kind]
        return f"{said} (an output before was shortened)." if self.cut else f"{said}."


class Number(NamedTuple):
    """A number as written: its size, and how many decimals it has."""

    size: float
    decimals: int


class Place(NamedTuple):
    """A step, and a line of its action from 1; line 0 is the answer."""

    step: int
    line: int


def find_suspicions(task: TaskSpec, trajectory: Trajectory) -> tuple[Suspicion, ...]:
    """All suspicions about an attempt, in the order of `SuspicionKind`. Linear in the trajectory."""
    attempt = _Attempt(task, trajectory)
    if not attempt.outputs:
        # Of an answer alone, or of steps without outputs, nobody can tell what was shown.
        return tuple(_benchmark_read(task.sources, attempt))
    found = (
        *_gold_in_advance(task.gold, attempt),
        *_solution_in_advance(task.solution, attempt),
        *_benchmark_read(task.sources, attempt),
        *_answer_from_document(attempt),
    )
    return found[:MOST]


class _Attempt:
    """What an attempt typed, and what it had been shown by then."""

    def __init__(self, task: TaskSpec, trajectory: Trajectory) -> None:
        steps = trajectory.steps
        self.own = [step for step in steps if not step.pre_executed]
        self.given = [task.query, trajectory.query, trajectory.prompt]
        self.given += [step.action for step in steps if step.pre_executed]
        self.outputs = [(step.number, step.observation) for step in steps if step.observation]
        self.answer = "" if trajectory.answer is MISSING else _json_text(trajectory.answer)[:LONGEST]
        self.end = steps[-1].number if steps else 0

    def commands(self) -> Iterator[tuple[int, str]]:
        """Each step and action that could type something: not what reads files, nor the answer."""
        for step in self.own:
            if step.kind not in NOT_TYPED:
                yield step.number, step.action[:LONGEST]

    def shown_before(self, step: int) -> Iterator[str]:
        yield from self.given
        yield from (output for number, output in self.outputs if number < step)

    def is_cut_before(self, step: int) -> bool:
        return any(LEFT_OUT_LINE.search(output) for number, output in self.outputs if number < step)


def _gold_in_advance(gold: JsonValue | Missing, attempt: _Attempt) -> Iterator[Suspicion]:
    """Values of the gold answer in a command or in the answer that nothing had shown before."""
    values = [] if gold is MISSING else list(_leaves(gold))
    golds = {rounded for value in values[:MAX_VALUES] for rounded in _roundings(value)}
    texts = [
        value.strip() for value in values if isinstance(value, str) and len(value.strip()) >= TEXT_LENGTH
    ]
    if not golds and not texts:
        return
    known: set[Number | str] = set()
    for step, text in (*attempt.commands(), (attempt.end, attempt.answer)):
        typed: dict[Number | str, int] = {value: text.index(value) for value in texts if value in text}
        numbers = _typed_numbers(text) if golds else {}
        typed |= {number: numbers[number] for number in numbers.keys() & golds}
        # What a command typed is known from then on: it is told once.
        new = typed.keys() - known
        known |= new
        unseen = new - _shown(new, attempt.shown_before(step)) if new else new
        if unseen:
            line = 0 if text is attempt.answer else _line(text, min(typed[each] for each in unseen))
            yield Suspicion(SuspicionKind.GOLD, step, line, len(unseen), cut=attempt.is_cut_before(step))


def _solution_in_advance(solution: JsonValue, attempt: _Attempt) -> Iterator[Suspicion]:
    """Telling lines of the task's solution, word for word, that nothing had shown before."""
    wanted = {
        line for text in _texts(solution) for line in map(_plain, text.splitlines()) if _is_telling(line)
    }
    typed: dict[str, Place] = {}
    for step, text in attempt.commands() if len(wanted) >= LINES else ():
        for at, line in enumerate(map(_plain, text.splitlines()), start=1):
            if line in wanted:
                typed.setdefault(line, Place(step, at))
    if len(typed) < LINES:
        return
    for number, shown in ((0, text) for text in attempt.given):
        typed = _without_shown(typed, shown, number)
    for number, shown in attempt.outputs:
        typed = _without_shown(typed, shown, number)
    if len(typed) >= LINES:
        step, at = min(typed.values())
        yield Suspicion(SuspicionKind.SOLUTION, step, at, len(typed), cut=attempt.is_cut_before(step))


def _without_shown(typed: dict[str, Place], shown: str, number: int) -> dict[str, Place]:
    """The lines without those that a text has which was shown in step ``number``, before they were typed."""
    plain = " ".join(shown.split())
    return {line: place for line, place in typed.items() if place.step <= number or line not in plain}


def _benchmark_read(sources: Sequence[str], attempt: _Attempt) -> Iterator[Suspicion]:
    """The first command with each name of the benchmark's own data."""
    for source in sources:
        named = re.compile(rf"(?<![\w.-]){re.escape(source)}(?![\w-])", re.IGNORECASE)
        for step, text in attempt.commands():
            if found := named.search(text):
                yield Suspicion(SuspicionKind.BENCHMARK, step, _line(text, found.start()), source=source)
                break


def _answer_from_document(attempt: _Attempt) -> Iterator[Suspicion]:
    """Numbers of the answer that stand in a document that was read, and in no output of a run."""
    telling = (number for number in _typed_numbers(attempt.answer) if _tells(number))
    answered = set(islice(telling, MAX_VALUES))
    if not answered:
        return
    documents = {step.number: step.observation for step in attempt.own if step.observation and _reads(step)}
    read_in: dict[Number | str, int] = {}
    for number, text in documents.items():
        for value in _shown(answered, [text]):
            read_in.setdefault(value, number)
    unseen = read_in.keys() - _shown(read_in.keys(), attempt.given) if read_in else set()
    submits = {step.number for step in attempt.own if step.kind is StepKind.SUBMIT}
    actions = {step.number: step.action[:LONGEST] for step in attempt.own}
    for number, output in attempt.outputs if unseen else ():
        if number not in documents and number not in submits:
            # A command that types a number prints it without having worked it out.
            unseen -= _shown(unseen, [output]) - _shown(unseen, [actions.get(number, "")])
    if unseen:
        step = min(read_in[value] for value in unseen)
        cut = attempt.is_cut_before(attempt.end)
        yield Suspicion(SuspicionKind.DOCUMENT, attempt.end, 0, len(unseen), document=step, cut=cut)


def _reads(step: Step) -> bool:
    """Whether a step does nothing but read files, and among them a README, another text or a paper."""
    if step.kind is StepKind.VIEW and (found := _SHOWN_FILE.match(step.observation or "")):
        return bool(_DOCUMENT.search(found[1]))
    commands = [words for words in commands_in_cell(step.action) if words]
    if not commands:
        return any(_DOCUMENT.search(name) for name in _OPENED.findall(step.action[:LONGEST]))
    if any(PurePosixPath(words[0]).name not in _READERS for words in commands):
        return False
    return any(_DOCUMENT.search(word) for words in commands for word in words[1:])


def _shown(values: Iterable[Number | str], texts: Iterable[str]) -> set[Number | str]:
    """Which of these the texts show: a number also as a percentage, and with further digits."""
    waiting = set(values)
    shown: set[Number | str] = set()
    for text in texts:
        found: set[Number | str] = {each for each in waiting if isinstance(each, str) and each in text}
        numbers = [value for value in waiting if isinstance(value, Number)]
        if numbers:
            printed = sorted({_size(match[0]) for match in _PRINTED.finditer(text)})
            found |= {value for value in numbers if _may_be_of(value, printed)}
        shown |= found
        waiting -= found
        if not waiting:
            break
    return shown


def _may_be_of(number: Number, printed: Sequence[float]) -> bool:
    """Whether a number may be one of the sorted ``printed`` ones, rounded or cut off: see ``SEEN_AS``."""
    unit = 10.0**-number.decimals
    for factor, more in SEEN_AS:
        middle = factor * number.size + more
        # And what floats may lose of sixteen digits.
        distance = abs(factor) * unit + abs(middle) * 1e-12
        at = bisect_right(printed, middle - distance)
        if at < len(printed) and printed[at] < middle + distance:
            return True
    return False


def _roundings(value: JsonValue) -> Iterator[Number]:
    """A gold number, as a share and in percent, rounded to each number of its decimals that still tells."""
    gold = _gold_number(value)
    for size, decimals in ((gold.size, gold.decimals), (gold.size * 100, gold.decimals - 2)) if gold else ():
        rounded = (Number(round(size, places), places) for places in range(decimals + 1))
        yield from filter(_tells, rounded)


def _tells(number: Number) -> bool:
    """Whether a number is no coincidence: not a small one, a round one, a year or a power of two."""
    if math.isinf(number.size):
        return False
    if number.decimals:
        digits = f"{number.size:.{number.decimals}f}".replace(".", "").strip("0")
        return len(digits) >= DIGITS_OF_A_SHARE and set(digits) != {"9"}
    whole = int(number.size)
    usual = whole in _YEARS or whole & (whole - 1) == 0
    return len(str(whole).strip("0")) >= DIGITS_OF_A_COUNT and not usual


def _gold_number(value: JsonValue) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = value.strip() if isinstance(value, str) else repr(abs(value))
    found = _TYPED.fullmatch(text)
    number = _number(found[0]) if found else None
    return number if number and _tells(number) else None


def _typed_numbers(text: str) -> dict[Number, int]:
    """The numbers in a text, with the offset of each one's first place; not those of names and versions."""
    numbers: dict[Number, int] = {}
    for match in islice(_TYPED.finditer(text), MAX_NUMBERS):
        numbers.setdefault(_number(match[0]), match.start())
    return numbers


def _number(text: str) -> Number:
    return Number(_size(text), len(text.partition(".")[2]))


def _size(text: str) -> float:
    return float(text.replace(",", "")) if len(text) < MAX_DIGITS else math.inf


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _plain(line: str) -> str:
    return " ".join(line.split()).removeprefix("!").lstrip()


def _is_telling(line: str) -> bool:
    return len(line) >= LINE_LENGTH and not _USUAL_LINE.match(line) and not line.startswith("#")


def _texts(solution: JsonValue) -> Iterator[str]:
    """The texts of a solution, whose cells may be JSON in a text."""
    for value in _leaves(solution):
        if isinstance(value, str):
            try:
                cell = json.loads(value)
            except (ValueError, RecursionError):
                cell = None
            yield from (str(item) for item in cell.values()) if isinstance(cell, dict) else (value,)


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    """Every value that is no list or object. A loop, because values can be nested deeply."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict | list):
            waiting += item.values() if isinstance(item, dict) else item
        else:
            yield item


def _json_text(answer: JsonValue) -> str:
    try:
        return json.dumps(answer, ensure_ascii=False)
    except (RecursionError, ValueError):
        return ""
