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
    sent = fields.get("prompt_tokens")
    if sent is None:
        parts = [fields.get(key) for key in ("input_tokens", *_APART)]
        sent = total(parts)
    return turn_usage(
        fields.get("cost"),
        sent,
        _first(fields.get("completion_tokens"), fields.get("output_tokens")),
        _first(
            as_object(fields.get("prompt_tokens_details")).get("cached_tokens"),
            as_object(fields.get("input_tokens_details")).get("cached_tokens"),
            fields.get("cache_read_input_tokens"),
        ),
        _first(
            as_object(fields.get("completion_tokens_details")).get("reasoning_tokens"),
            as_object(fields.get("output_tokens_details")).get("reasoning_tokens"),
        ),
    )


def add_usage(usages: Iterable[Usage]) -> Usage:
    """The sum of several usages; a part that none of them has is unknown."""
    columns = zip(*usages, strict=True)
    sums = [total(column) for column in columns]
    return turn_usage(*sums) if sums else NO_USAGE


def _first(*values: JsonValue) -> JsonValue:
    return next((value for value in values if value is not None), None)
