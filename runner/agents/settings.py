"""Settings of agents: dataclasses with bounds, filled from a form, a command line or a record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from runner.agents.base import Setting
from runner.words import Template, Told, Value
from runner.words import gettext_noop as _

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Settings = TypeVar("Settings", bound=DataclassInstance)

_KINDS = {str: "text", int: "integer", float: "number", bool: "flag"}
_MUST_BE = {
    "text": _("must be text"),
    "integer": _("must be a whole number"),
    "number": _("must be a number"),
    "flag": _("must be true or false"),
}
_FLAGS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


class SettingError(Told, ValueError):
    """A setting can't be used; ``name`` is the setting's."""

    def __init__(self, name: str, template: Template, **values: Value) -> None:
        super().__init__(template, **values)
        self.name = name

    def __str__(self) -> str:
        return f"{self.name}: {super().__str__()}"


def setting(
    default: Any = MISSING, *, about: Template, minimum: float | None = None, maximum: float | None = None
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
        SettingError: names the first field that is unknown, missing, of a wrong type, out of bounds, or wrong
            to the dataclass's own ``__post_init__``.
    """
    known = {item.name: item for item in describe(kind)}
    for name in values:
        if name not in known:
            listed = ", ".join(known)
            raise SettingError(name, _("there is no such setting; known are {known}"), known=listed)
    for name, item in known.items():
        if item.required and values.get(name) in (None, ""):
            raise SettingError(name, _("is needed ({about})"), about=item.help)
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
        raise SettingError(item.name, _MUST_BE[item.kind]) from None
    if item.minimum is not None and converted < item.minimum:
        raise SettingError(item.name, _("must be at least {least}"), least=f"{item.minimum:g}")
    if item.maximum is not None and converted > item.maximum:
        raise SettingError(item.name, _("must be at most {most}"), most=f"{item.maximum:g}")
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
