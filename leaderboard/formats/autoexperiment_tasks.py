"""Converts AutoExperiment's data points to tasks: code with n functions masked, and experiments to run.

A file has the data points of one level n, as JSON lines. Levels are not mixed, as a level is a task set; in
AutoExperiment's data gold differs between them, in what `make_masked` makes it does not. A point's fields are
``paper_id``, ``func_ids``, ``func_details``, ``experiments``, ``solution`` and ``results``; `make_masked`
adds ``repository`` and ``removed``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing
from leaderboard.formats.documents import Notes, as_number, kind_of_json, parse_json_text

_LEVEL_IN_NAME: Final = re.compile(r"(?:^|[^a-z])n[=_-]?(\d{1,4})$", re.IGNORECASE)
_ID: Final = re.compile(r"[\w.+-]{1,50}")
_LONGEST_TITLE: Final = 200
_DEEPEST_RESULT: Final = 4

_Object = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class DataPoint:
    """A task, and the number of functions that are masked in it."""

    task: TaskSpec
    level: int


def is_data_point(fields: JsonValue) -> bool:
    """Whether a record is a data point, complete or not, and no task of SUPER."""
    if not isinstance(fields, dict) or "task_id" in fields:
        return False
    return "paper_id" in fields or "func_ids" in fields


def level_in_name(stem: str) -> int | None:
    """The level that a file's name ends with, such as 2 in ``mlrc_n=2``."""
    found = _LEVEL_IN_NAME.search(stem)
    return int(found[1]) if found else None


def set_of_level(level: int) -> str:
    """The slug of the task set that has a level's tasks, where no set says its level."""
    return f"n{level}"


def data_point_of(fields: _Object, *, place: str, notes: Notes) -> DataPoint:
    """The task in a data point.

    Its id is ``<paper_id>_<ids of its functions joined by commas>``, which ends with ``_`` at n = 0; ids that
    are numbers are in their order, before others. Its category is the paper. What an agent is asked is made
    of ``experiments`` and ``func_details``, never of ``solution`` or ``results``.

    Raises:
        InputError: with every problem of the record; each names its field.
    """
    point = _Point(fields, place=place, notes=notes)
    paper, ids = point.paper(), point.ids()
    functions, asked = point.functions(ids), point.experiments()
    gold, repository = point.results(), point.optional_text("repository")
    if ids is None or point.problems:
        raise InputError(*point.problems)
    # What is masked makes the task, in whatever order it is named.
    pairs = sorted(zip(ids, functions, strict=True), key=lambda pair: _rank_of_id(pair[0]))
    ids, functions = tuple(each for each, _ in pairs), [function for _, function in pairs]
    names = ", ".join(function["name"] for function in functions)
    title = f"{paper} without {names}" if names else f"{paper}, complete"
    task = TaskSpec(
        task_id=f"{paper}_{','.join(ids)}",
        query=_query(paper, functions, asked, repository),
        title=title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…",
        repository=repository,
        gold=gold,
        categories=(paper,),
        query_components={"paper_id": paper, "functions": functions, "experiments": asked},
        solution={name: fields[name] for name in ("solution", "removed") if fields.get(name)} or None,
    )
    return DataPoint(task, len(ids))


def _id_of(value: object) -> str:
    """A function's id as text; a number's without zeros before it."""
    text = str(value).strip()
    return text.lstrip("0") or "0" if _is_number(text) else text


