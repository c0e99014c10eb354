"""Drafts of tasks: what a model wrote from a repository's README, and what checks found about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What a check found; a draft that is REFUSED by one is not held for review."""

    OK = "ok"
    DOUBT = "doubt"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: ``text`` says what was found, at a line of a file if it is somewhere."""

    name: str
    outcome: Outcome
    text: str
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.line:,}" if self.line else self.file

    def as_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Check:
        return cls(**{**data, "outcome": Outcome(data["outcome"])})


@dataclass(frozen=True, slots=True)
class Draft:
    """An Auto task as a model drafted it.

    Attributes:
        command: how the README runs the entry point.
        dataset, model: what it needs, in the model's words; may be empty.
        landmarks: regular expressions that an output should match.
    """

    title: str
    query: str
    entrypoint: str
    command: str
    dataset: str = ""
    model: str = ""
    landmarks: tuple[str, ...] = ()
