"""Reads and checks the structure of a Jupyter notebook, as nbformat does but much faster.

nbformat validates against a JSON schema, which takes seconds instead of milliseconds. This module refuses the
same notebooks, but ignores unknown keys. Messages count cells from 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.media import JPEG, PNG, Media, from_base64, from_text
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import json_text, kind_of_json

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
_RICHEST: Final[tuple[str, ...]] = ("text/html", "text/markdown", "text/latex")
_REMEDY: Final = "save the file again with Jupyter or nbformat"


class Cell(NamedTuple):
    """One cell; ``output`` is its outputs' plain text, None if it has none; ``media`` those without text."""

    kind: str
    source: str
    output: str | None = None
    media: tuple[Media, ...] = ()


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
    if kind != "code":
        return Cell(kind, source)
    outputs = _expect(list, cell["outputs"], "the outputs are {}, not a list")
    return Cell(kind, source, *_joined_outputs(map(_output, outputs)))


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


class _Output(NamedTuple):
    """One output: its text, if it has one; what it shows besides; and its name, if it is a stream."""

    text: str | None
    media: Media | None = None
    stream: str = ""


def _joined_outputs(outputs: Iterable[_Output]) -> tuple[str | None, tuple[Media, ...]]:
    """The outputs' texts, each on lines of its own as Jupyter shows them, and what they show besides.

    Consecutive pieces of one stream are one text.
    """
    parts: list[str] = []
    media: list[Media] = []
    found, stream, open_line = False, "", False
    for output in outputs:
        if output.media:
            media.append(output.media)
        if open_line and output.text and not (stream and output.stream == stream):
            parts.append("\n")
        found = found or output.text is not None
        stream = output.stream
        if output.text:
            parts.append(output.text)
            open_line = not output.text.endswith("\n")
    return "".join(parts) if found else None, tuple(media)


def _output(output: JsonValue) -> _Output:
    kind = output.get("output_type") if isinstance(output, dict) else None
    if not isinstance(kind, str) or kind not in _OUTPUT_KEYS:
        raise _InvalidCellError("an output has no known output_type")
    _check_keys(output, _OUTPUT_KEYS[kind], what="an output")
    if kind == "stream":
        return _Output(_joined(output["text"], what="an output's text"), stream=json_text(output["name"]))
    if kind == "error":
        return _Output(_joined(output["traceback"], what="an output's traceback", separator="\n"))
    data = _expect(dict, output["data"], "an output's data is {}, not an object")
    texts = {
        mime: json_text(value) if _is_json(mime) else _joined(value, what="an output's data")
        for mime, value in data.items()
    }
    return _Output(texts.get("text/plain"), _shown_besides(texts))


def _shown_besides(texts: dict[str, str]) -> Media | None:
    """The image of an output, or the richest of its other forms if none of them is plain text."""
    for mime, text in texts.items():
        if mime in (PNG, JPEG):
            return from_base64(mime, text)
    images = [mime for mime in texts if mime.startswith("image/")]
    others = [] if "text/plain" in texts else [mime for mime in _RICHEST if mime in texts] or list(texts)
    for mime in (*images, *others):
        is_text = mime.endswith("+xml") or not mime.startswith("image/")
        return from_text(mime, texts[mime]) if is_text else from_base64(mime, texts[mime])
    return None


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
