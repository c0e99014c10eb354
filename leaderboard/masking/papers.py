"""Makes AutoExperiment's data points of a paper's code: levels of masked functions, and proven results."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.documents import decode
from leaderboard.formats.opening import Lines
from leaderboard.masking.experiments import Experiment, ExperimentFailed, Figures, run_experiment
from leaderboard.masking.functions import MaskedFunction, mask_functions
from leaderboard.scoring.autoexperiment.rules import is_right, judge

NOT_COPIED: Final = (".git", ".hg", ".svn", "__pycache__", "*.pyc", ".ipynb_checkpoints")
"""What would show a masked function: its history, and what was compiled of it."""

PAPER_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")

_LONG_ENOUGH: Final = 40
"""Characters of a body that stands in another file by no chance."""

_COPIES: Final = "repositories"
"""The folder of the masked code, beside the data points."""

_LARGEST_SOURCE: Final = 10_000_000

_Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that may be masked: its file, as a path in the repository with ``/``, and its name in it."""

    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.file}::{self.name}"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper's code base.

    Attributes:
        paper_id: letters, digits, ``.`` and ``-``.
        root: the folder of its code, complete.
        experiments: run in the folder; each stands alone.
        functions: a function's id is its place among them, from 0.
        left_out: patterns of names that no copy has, beside ``NOT_COPIED``.
        seconds: the longest that one experiment may run.
    """

    paper_id: str
    root: Path
    experiments: tuple[Experiment, ...]
    functions: tuple[Function, ...]
    left_out: tuple[str, ...] = ()
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Proof:
    """What running the experiments has shown.

    ``results`` has each experiment's figures with the complete code; ``needs`` the numbers of the functions
    without which the experiment does not give them.
    """

    results: tuple[Figures, ...]
    needs: tuple[frozenset[int], ...]


def parse_function(text: str) -> Function:
    """The function that ``path.py::Class.method`` names.

    Raises:
        InputError: the text is not of this form.
    """
    file, separator, name = text.partition("::")
    parts = file.split("/")
    if not separator or not name or not file.endswith(".py") or not {"", ".", ".."}.isdisjoint(parts):
        remedy = "name a file in the repository and a function in it: package/model.py::Ranker.fit"
        raise InputError(Problem("--function", "", f"“{text}” names no function", remedy))
    return Function(file, name)


def check_paper(paper: Paper, levels: Sequence[int], folder: Path, *, name: str) -> None:
    """Raise `InputError` with every problem that shows before an experiment is run.

    ``folder`` and ``name`` are what `write_level` gets.
    """
    problems = list(_folder_problems(paper.root, folder))
    for level in levels:
        try:
            list(_read(_level_path(folder, name, level)))
        except InputError as error:
            problems += error.problems
    if not PAPER_ID.fullmatch(paper.paper_id):
        reason = f"“{paper.paper_id}” can't be a part of a task's id"
        problems.append(Problem("--paper", "", reason, "use letters, digits, dots and hyphens"))
    if not paper.root.is_dir():
        problems.append(Problem(str(paper.root), "", "not a folder", "name the folder of the code"))
    elif paper.functions:
        try:
            _mask(paper, range(len(paper.functions)), paper.root, write=False)
        except InputError as error:
            problems += error.problems
    if too_high := [level for level in levels if level > len(paper.functions)]:
        reason = f"level {too_high[0]:,} masks more functions than the {len(paper.functions):,} named"
        problems.append(Problem("--levels", "", reason, "name more with --function, or lower the level"))
    if problems:
        raise InputError(*problems)


def _folder_problems(root: Path, folder: Path) -> Iterator[Problem]:
    """A problem if the code's copies would lie in the code, or replace it."""
    code, out = root.resolve(), folder.resolve()
    if out.is_relative_to(code):
        reason = f"it is inside the code, {root}, and each copy would hold the others"
        yield Problem("--out", str(folder), reason, "name a folder outside")
    elif code.is_relative_to(out / _COPIES):
        reason = f"the code, {root}, is where copies are written"
        yield Problem("--out", str(folder), reason, "name another folder, or move the code")


