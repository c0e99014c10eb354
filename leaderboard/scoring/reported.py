"""The scoring of a benchmark without rules here: its metrics are data, and only reported scores are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.scoring.contract import Layout, Metric, Scoring, Unit
from leaderboard.scoring.usage import USAGE

TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "key": (str,),
    "label": (str,),
    "about": (str,),
    "unit": (str,),
    "lowest": (int, float, type(None)),
    "highest": (int, float, type(None)),
    "more_is_better": (bool,),
    "reported_as": (str,),
}
"""What a benchmark's file says of a metric; the rest belongs to metrics with rules."""
REQUIRED: Final = ("key", "label", "about")
SINGLE: Final = ({"key": "score", "label": "Score", "about": "As it was reported."},)
KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,19}")
TAKEN: Final = frozenset({"agent", "model", "coverage", *(metric.key for metric in USAGE)})


def reported_scoring(records: Sequence[Mapping[str, Any]]) -> Scoring:
    """The scoring of a benchmark whose metrics are ``records``, or a single score; the first one ranks."""
    metrics = tuple(
        Metric(**{**record, "unit": Unit(record.get("unit", Unit.SHARE))}) for record in records or SINGLE
    )
    keys = tuple(metric.key for metric in metrics)
    return Scoring(
        name="",
        version="",
        metrics=(*metrics, *USAGE),
        scorers=(),
        layout=Layout(overall=keys, grouped=keys[:1], scatter=(keys[1], keys[0]) if len(keys) > 1 else ()),
        ranked_by=keys[0],
    )


def metric_problems(records: Any, *, file: str) -> list[Problem]:
    """What is wrong with the metrics of a benchmark's file; nothing if `reported_scoring` takes them."""
    if not isinstance(records, list) or not records:
        reason = "a benchmark without a scoring has no metrics to show"
        return [Problem(file, "$.metrics", reason, "list at least one, with key, label and about")]
    problems = [
        problem
        for number, record in enumerate(records)
        for problem in _record_problems(record, f"$.metrics[{number}]", file)
    ]
    keys = [record.get("key") for record in records or SINGLE if isinstance(record, dict)]
    for key in {key for key in keys if isinstance(key, str) and keys.count(key) > 1}:
        problems.append(Problem(file, "$.metrics", f"two metrics have the key {key}", "rename one of them"))
    return problems


def _record_problems(record: Any, place: str, file: str) -> list[Problem]:
    if not isinstance(record, dict):
        return [Problem(file, place, "the metric is not an object", f"its keys are {', '.join(TYPES)}")]
    problems = [
        Problem(file, f"{place}.{name}", "it is missing", "say it in the benchmark's file")
        for name in REQUIRED
        if not record.get(name)
    ]
    for name, value in record.items():
        if name not in TYPES:
            reason = "a metric has no such key"
            problems.append(Problem(file, f"{place}.{name}", reason, f"its keys are {', '.join(TYPES)}"))
        elif not isinstance(value, TYPES[name]) or (isinstance(value, bool) and bool not in TYPES[name]):
            wanted = " or ".join(kind.__name__ for kind in TYPES[name])
            problems.append(Problem(file, f"{place}.{name}", f"it is not of the type {wanted}"))
    return problems or _value_problems(record, place, file)


def _value_problems(record: Mapping[str, Any], place: str, file: str) -> list[Problem]:
    problems = []
    if not KEY.fullmatch(record["key"]) or record["key"] in TAKEN:
        reason = "it is not a name for a metric" if record["key"] not in TAKEN else "the name is taken"
        remedy = "use up to 20 lower-case letters, digits and _, beginning with a letter"
        problems.append(Problem(file, f"{place}.key", reason, remedy))
    unit = record.get("unit", Unit.SHARE)
    if unit not in list(Unit):
        problems.append(Problem(file, f"{place}.unit", "there is no such unit", f"units: {', '.join(Unit)}"))
    elif unit == Unit.SHARE and (record.get("lowest", 0), record.get("highest", 1)) != (0, 1):
        reason = "a share lies in 0 to 1"
        problems.append(Problem(file, place, reason, "leave out lowest and highest, or give another unit"))
    return problems


def check_metrics(records: Any, *, file: str) -> None:
    """Raise `InputError` with every problem of `metric_problems`."""
    if problems := metric_problems(records, file=file):
        raise InputError(*problems)
