"""The events of an Inspect sample, as its agents write them."""

from __future__ import annotations

from typing import Any

from tests.formats.frameworks import T0, T1, asks
from tests.formats.samples import Document

USED = {"input_tokens": 100, "output_tokens": 20, "input_tokens_cache_read": 10, "reasoning_tokens": 5}
SUBMIT_TOOL = {"name": "submit", "description": "Submit an answer for evaluation."}


def wrote(
    key: str, *calls: tuple[str, str, Any], content: Any = "Look.", span: str = "agent", **fields: Any
) -> Document:
    """A message of the model with this id, in a span."""
    message = {**asks(*calls, content=content), "id": key, "source": "generate"}
    output = {"choices": [{"message": message, "stop_reason": "stop"}], "usage": USED}
    return {"event": "model", "span_id": span, "output": output, "tools": [SUBMIT_TOOL], **fields}


def message_in(event: Document, **fields: Any) -> Document:
    """The message of a model's event as the conversation has it."""
    return {**event["output"]["choices"][0]["message"], **fields}


def ran(
    key: str, tool: str, result: Any = "train.py", *, span: str = "agent", **fields: Any
) -> list[Document]:
    """The execution of a call: the span in which the tool's own events stand, and the event."""
    times = {"timestamp": T0, "completed": T1, "working_time": 2.0}
    event = {"event": "tool", "id": key, "function": tool, "result": result, "span_id": span, **times}
    return [begin(f"{key} runs", "tool", tool, parent=span), {**event, **fields}]


def begin(span: str, kind: str, name: str, *, parent: str | None = None) -> Document:
    return {
        "event": "span_begin",
        "id": span,
        "type": kind,
        "name": name,
        "parent_id": parent,
        "span_id": span,
    }


SOLVING = [begin("solver", "solver", "react"), begin("agent", "agent", "react", parent="solver")]