def _rank_of_id(text: str) -> tuple[bool, int, str]:
    return (False, len(text), text) if _is_number(text) else (True, 0, text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _query(paper: str, functions: Sequence[_Object], asked: str, repository: str) -> str:
    where = f" in the folder {repository.rstrip('/').rpartition('/')[2]}" if repository else ""
    code = f"This task is about the code of the paper {paper}{where}."
    if not functions:
        return f"{code} The code is complete. Run these experiments and report their results.\n\n{asked}"
    several = len(functions) > 1
    masked = f"{len(functions)} functions are masked" if several else "One function is masked"
    raising = "they raise" if several else "it raises"
    described = "\n\n".join(_described(each, number) for number, each in enumerate(functions, start=1))
    return (
        f"{code} {masked} in it: {raising} NotImplementedError. Implement what is masked, then run these "
        f"experiments and report their results.\n\n{asked}\n\nMasked:\n\n{described}"
    )


def _described(function: _Object, number: int) -> str:
    line = function.get("header_line")
    where = f"{function['file']}, line {line}" if isinstance(line, int) else function["file"]
    texts = (function.get(key) for key in ("signature", "description", "relevant_paper"))
    signature, description, excerpt = (text.strip() if isinstance(text, str) else "" for text in texts)
    parts = [f"{number}. {function['name']} ({where})", signature, description]
    if excerpt:
        parts.append(f"From the paper:\n{excerpt}")
    return "\n".join(part for part in parts if part)


class _Point:
    """Reads typed fields from one data point and collects their problems."""

    def __init__(self, fields: _Object, *, place: str, notes: Notes) -> None:
        self._fields = fields
        self._place = place
        self._notes = notes
        self.problems: list[Problem] = []

    def text(self, key: str) -> str:
        value = self._fields.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        what = (
            "missing or empty"
            if value is None or isinstance(value, str)
            else f"{kind_of_json(value)}, not text"
        )
        self._refuse(key, f"it is {what}", "write it as a string")
        return ""

    def paper(self) -> str:
        paper = self.text("paper_id")
        if paper and not _ID.fullmatch(paper):
            reason = "it can't be a part of an address"
            self._refuse("paper_id", reason, "use up to 50 letters, digits, dots and hyphens")
        return paper

    def optional_text(self, key: str) -> str:
        return self.text(key) if self._fields.get(key) else ""

    def ids(self) -> tuple[str, ...] | None:
        """The ids of the masked functions: a list, or one text with commas between them; empty for none.

        None if they were refused.
        """
        value = self._fields.get("func_ids")
        parts = [] if value is None or value == "" else value
        parts = parts.split(",") if isinstance(parts, str) else parts
        if not isinstance(parts, list) or not all(type(part) in (str, int) for part in parts):
            self._refuse("func_ids", "it is no list of ids", 'write a text such as "0,2", or a list')
            return None
        ids = tuple(map(_id_of, parts))
        if not all(_ID.fullmatch(each) for each in ids) or len(set(ids)) < len(ids):
            reason = "an id is empty, is there twice, or can't be a part of an address"
            self._refuse("func_ids", reason, "name each function once, by a number")
            return None
        return ids

    def functions(self, ids: Sequence[str] | None) -> list[_Object]:
        """What is said of each masked function, in the order of ``ids``."""
        details = self._fields.get("func_details") or []
        if not isinstance(details, list) or not all(isinstance(each, dict) for each in details):
            self._refuse("func_details", "it is no list of objects", "write an object for each function")
            return []
        if ids is None:
            return []
        if len(details) != len(ids):
            reason = f"it describes {len(details):,} functions, and func_ids names {len(ids):,}"
            self._refuse("func_details", reason, "describe each function once")
            return []
        for number, function in enumerate(details):
            for key in ("file", "name"):
                if not isinstance(function.get(key), str) or not function[key].strip():
                    field = f"func_details[{number}].{key}"
                    self._refuse(field, "it is missing or no text", "say which function is masked")
            known = function.get("func_id", ids[number])
            if _id_of(known) != ids[number]:
                reason = f"it is {str(known)[:20]!a}, and func_ids has {ids[number]!a} in its place"
                self._refuse(f"func_details[{number}].func_id", reason, "write both in the same order")
        return [] if self.problems else details

    def experiments(self) -> str:
        """What is asked: one text, or a list of texts, each of one experiment."""
        value = self._fields.get("experiments")
        if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
            return self.text("experiments")
        asked = [f"Experiment {number}: {each.strip()}" for number, each in enumerate(value, start=1)]
        names = ", ".join(f'"Experiment {number}": ...' for number in range(1, len(value) + 1))
        return "\n".join([*asked, f"Return final answer as a json: {{{names}}}"])

    def results(self) -> JsonValue | Missing:
        """The gold: an object of experiments, each an object of metrics, or JSON text of it."""
        value = self._fields.get("results")
        if value is None or value == "":
            self._notes.add(self._place, "it has no results, so that attempts at it can't be scored")
            return MISSING
        if isinstance(value, str):
            try:
                value = parse_json_text(value, name="")
            except InputError as error:
                self._refuse("results", error.problem.reason, "write it with a JSON library")
                return MISSING
        for where, reason in _faults(value):
            self._refuse(where, reason, 'write {"Experiment 1": {metric: number or list of numbers}}')
        return value

    def _refuse(self, field: str, reason: str, remedy: str) -> None:
        self.problems.append(Problem(self._notes.name, f"{self._place}, {field}", reason, remedy))


def _faults(results: JsonValue) -> Iterator[tuple[str, str]]:
    """Where results are no experiments with numbers, and what is there instead; no value is told."""
    if not isinstance(results, dict) or not results:
        yield "results", f"it is {_kind(results)}, not an object with an experiment"
        return
    for name, metrics in results.items():
        place = f"results, {name[:60]}"
        if not isinstance(metrics, dict) or not metrics:
            yield place, f"the experiment is {_kind(metrics)}, not an object with a metric"
            continue
        for metric, value in metrics.items():
            if fault := _fault(value):
                yield f"{place}, {metric[:60]}", f"the metric is {fault}, not a number or a list of numbers"


def _fault(value: JsonValue, depth: int = 0) -> str:
    """What a metric is, if it is not a finite number or a list of such."""
    if isinstance(value, list) and value and depth < _DEEPEST_RESULT:
        return next((fault for item in value if (fault := _fault(item, depth + 1))), "")
    if as_number(value) is not None:
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN or infinite"
    return _kind(value)


def _kind(value: JsonValue) -> str:
    return f"an empty {'list' if value == [] else 'object'}" if value in ([], {}) else kind_of_json(value)
