"""Schemas that several features share. Addresses are paths; times are UTC; shares are in [0, 1]."""

from __future__ import annotations

from typing import Annotated

from django.urls import reverse
from ninja import Field, Schema
from pydantic import BeforeValidator

from leaderboard.domain.entries import Evidence

EMPTY_AS_NULL = BeforeValidator(lambda value: value or None)


def link_to(operation: str) -> BeforeValidator:
    """Convert the key in an operation's address to that address; null stays null."""
    return BeforeValidator(lambda key: reverse(f"api:{operation}", args=(key,)) if key else None)


def attribute(name: str) -> BeforeValidator:
    """Convert a related row to one of its attributes; null stays null."""
    return BeforeValidator(lambda row: None if row is None else getattr(row, name))


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


class MetricOut(Schema):
    """What is measured: a column of a board."""

    key: str
    label: str
    about: str
    unit: str = Field(description="`share`, `dollars`, `tokens`, `seconds` or `count`.")
    lowest: float | None
    highest: float | None
    more_is_better: bool
    k: int | None = Field(description="Of pass@k; null where it is the mean of a task's attempts.")


class FigureOut(Schema):
    """A mean over an entry's tasks: a cell of a board."""

    value: float | None = Field(
        description="A share in [0, 1], or in the metric's unit. A task without an attempt counts as failed "
        "where the metric has a worst value; null if no task has a score."
    )
    low: float | None = Field(
        description="Of the interval at 95 % of `value`, from a bootstrap of whole repositories or papers; "
        "null where they are too few, or all tasks have one value that is neither 0 nor 1."
    )
    high: float | None
    percent: str | None = Field(description="A share as pages show it; null for other units.")
    tasks: int = Field(description="Tasks that `value` is the mean over.")
    scored: int = Field(description="Tasks that have a score.")
    attempts: int = Field(description="Attempts at these tasks that have one.")
    mean_of_scored: float | None
    source: str = Field(
        description="The scorer of the figure; `reported` for scores that were only reported, `mixed` where "
        "the scores of some tasks were, `recorded` for what the trajectories say."
    )
    version: str = Field(description="Of the scorer's rules; empty for reported scores.")
    evidence: Evidence = Field(description="What supports the figure; only `self-reported` has no rank.")
    stale: bool = Field(description="What it was computed from has changed since.")


class TierOut(Schema):
    """The ranks that an entry can't be told apart from, by paired tests of every two."""

    first: int
    last: int | None = Field(description="Null if it may be any rank below, as not all entries are tested.")
    more_tasks: int | None = Field(
        description="About how many more tasks like these would tell it from the next; null if unknown."
    )


class TotalOut(Schema):
    """What attempts used, by one metric: in its unit, of the attempts of which it is known."""

    metric: Annotated[str, attribute("key")]
    unit: Annotated[str, attribute("unit")] = Field(validation_alias="metric")
    total: float | None = Field(description="Null where it is known of no attempt.")
    mean: float | None = Field(description="Of an attempt of which it is known.")
    known: int = Field(description="Attempts of which it is known.")
    attempts: int = Field(description="All attempts.")


class FindingOut(Schema):
    """An error, a warning or a note about an upload."""

    severity: str
    file: str = Field(validation_alias="problem.file")
    place: str = Field(validation_alias="problem.place")
    reason: str = Field(validation_alias="problem.reason")
    remedy: str = Field(validation_alias="problem.remedy")
