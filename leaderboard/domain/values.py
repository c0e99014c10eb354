"""Dataclasses that a file has thousands of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_T]) -> type[_T]:
    """A dataclass whose objects must not change.

    mypy holds it to that. A frozen one would at run time too, but takes five times as long to make: as long
    as it takes to parse the JSON that it is made of.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
