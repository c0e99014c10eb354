"""Schemas that several features share. Addresses are paths; times are UTC; shares are in [0, 1]."""

from __future__ import annotations

from ninja import Field, Schema


class ProblemItem(Schema):
    """A problem in a request or a file."""

    file: str = Field(description="The file's name as its owner knows it, or the part of the request.")
    place: str = Field(
        description="Where in it: `line 12`, `$.history[3].action`, `cell 7`; empty for all of it."
    )
    reason: str
    remedy: str


class ProblemDetails(Schema):
    """Why a request was refused (RFC 9457)."""

    type: str = Field(description="The kind of problem, as a link to its description.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The address of the request.")
    problems: list[ProblemItem]


class FigureOut(Schema):
    """A mean over an entry's tasks: a cell of a board."""

    value: float | None = Field(
        description="A task without an attempt counts as failed; null if no task has a score."
    )
    percent: str | None = Field(description="`value` as pages show it.")
    tasks: int = Field(description="Tasks that `value` is the mean over.")
    scored: int = Field(description="Tasks that have a score.")
    mean_of_scored: float | None
    source: str = Field(description="The scorer of the figure.")
    stale: bool = Field(description="What it was computed from has changed since.")


class FindingOut(Schema):
    """An error, a warning or a note about an upload."""

    severity: str
    file: str
    place: str
    reason: str
    remedy: str
