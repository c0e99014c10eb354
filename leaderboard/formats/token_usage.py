"""Reads what a model's answer used, under the names of OpenAI's, Anthropic's and other APIs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import NO_USAGE, Usage, total, turn_usage
from leaderboard.formats.shapes import as_object

# Anthropic's ``input_tokens`` leaves these out.
_APART: Final = ("cache_read_input_tokens", "cache_creation_input_tokens")


def usage_of(value: JsonValue) -> Usage:
    """The usage in an object like ``{prompt_tokens, completion_tokens}``; what is no amount is left out."""
    fields = as_object(value)
    if not fields:
        return NO_USAGE
    sent, received = fields.get("prompt_tokens"), fields.get("completion_tokens")
    if sent is None:
        sent = fields.get("input_tokens")
        if any(key in fields for key in _APART):
            sent = total([sent, *(fields.get(key) for key in _APART)])
    cached = _detail(fields, ("prompt_tokens_details", "input_tokens_details"), "cached_tokens")
    return turn_usage(
        fields.get("cost"),
        sent,
        fields.get("output_tokens") if received is None else received,
        fields.get(_APART[0]) if cached is None else cached,
        _detail(fields, ("completion_tokens_details", "output_tokens_details"), "reasoning_tokens"),
    )


def add_usage(usages: Iterable[Usage]) -> Usage:
    """The sum of several usages; a part that none of them has is unknown."""
    known = [usage for usage in usages if usage is not NO_USAGE]
    if len(known) < 2:
        return known[0] if known else NO_USAGE
    return turn_usage(*(total(column) for column in zip(*known, strict=True)))


def _detail(fields: dict[str, JsonValue], places: tuple[str, ...], key: str) -> JsonValue:
    found = (as_object(fields[place]).get(key) for place in places if place in fields)
    return next((value for value in found if value is not None), None)