def prove(paper: Paper, *, say: Callable[[str], None] = lambda line: None) -> Proof:
    """Run every experiment with the complete code, twice, and with each of the functions masked alone.

    Every run has a fresh copy of the code. ``say`` gets a line for each run.

    Raises:
        InputError: an experiment fails or does not give the same figures again, no experiment needs a
        function,
            or the source of a function stands in another file as well.
    """
    results = tuple(_gold(paper, number, say) for number in range(len(paper.experiments)))
    needed: list[set[int]] = [set() for _ in results]
    problems: list[Problem] = []
    for index, function in enumerate(paper.functions):
        problems += _other_places(paper, index)
        for number, gold in enumerate(results):
            figures = _outcome(paper, number, [index])
            gives = not isinstance(figures, str) and _is_same(gold, figures)
            if not gives:
                needed[number].add(index)
            say(f"experiment {number + 1} without {function}: {'still right' if gives else 'fails'}")
        if not any(index in functions for functions in needed):
            reason = f"no experiment needs {function.name}: each gives its results without it"
            problems.append(Problem(function.file, "", reason, "mask another function, or add an experiment"))
    if problems:
        raise InputError(*problems)
    return Proof(results, tuple(map(frozenset, needed)))


def data_points(paper: Paper, proof: Proof, level: int) -> list[_Record]:
    """The data points that mask ``level`` of a paper's functions, in AutoExperiment's fields.

    A point has the experiments that need one of its functions; at level 0 it has all. Two fields are ours:
    ``repository`` is where `write_level` puts the masked code, ``removed`` the removed source of each
    function.
    """
    masked = _mask(paper, range(len(paper.functions)), paper.root, write=False)
    points = []
    for chosen in combinations(range(len(paper.functions)), level):
        numbers = [number for number, needed in enumerate(proof.needs) if not level or needed & set(chosen)]
        points.append(_point(paper, proof, [(index, masked[index]) for index in chosen], numbers))
    return points


def write_level(paper: Paper, points: Sequence[_Record], level: int, folder: Path, *, name: str) -> Path:
    """Write ``<name>_n=<level>.jsonl`` and each point's masked code; what is there of other papers stays.

    Raises:
        InputError: the file is there and can't be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = _level_path(folder, name, level)
    others = [record for record in _read(path) if record["paper_id"] != paper.paper_id]
    records = sorted([*others, *points], key=lambda record: (record["paper_id"], _ids_of(record) or ""))
    for point in points:
        target = folder / point["repository"]
        shutil.rmtree(target.parent, ignore_errors=True)
        chosen = [int(each["func_id"]) for each in point["func_details"]]
        _copy(paper, target)
        _mask(paper, chosen, target)
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return path


def _level_path(folder: Path, name: str, level: int) -> Path:
    return folder / f"{name}_n={level}.jsonl"


def _ids_of(record: _Record) -> str | None:
    """A data point's ``func_ids`` as one text, empty for none; None if they are no ids."""
    ids = record.get("func_ids") or ""
    if isinstance(ids, list) and all(type(each) in (str, int) for each in ids):
        return ",".join(map(str, ids))
    return ids if isinstance(ids, str) else None


def _point(
    paper: Paper, proof: Proof, chosen: Sequence[tuple[int, MaskedFunction]], numbers: Sequence[int]
) -> _Record:
    func_ids = ",".join(str(index) for index, _ in chosen)
    asked, commands, results = "", "", {}
    for place, number in enumerate(numbers, start=1):
        experiment, figures = paper.experiments[number], proof.results[number]
        asked += f"Experiment {place}: {experiment.description} {_format_of(figures)}\n"
        commands += f"echo Experiment {place}\n{experiment.command}\n"
        results[f"Experiment {place}"] = figures
    names = ", ".join(f'"{name}": ...' for name in results)
    return {
        "paper_id": paper.paper_id,
        "func_ids": func_ids,
        "func_details": [_details(paper, index, function) for index, function in chosen],
        "experiments": f"{asked}Return final answer as a json: {{{names}}}",
        "solution": commands,
        "results": results,
        "repository": f"{_COPIES}/{paper.paper_id}_{func_ids}/{paper.paper_id}",
        "removed": {str(index): function.removed for index, function in chosen},
    }


def _details(paper: Paper, index: int, function: MaskedFunction) -> _Record:
    return {
        "paper_id": paper.paper_id,
        "func_id": str(index),
        "file": paper.functions[index].file,
        "name": function.name,
        "signature": function.signature,
        "header_line": function.header_line,
        "line_start": function.line_start,
        "line_end": function.line_end,
        "description": function.docstring,
    }


