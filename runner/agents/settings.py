"""Settings of agents and limits of attempts, as pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MUST_BE = {str: "must be text", int: "must be a whole number", float: "must be a number"}


class SettingError(ValueError):
    """A setting can't be used: ``name`` is the setting's, ``reason`` says what is wrong with it."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


class Settings(BaseModel):
    """Base of all settings. Each field needs a description. Numbers may be given as text."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", str_strip_whitespace=True, allow_inf_nan=False, hide_input_in_errors=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _prepare(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool):
            # No setting is a flag, and pydantic would take one as a number.
            raise AssertionError
        optional = NoneType in get_args(cls.model_fields[str(info.field_name)].annotation)
        return None if optional and value == "" else value


SomeSettings = TypeVar("SomeSettings", bound=Settings)


def fill(kind: type[SomeSettings], values: Mapping[str, Any]) -> SomeSettings:
    """The settings with these values, from a form, a command line or a record, and defaults for the others.

    Raises:
        SettingError: names the first setting that is missing, wrong or unknown.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    # Outside of the except clause: pydantic's error holds the value, which may be a key in the wrong field.
    raise SettingError(str(first["loc"][0]), _reason(kind, first))


def _reason(kind: type[Settings], error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    if error["type"] == "extra_forbidden":
        return f"there is no such setting; known are {', '.join(kind.model_fields)}"
    field = kind.model_fields[str(error["loc"][0])]
    match error["type"]:
        case "missing" | "string_too_short":
            return f"is needed ({field.description})"
        case "greater_than_equal":
            return f"must be at least {context['ge']:g}"
        case "less_than_equal":
            return f"must be at most {context['le']:g}"
        case "value_error":
            return str(context["error"])
    types = get_args(field.annotation) or (field.annotation,)
    return next(text for each, text in _MUST_BE.items() if each in types)
