"""Spans of OpenTelemetry as Phoenix, Logfire and others export them, and what their attributes say."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final, NamedTuple

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import parse_time
from leaderboard.formats.documents import as_number, json_text, parsed
from leaderboard.formats.shapes import as_object, as_objects

_MAX_DEPTH: Final = 30
_TRACE: Final = ("trace_id", "traceId", "otel_trace_id")
_SPAN: Final = ("span_id", "spanId", "otel_span_id")
_PARENT: Final = ("parent_id", "parent_span_id", "parentSpanId", "otel_parent_span_id")
_STARTS: Final = ("start_time", "start_timestamp", "startTimeUnixNano")
_ENDS: Final = ("end_time", "end_timestamp", "endTimeUnixNano")
_ATTRIBUTES: Final = ("attributes", "otel_attributes")
_NANO: Final = 1_000_000_000


class Span(NamedTuple):
    """One span; ``attributes`` are as in the file: with dotted names, nested, or both.

    ``start`` and ``end`` are as in the file, or in seconds where it has nanoseconds.
    """

    trace: str
    id: str
    parent: str
    name: str
    start: JsonValue
    end: JsonValue
    error: str
    attributes: dict[str, JsonValue]

    def get(self, path: str) -> JsonValue:
        """The attribute with this dotted name; null if there is none."""
        found = self.attributes.get(path)
        if found is not None:
            return found
        head, _dot, rest = path.partition(".")
        inner = self.attributes.get(head)
        return _inside(inner, rest) if rest and isinstance(inner, dict) else None

    def tree(self, path: str, only: Container[str] | None = None) -> JsonValue:
        """What is below a dotted name, as objects in objects; ``only``: of its items, these numbers."""
        found = self.get(path)
        if found is not None:
            return found
        start = f"{path}."
        size = len(start)
        below = {
            key[size:]: value
            for key, value in self.attributes.items()
            if key.startswith(start) and (only is None or key[size:].partition(".")[0] in only)
        }
        return nested(below) if below else None

    def first(self, *paths: str) -> JsonValue:
        """The first of these attributes that there is."""
        return next((value for path in paths if (value := self.get(path)) is not None), None)

    @property
    def order(self) -> float:
        """Seconds since 1970 of its start."""
        found = parse_time(self.start)
        return found.timestamp() if found else 0.0


def _inside(value: JsonValue, path: str) -> JsonValue:
    """What an object has under a dotted name, whether its own names are dotted or not."""
    for _level in range(_MAX_DEPTH):
        if not isinstance(value, dict):
            return None
        if path in value:
            return value[path]
        head, dot, path = path.partition(".")
        value = value.get(head)
        if not dot:
            return value
    return None


def is_span(document: JsonValue) -> bool:
    """Whether an object is a span."""
    if not isinstance(document, dict) or _first(document, _ATTRIBUTES) is None:
        return False
    return _first(_context(document), _TRACE) is not None and _first(_context(document), _SPAN) is not None


def span_of(document: dict[str, JsonValue]) -> Span:
    """The span in an object."""
    context = _context(document)
    kind, state = document.get("span_kind"), as_object(document.get("status"))
    attributes = dict(_pairs(parsed(_first(document, _ATTRIBUTES))))
    if isinstance(kind, str) and "openinference" not in attributes:
        attributes.setdefault("openinference.span.kind", kind)
    code = str(document.get("status_code") or state.get("status_code") or state.get("code") or "")
    failed = code.upper().endswith("ERROR") or code == "2" or document.get("is_exception") is True
    return Span(
        json_text(_first(context, _TRACE)),
        json_text(_first(context, _SPAN)),
        json_text(_first(document, _PARENT)),
        json_text(document.get("name") or document.get("span_name")),
        _time(_first(document, _STARTS)),
        _time(_first(document, _ENDS)),
        (_error(document, state) or "error") if failed else "",
        attributes,
    )


def spans_in_otlp(document: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    """The spans in OTLP's JSON."""
    for resource in as_objects(document.get("resourceSpans")):
        for scope in as_objects(resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans")):
            yield from as_objects(scope.get("spans"))


def nested(attributes: JsonValue) -> dict[str, JsonValue]:
    """Attributes with dotted names as objects in objects; OTLP's list of keys and values too."""
    tree: dict[str, JsonValue] = {}
    for key, value in _pairs(attributes):
        *path, last = key.split(".", _MAX_DEPTH)
        holder: Any = tree
        for part in path:
            inner = holder.get(part)
            if not isinstance(inner, dict):
                inner = holder[part] = {}
            holder = inner
        if isinstance(value, dict) and isinstance(holder.get(last), dict):
            holder[last] = {**holder[last], **value}
        elif not isinstance(holder.get(last), dict):
            holder[last] = value
    return tree


def items_of(value: JsonValue) -> list[JsonValue]:
    """The items of a list: a list, JSON text of one, or an object with whole numbers as keys."""
    value = parsed(value)
    if isinstance(value, list):
        return value
    numbered = {int(key): item for key, item in as_object(value).items() if key.isdecimal() and len(key) < 7}
    return [numbered[number] for number in sorted(numbered)]


def _pairs(attributes: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(attributes, dict):
        yield from attributes.items()
    for each in as_objects(attributes):
        if isinstance(each.get("key"), str):
            yield each["key"], _otlp_value(each.get("value"))


def _otlp_value(value: JsonValue) -> JsonValue:
    fields = as_object(value)
    if "arrayValue" in fields:
        return [_otlp_value(each) for each in as_objects(as_object(fields["arrayValue"]).get("values"))]
    if "kvlistValue" in fields:
        return dict(_pairs(as_object(fields["kvlistValue"]).get("values")))
    if isinstance(fields.get("intValue"), str) and fields["intValue"].lstrip("-").isdecimal():
        return int(fields["intValue"][:20])
    return next(iter(fields.values()), None)


def _context(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
    context = document.get("context")
    return context if isinstance(context, dict) else document


def _first(document: dict[str, JsonValue], keys: tuple[str, ...]) -> JsonValue:
    return next((document[key] for key in keys if document.get(key) is not None), None)


def _time(value: JsonValue) -> JsonValue:
    number = (
        as_number(int(value)) if isinstance(value, str) and value.isdecimal() and len(value) < 20 else None
    )
    number = as_number(value) if number is None else number
    return number / _NANO if number is not None and number > 1e14 else value


def _error(document: dict[str, JsonValue], state: dict[str, JsonValue]) -> str:
    """Why a span failed: its exception, else its status."""
    for event in as_objects(document.get("events")):
        fields = nested(event.get("attributes"))
        message = as_object(fields.get("exception")).get("message")
        if isinstance(message, str) and message:
            return message
    said = document.get("status_message") or state.get("description") or state.get("message")
    return json_text(said or document.get("exception_message"))