def _format_of(figures: Figures) -> str:
    """How to report an experiment: its figures with 0.0 for each number."""
    zeros = {name: [0.0] * len(value) if isinstance(value, list) else 0.0 for name, value in figures.items()}
    return f"Return the results in this format {json.dumps(zeros)} (replace 0.0 with the actual value)."


def _read(path: Path) -> Iterator[_Record]:
    if path.exists():
        for number, record in Lines(decode(path.read_bytes(), name=path.name), name=path.name):
            fields = record if isinstance(record, dict) else {}
            if not isinstance(fields.get("paper_id"), str) or _ids_of(fields) is None:
                remedy = "remove the line, or name another folder"
                raise InputError(Problem(path.name, f"line {number}", "not a data point", remedy))
            yield fields


def _gold(paper: Paper, number: int, say: Callable[[str], None]) -> Figures:
    place = f"experiment {number + 1}"
    runs: list[Figures] = []
    while len(runs) < 2:
        figures = _outcome(paper, number, [])
        if isinstance(figures, str):
            remedy = "make it run with the complete code first"
            raise InputError(Problem(paper.paper_id, place, figures, remedy))
        runs.append(figures)
    if not _is_same(*runs):
        reason = f"two runs of the complete code gave {runs[0]} and {runs[1]}"
        raise InputError(Problem(paper.paper_id, place, reason, "set its seeds"))
    say(f"{place}: {json.dumps(runs[0])}")
    return runs[0]


def _outcome(paper: Paper, number: int, masked: Sequence[int]) -> Figures | str:
    """The figures of one experiment in a fresh copy of the code; the reason as text if it failed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, paper.paper_id)
        _copy(paper, folder)
        _mask(paper, masked, folder)
        try:
            return run_experiment(paper.experiments[number], folder, seconds=paper.seconds)
        except ExperimentFailed as error:
            return str(error)


def _is_same(gold: Figures, figures: Figures) -> bool:
    return is_right(judge({"": gold}, {"": figures}))


def _copy(paper: Paper, target: Path) -> None:
    shutil.copytree(
        paper.root, target, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED, *paper.left_out)
    )


def _mask(
    paper: Paper, chosen: Sequence[int], folder: Path, *, write: bool = True
) -> dict[int, MaskedFunction]:
    """Mask functions of a copy in place; without ``write``, only find out what would be masked."""
    by_file: defaultdict[str, list[int]] = defaultdict(list)
    for index in chosen:
        by_file[paper.functions[index].file].append(index)
    found: dict[int, MaskedFunction] = {}
    problems: list[Problem] = []
    for file, indices in by_file.items():
        path = folder / file
        if not path.is_file() or path.resolve() != (folder.resolve() / file):
            problems.append(Problem(file, "", "there is no such file in the repository", "check the path"))
            continue
        try:
            names = [paper.functions[index].name for index in indices]
            data, functions = mask_functions(path.read_bytes(), names, file=file)
        except InputError as error:
            problems += error.problems
            continue
        found.update(zip(indices, functions, strict=True))
        if write:
            path.write_bytes(data)
    if problems:
        raise InputError(*problems)
    return found


def _other_places(paper: Paper, index: int) -> Iterator[Problem]:
    """A problem for each place of a copy in which a removed body stands, too."""
    function = paper.functions[index]
    own = (paper.root / function.file).read_bytes()
    masked, (found,) = mask_functions(own, [function.name], file=function.file)
    body = _words(found.removed)
    if len(body) < _LONG_ENOUGH:
        return
    if body in _words(masked.decode("utf-8", "ignore")):
        reason = f"the source of {function} stands in its file a second time"
        remedy = "have one of them call the other, or mask another function"
        yield Problem(function.file, "", reason, remedy)
    for path in sorted(paper.root.rglob("*")):
        file = path.relative_to(paper.root)
        left_out = any(fnmatch(part, each) for part in file.parts for each in (*NOT_COPIED, *paper.left_out))
        if left_out or not path.is_file() or file.as_posix() == function.file:
            continue
        if path.stat().st_size > _LARGEST_SOURCE:
            continue
        if body in _words(path.read_text(encoding="utf-8", errors="ignore")):
            reason = f"it also contains the source of {function}"
            yield Problem(file.as_posix(), "", reason, f"leave the file out with --exclude {path.name}")


def _words(text: str) -> str:
    """A text without indentation and line ends, which may differ between copies of a body."""
    return " ".join(text.split())
