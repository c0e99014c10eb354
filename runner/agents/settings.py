"""Settings of agents: dataclasses with bounds, filled from a form, a command line or a record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from runner.agents.base import Setting

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Settings = TypeVar("Settings", bound=DataclassInstance)

_KINDS = {str: "text", int: "integer", float: "number", bool: "flag"}
_WORDS = {"text": "text", "integer": "a whole number", "number": "a number", "flag": "true or false"}
_FLAGS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def setting(
    default: Any = MISSING, *, about: str, minimum: float | None = None, maximum: float | None = None
) -> Any:
    """A field of a dataclass of settings, with its explanation and bounds (inclusive)."""
    return field(default=default, metadata={"help": about, "minimum": minimum, "maximum": maximum})


def describe(kind: type[DataclassInstance]) -> tuple[Setting, ...]:
    """The settings of a dataclass whose fields were made by ``setting``, in order."""
    hints = get_type_hints(kind)
    return tuple(_setting(item, hints[item.name]) for item in fields(kind))


def fill(kind: type[Settings], values: Mapping[str, Any]) -> Settings:
    """The dataclass with these values and its defaults; numbers and flags may come as text.

    Raises:
        ValueError: names the first field that is unknown, missing, of a wrong type, out of bounds, or wrong
            to the dataclass's own ``__post_init__``.
    """
    known = {item.name: item for item in describe(kind)}
    for name in values:
        if name not in known:
            raise ValueError(f"{name}: there is no such setting; known are {', '.join(known)}")
    for name, item in known.items():
        if item.required and values.get(name) in (None, ""):
            raise ValueError(f"{name}: is needed ({item.help})")
    return kind(**{name: _value(known[name], value) for name, value in values.items()})


def _setting(item: Field[Any], hint: Any) -> Setting:
    kinds = [part for part in get_args(hint) or (hint,) if part is not NoneType]
    required = item.default is MISSING
    return Setting(
        name=item.name,
        kind=_KINDS[kinds[0]],
        help=item.metadata["help"],
        default=None if required else item.default,
        optional=NoneType in get_args(hint),
        required=required,
        minimum=item.metadata["minimum"],
        maximum=item.metadata["maximum"],
    )


def _value(item: Setting, value: Any) -> Any:
    if item.optional and value in (None, ""):
        return None
    try:
        converted = _convert(item.kind, value)
    except (ValueError, OverflowError):
        # The value itself is not repeated: it might be a secret that was put into the wrong field.
        raise ValueError(f"{item.name}: must be {_WORDS[item.kind]}") from None
    if item.minimum is not None and converted < item.minimum:
        raise ValueError(f"{item.name}: must be at least {item.minimum:g}")
    if item.maximum is not None and converted > item.maximum:
        raise ValueError(f"{item.name}: must be at most {item.maximum:g}")
    return converted


def _convert(kind: str, value: Any) -> Any:
    if kind == "text" and isinstance(value, str):
        return value.strip()
    if kind == "flag" and (isinstance(value, bool) or str(value).lower() in _FLAGS):
        return value if isinstance(value, bool) else _FLAGS[str(value).lower()]
    if kind in ("integer", "number") and isinstance(value, int | float | str) and not isinstance(value, bool):
        number = float(value)
        if math.isfinite(number) and (kind == "number" or number.is_integer()):
            return int(value) if kind == "integer" else number
    raise ValueError(kind)
