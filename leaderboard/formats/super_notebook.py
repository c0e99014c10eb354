"""SUPER's ``history.ipynb``, as the authors published their runs (ReAct-SUPER and SWE-Agent).

A prelude of headed Markdown cells, then for each step a heading, a time (often absent), a thought, an
action's type and one code cell with the action and its observation. Cells are counted from 1 in messages.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NoReturn

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats.documents import Notes, note_non_finite
from leaderboard.formats.notebooks import Cell, cells_of
from leaderboard.formats.submissions import parse_submission
from leaderboard.formats.super_steps import ending_of, is_exit, is_pre_executed, kind_of

NAME: Final = "SUPER notebook"
PRIORITY: Final = 20
"""A notebook is one, whatever else it has."""

_STEP: Final = re.compile(r"### Step ([0-9]+)\s*")
_TIME: Final = re.compile(
    r"Execution Start time: (\d\d:\d\d:\d\d), End time: \d\d:\d\d:\d\d \(duration: ([0-9]{1,9}) seconds\)\s*"
)
_THOUGHT: Final = re.compile(r"\*\*Thought\*\*: ?(.*)", re.DOTALL)
_ACTION: Final = re.compile(r"\*\*Action \((.*)\)\*\*:\s*", re.DOTALL)
_SUBMIT: Final = re.compile(r"submit\b\s*(.*)", re.DOTALL)
_SYSTEM_PROMPT: Final = "### System Prompt"


def detect(document: JsonValue) -> bool:
    """Whether the document is a notebook of any kind."""
    return isinstance(document, dict) and "nbformat" in document


def read(document: JsonValue, *, name: str) -> Trajectory:
    cells = cells_of(document, name=name)
    first = next((index for index, cell in enumerate(cells) if _is_heading(cell)), None)
    if first is None:
        reason = "a notebook, but not one of a SUPER run: no '### Step' heading"
        remedy = "give the history.ipynb or history.json of a run"
        raise InputError(Problem(name, "", reason, remedy))
    notes = Notes(name)
    query, prompt, is_swe_agent = _prelude(cells[:first])
    steps = _steps(cells, first, name=name, notes=notes)
    ending, detail = ending_of(steps[-1])
    return Trajectory(
        steps=steps,
        format=NAME,
        query=query,
        prompt=prompt,
        answer=_answer(steps[-1], place=f"cell {len(cells)}", is_swe_agent=is_swe_agent, notes=notes),
        ending=ending,
        ending_detail=detail,
        warnings=notes.all(),
    )


def holds_steps(cells: list[Cell]) -> bool:
    """Whether a notebook's cells are those of a run, and not a plain notebook."""
    return any(map(_is_heading, cells))


def _is_heading(cell: Cell) -> bool:
    return cell.kind == "markdown" and _STEP.fullmatch(cell.source) is not None


def _prelude(cells: list[Cell]) -> tuple[str, str, bool]:
    """The query, the prompt, and whether the run is SWE-Agent's, from the cells before the first step."""
    query = prompt = ""
    is_swe_agent = False
    for cell in cells:
        heading, _newline, text = cell.source.partition("\n")
        if heading == "### Query":
            query = text
        elif heading in ("### Prompt", _SYSTEM_PROMPT):
            prompt = _prompt(text.strip().removeprefix("<details>").removesuffix("</details>").strip("\n"))
            is_swe_agent = heading == _SYSTEM_PROMPT
    return query, prompt, is_swe_agent


def _prompt(text: str) -> str:
    """A prompt's messages one below the other, where the notebook has them as a Python list."""
    messages = parse_submission(text)[0] if text.startswith("[{") else None
    if not isinstance(messages, list) or not all(
        isinstance(each, dict) and isinstance(each.get("content"), str) for each in messages
    ):
        return text
    return "\n\n".join(f"{each.get('role', 'message')}:\n{each['content'].strip()}" for each in messages)


def _steps(cells: list[Cell], index: int, *, name: str, notes: Notes) -> tuple[Step, ...]:
    steps: list[Step] = []
    reader = _Reader(cells, index, name=name)
    while not reader.at_end():
        steps.append(_step(reader, len(steps) + 1, notes=notes))
    last = steps[-1]
    if last.kind is StepKind.EXECUTE and is_exit(last.action.strip()):
        # SWE-Agent writes its exit status in place of a command; nothing was executed.
        steps[-1] = replace(last, kind=StepKind.EXCEPTION)
    return tuple(steps)


class _Reader:
    """Reads the cells of the steps in order, and reports the first unexpected cell."""

    def __init__(self, cells: list[Cell], index: int, *, name: str) -> None:
        self._cells = cells
        self._index = index
        self._name = name

    def at_end(self) -> bool:
        return self._index >= len(self._cells)

    def expect(self, pattern: re.Pattern[str], wanted: str) -> re.Match[str]:
        """The match of the next cell, which must be such a Markdown cell."""
        match = self.accept(pattern)
        return match if match is not None else self._refuse(wanted)

    def accept(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the next cell if it is such a Markdown cell; else None, and it is not consumed."""
        if self.at_end() or self._cells[self._index].kind != "markdown":
            return None
        match = pattern.fullmatch(self._cells[self._index].source)
        self._index += match is not None
        return match

    def expect_code(self) -> Cell:
        """The next cell, which must be a code cell."""
        if self.at_end() or self._cells[self._index].kind != "code":
            self._refuse("the code cell of an action")
        self._index += 1
        return self._cells[self._index - 1]

    def place(self) -> str:
        """The place of the last consumed cell."""
        return f"cell {self._index}"

    def _refuse(self, wanted: str) -> NoReturn:
        if self.at_end():
            place, reason = self.place(), f"the notebook ends here, where {wanted} should follow"
        else:
            place, reason = f"cell {self._index + 1}", f"{wanted} should be here"
        remedy = "export the run again; don't edit its cells"
        raise InputError(Problem(self._name, place, reason, remedy))


def _step(reader: _Reader, number: int, *, notes: Notes) -> Step:
    heading = reader.expect(_STEP, "a '### Step' heading")
    if heading[1] != str(number):
        reason = f"the heading says step {heading[1][:20]}, but it is step {number:,}"
        notes.add(reader.place(), reason)
    time = reader.accept(_TIME)
    thought = reader.expect(_THOUGHT, "a '**Thought**:' cell")[1]
    action_type = reader.expect(_ACTION, "an '**Action (…)**:' cell")[1]
    cell = reader.expect_code()
    if cell.output is None and not cell.media:
        notes.add(reader.place(), f"step {number:,} has no observation")
    return Step(
        number=number,
        kind=kind_of(action_type, thought),
        action_type=action_type,
        action=cell.source,
        thought=thought,
        observation=cell.output,
        duration=float(time[2]) if time else None,
        started=time[1] if time else "",
        pre_executed=is_pre_executed(thought),
        media=cell.media,
    )


def _answer(step: Step, *, place: str, is_swe_agent: bool, notes: Notes) -> JsonValue | Missing:
    """The submission, parsed from the last cell's source (SWE-Agent's observation lacks the quotes)."""
    if step.kind is not StepKind.SUBMIT:
        return MISSING
    command = _SUBMIT.fullmatch(step.action) if is_swe_agent else None
    answer, parsed = parse_submission(command[1] if command else step.action)
    if not parsed:
        notes.add(place, "the submission is neither JSON nor a Python literal; kept as text")
    note_non_finite(answer, place=place, notes=notes)
    return answer
