"""Reads and checks the structure of a Jupyter notebook, as nbformat does but much faster.

nbformat validates against a JSON schema, which takes seconds instead of milliseconds. This module refuses the
same notebooks, but ignores unknown keys. Messages count cells from 1.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import kind_of_json

_T = TypeVar("_T")
_CELL_KEYS: Final = {
    "code": ("metadata", "execution_count", "outputs"),
    "markdown": ("metadata",),
    "raw": ("metadata",),
}
_OUTPUT_KEYS: Final = {
    "execute_result": ("data", "metadata", "execution_count"),
    "display_data": ("data", "metadata"),
    "stream": ("name", "text"),
    "error": ("ename", "evalue", "traceback"),
}
_REMEDY: Final = "save the file again with Jupyter or nbformat"


class Cell(NamedTuple):
    """One cell; ``output`` is its outputs' plain text, None if it has none."""

    kind: str
    source: str
    output: str | None


class _InvalidCellError(ValueError):
    """Why a cell is refused; the caller adds its place."""


def cells_of(document: dict[str, JsonValue], *, name: str) -> list[Cell]:
    """The cells of a parsed notebook; `InputError` if nbformat would refuse a key or a cell."""
    _check_top(document, name=name)
    cells = []
    for number, cell in enumerate(document["cells"], start=1):
        try:
            cells.append(_cell(cell))
        except _InvalidCellError as error:
            raise InputError(Problem(name, f"cell {number}", str(error), _REMEDY)) from None
    return cells


def _check_top(document: dict[str, JsonValue], *, name: str) -> None:
    version = document.get("nbformat")
    if type(version) is not int or version != 4:
        shown = version if type(version) is int and abs(version) < 1000 else kind_of_json(version)
        reason = f"the notebook's format is {shown}; only 4 can be read"
        raise InputError(Problem(name, "$.nbformat", reason, _REMEDY))
    for key, wanted, word in (
        ("nbformat_minor", int, "a number"),
        ("metadata", dict, "an object"),
        ("cells", list, "a list"),
    ):
        if key not in document:
            raise InputError(Problem(name, f"$.{key}", f"the notebook has no {key}", _REMEDY))
        if type(document[key]) is not wanted:
            reason = f"{kind_of_json(document[key])}, not {word}"
            raise InputError(Problem(name, f"$.{key}", reason, _REMEDY))


def _cell(cell: JsonValue) -> Cell:
    cell = _expect(dict, cell, "the cell is {}, not an object")
    kind = cell.get("cell_type")
    if not isinstance(kind, str) or kind not in _CELL_KEYS:
        raise _InvalidCellError("the cell_type is not code, markdown or raw")
    _check_keys(cell, _CELL_KEYS[kind], what="the cell")
    if "source" not in cell:
        raise _InvalidCellError("the cell has no source")
    source = _joined(cell["source"], what="the source")
    return Cell(kind, source, _output(cell["outputs"]) if kind == "code" else None)


def _expect(kind: type[_T], value: JsonValue, sentence: str) -> _T:
    """The value if it is of this type, else an error: ``{}`` in its sentence is what the value is."""
    if isinstance(value, kind):
        return value
    raise _InvalidCellError(sentence.format(kind_of_json(value)))


def _check_keys(item: dict[str, JsonValue], keys: tuple[str, ...], *, what: str) -> None:
    for key in keys:
        if key not in item:
            raise _InvalidCellError(f"{what} has no {key}")
        if key == "metadata":
            _expect(dict, item[key], f"the metadata of {what} is {{}}, not an object")
        if key == "execution_count" and type(item[key]) not in (int, type(None)):
            found = kind_of_json(item[key])
            raise _InvalidCellError(f"the execution_count of {what} is {found}, not a number")


def _output(outputs: JsonValue) -> str | None:
    """The plain text of a code cell's outputs, joined in order; None if there is none."""
    found = map(_output_text, _expect(list, outputs, "the outputs are {}, not a list"))
    texts = [text for text in found if text is not None]
    return "".join(texts) if texts else None


def _output_text(output: JsonValue) -> str | None:
    kind = output.get("output_type") if isinstance(output, dict) else None
    if not isinstance(kind, str) or kind not in _OUTPUT_KEYS:
        raise _InvalidCellError("an output has no known output_type")
    _check_keys(output, _OUTPUT_KEYS[kind], what="an output")
    if kind == "stream":
        return _joined(output["text"], what="an output's text")
    if kind == "error":
        return _joined(output["traceback"], what="an output's traceback", separator="\n")
    data = _expect(dict, output["data"], "an output's data is {}, not an object")
    texts = {
        mime: _joined(value, what="an output's data") for mime, value in data.items() if not _is_json(mime)
    }
    return texts.get("text/plain")


def _is_json(mime: str) -> bool:
    return mime.startswith("application/") and mime.endswith(("/json", "+json"))


def _joined(value: JsonValue, *, what: str, separator: str = "") -> str:
    """Notebook text: a string, or a list of strings to be joined."""
    if isinstance(value, str):
        return value
    try:
        return separator.join(_expect(list, value, f"{what} is {{}}, not text"))
    except TypeError:
        raise _InvalidCellError(f"{what} is a list that contains something other than text") from None
