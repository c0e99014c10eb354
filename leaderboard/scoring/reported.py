"""The scoring of a benchmark without rules here: its metrics are data, and only reported scores are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.records import Shape, same_problems
from leaderboard.scoring.contract import Layout, Metric, Scoring, Unit
from leaderboard.scoring.usage import USAGE

SHAPE: Final = Shape(
    "a metric",
    types={
        "key": (str,),
        "label": (str,),
        "about": (str,),
        "unit": (str,),
        "lowest": (int, float, type(None)),
        "highest": (int, float, type(None)),
        "more_is_better": (bool,),
        "reported_as": (str,),
    },
    required=("key", "label", "about"),
    longest={"label": 30, "about": 300, "reported_as": 50},
    prose=("about",),
)
"""What a benchmark's file says of a metric; the rest belongs to metrics with rules."""
SINGLE: Final = ({"key": "score", "label": "Score", "about": "As it was reported."},)
KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,19}")
TAKEN: Final = frozenset({"agent", "model", "coverage", *(metric.key for metric in USAGE)})


def reported_scoring(records: Sequence[Mapping[str, Any]]) -> Scoring:
    """The scoring of a benchmark whose metrics are ``records``, or a single score; the first one ranks."""
    metrics = tuple(_metric(record) for record in records or SINGLE)
    keys = tuple(metric.key for metric in metrics)
    return Scoring(
        name="",
        version="",
        metrics=(*metrics, *USAGE),
        scorers=(),
        layout=Layout(overall=keys, grouped=keys[:1], scatter=(keys[1], keys[0]) if len(keys) > 1 else ()),
        ranked_by=keys[0],
    )


def _metric(record: Mapping[str, Any]) -> Metric:
    unit = Unit(record.get("unit", Unit.SHARE))
    return Metric(**{"highest": _highest(unit), **record, "unit": unit})


def _highest(unit: Unit | str) -> float | None:
    """The upper bound of a metric that says none."""
    return 1.0 if unit == Unit.SHARE else None


def metric_problems(records: Sequence[Any], *, file: str) -> Iterator[Problem]:
    """Everything that is wrong with the metrics of a benchmark's file."""
    for number, record in enumerate(records):
        place = f"$.metrics[{number}]"
        problems = list(SHAPE.problems(record, place=place, file=file))
        yield from problems or _value_problems(record, place, file)
    known = [record for record in records if isinstance(record, dict)]
    twice = list(same_problems([record.get("key") for record in known], "$.metrics", "key", file=file))
    reported = [record.get("reported_as") or record.get("key") for record in known]
    yield from twice or same_problems(reported, "$.metrics", "key in a metrics.json", file=file)


def _value_problems(record: Mapping[str, Any], place: str, file: str) -> Iterator[Problem]:
    if not KEY.fullmatch(record["key"]):
        remedy = "use up to 20 lower-case letters, digits and _, beginning with a letter"
        yield Problem(file, f"{place}.key", "it can't be the key of a metric", remedy)
    elif record["key"] in TAKEN:
        yield Problem(file, f"{place}.key", "every board has a column of this key", "choose another key")
    unit = record.get("unit", Unit.SHARE)
    low, high = record.get("lowest", 0.0), record.get("highest", _highest(unit))
    bounds = [bound for bound in (low, high) if bound is not None]
    if unit not in list(Unit):
        yield Problem(file, f"{place}.unit", "there is no such unit", f"the units are {', '.join(Unit)}")
    elif unit == Unit.SHARE and (low, high) != (0, 1):
        reason = "a share lies in 0 to 1"
        yield Problem(file, place, reason, "leave out lowest and highest, or give another unit")
    if bounds != sorted(set(bounds)):
        reason = "its range is empty"
        yield Problem(file, place, reason, "write lowest below highest, and null where there is no bound")
