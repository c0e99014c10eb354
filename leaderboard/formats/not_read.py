"""What a file is that no format reads, by its first bytes or by what is in it.

So a submitter is told once what it is, and what to give in its place, rather than what is wrong on each line.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.shapes import as_object


class Sign(NamedTuple):
    """A kind of file: its name with its article, and what to do instead.

    A document is it if it has all of ``keys`` (``a.b`` is in an object in it), and under each key of
    ``values`` one of these values.
    """

    name: str
    remedy: str
    keys: tuple[str, ...] = ()
    values: tuple[tuple[str, tuple[JsonValue, ...]], ...] = ()

    def fits(self, document: dict[str, JsonValue]) -> bool:
        has_values = all(_is_one_of(document.get(key), allowed) for key, allowed in self.values)
        return bool(self.keys or self.values) and has_values and all(_has(document, key) for key in self.keys)


def _has(document: dict[str, JsonValue], path: str) -> bool:
    key, _dot, inner = path.partition(".")
    return key in document and (not inner or _has(as_object(document[key]), inner))


def _is_one_of(value: JsonValue, allowed: tuple[JsonValue, ...]) -> bool:
    # Not "in": True equals 1, and an untrusted value may be of any type.
    return any(type(value) is type(each) and value == each for each in allowed)


_TRAJECTORY: Final = "give the agent's own log or trajectory in its place"
_MESSAGES: Final = "export its messages as JSON: a list of role, content and tool_calls"
_SPANS: Final = "export its spans as JSON, in OpenInference's or OpenTelemetry's GenAI conventions"
_STREAM: Final = "run it with --output-format stream-json, or give the session that the tool stored"

BYTES: Final = (
    (b"PAR1", Sign("a Parquet file", _MESSAGES)),
    (b"ARROW1", Sign("an Arrow file", _MESSAGES)),
    (
        b"SQLite format 3\0",
        Sign("an SQLite database", "export its runs as JSON"),
    ),
    (b"\x89HDF\r\n", Sign("an HDF5 file", _TRAJECTORY)),
    (b"\x93NUMPY", Sign("a NumPy array", _TRAJECTORY)),
    (b"\x80\x04\x95", Sign("a Python pickle, which is never loaded", "write it as JSON")),
    (b"\x80\x05\x95", Sign("a Python pickle, which is never loaded", "write it as JSON")),
    (b":W&B", Sign("a Weights & Biases run file", _TRAJECTORY)),
    (b"\x1f\x8b", Sign("a gzip file", "unpack it first")),
    (b"\x28\xb5\x2f\xfd", Sign("a zstd file", "unpack it first")),
    (b"BZh", Sign("a bzip2 file", "unpack it first")),
    (b"\xfd7zXZ\0", Sign("an xz file", "unpack it first")),
    (b"%PDF-", Sign("a PDF", _TRAJECTORY)),
    (b"\x89PNG", Sign("a PNG image", _TRAJECTORY)),
)
"""Signs at a file's start."""

TEXT: Final = Sign("plain text, not valid JSON", _TRAJECTORY)
"""What a file is that does not begin as a JSON document does: a log, a table, a script."""

_NUMBER: Final = r"-?[0-9.]+(?:[eE][+-]?[0-9]*)?"
_MAY_BE_JSON: Final = re.compile(
    rf"""\s*(?:[{{"]|\[\s*(?:["{{\[\]-]|[a-z]+\s*[,\]]|{_NUMBER}\s*[,\]]|\w*\Z)|(?:{_NUMBER}|\w+)\s*\Z)"""
)
_TFEVENTS: Final = Sign("a TensorBoard event file", _TRAJECTORY)
_TFEVENTS_MARK: Final = b"brain.Event:"

DOCUMENTS: Final = (
    Sign("an asciinema recording", _TRAJECTORY, ("version", "width", "height")),
    Sign("an asciinema recording", _TRAJECTORY, ("version", "term"), (("version", (3,)),)),
    Sign("Terminal-Bench 1 results", _TRAJECTORY, ("n_resolved", "n_unresolved", "results")),
    Sign("a Terminal-Bench 1 result", _TRAJECTORY, ("trial_name", "is_resolved", "parser_results")),
    Sign("a test report (CTRF)", _TRAJECTORY, ("results.tests", "results.summary")),
    Sign("a test report of pytest", _TRAJECTORY, ("exitcode", "root", "environment", "summary")),
    Sign("LangSmith runs", _SPANS, ("run_type", "dotted_order")),
    Sign("LangSmith runs", _SPANS, ("run_type", "child_runs")),
    Sign("LangChain messages", _MESSAGES, ("lc", "type", "id", "kwargs")),
    Sign("LangChain messages", _MESSAGES, ("data",), (("type", ("human", "ai", "system", "tool")),)),
    Sign("Weave calls", "give HAL's upload file, or export the messages", ("op_name", "trace_id", "inputs")),
    Sign("spans of the OpenAI Agents SDK", _SPANS, ("span_data",), (("object", ("trace.span",)),)),
    Sign("spans of the OpenAI Agents SDK", _SPANS, ("workflow_name",), (("object", ("trace",)),)),
    Sign("a chat of VS Code, which keeps no outputs", _TRAJECTORY, ("requests", "responderUsername")),
    Sign("a Weights & Biases summary or history", _TRAJECTORY, ("_runtime", "_timestamp", "_step")),
    Sign("a Hugging Face trainer's state", _TRAJECTORY, ("log_history", "global_step")),
    Sign("a result of Claude Code alone", _STREAM, ("num_turns", "result")),
    Sign("a result of Gemini CLI alone", _STREAM, ("response", "stats")),
    Sign("a response of OpenAI's API", _MESSAGES, ("choices",), (("object", ("chat.completion",)),)),
    Sign("a response of OpenAI's API", _MESSAGES, ("output",), (("object", ("response",)),)),
    Sign("predictions of patches", _TRAJECTORY, ("instance_id", "model_patch")),
    Sign("a SWE-bench report", _TRAJECTORY, ("resolved_ids", "unresolved_ids")),
    Sign("a chat export of ChatGPT", _MESSAGES, ("mapping", "conversation_id")),
    Sign("a Terminal-Bench or Harbor configuration", _TRAJECTORY, ("job_name", "jobs_dir")),
    Sign("a pull request or issue of GitHub", _TRAJECTORY, ("html_url", "node_id", "number")),
    Sign("lines of ShareGPT", _MESSAGES, ("conversations",)),
    Sign("prompts and completions", _MESSAGES, ("prompt", "completion")),
)  # fmt: skip
"""Signs in a JSON document, or in the first line of JSON Lines."""


def sign_of_bytes(data: bytes) -> Sign | None:
    """What a file that is no text is, by its first bytes."""
    if _TFEVENTS_MARK in data[:64]:
        return _TFEVENTS
    return next((sign for mark, sign in BYTES if data.startswith(mark)), None)


def sign_of_text(text: str) -> Sign | None:
    """What a text is that is no JSON; None if it may be JSON with a fault in it."""
    return None if _MAY_BE_JSON.match(text[:1_000]) else TEXT


def sign_of(document: JsonValue) -> Sign | None:
    """What a document in no known format is; a list is what its first item is."""
    first = document[0] if isinstance(document, list) and document else document
    fields = as_object(first)
    return next((sign for sign in DOCUMENTS if sign.fits(fields)), None)
