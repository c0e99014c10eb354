"""A benchmark's file: its keys, and everything that is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.readable import is_visible
from leaderboard.domain.records import Shape, same_problems
from leaderboard.scoring import all_scorings, scoring_of
from leaderboard.scoring.contract import Metric, Unit
from leaderboard.scoring.reported import metric_problems

BENCHMARK: Final = Shape(
    "a benchmark",
    types={
        "slug": (str,),
        "name": (str,),
        "summary": (str,),
        "url": (str,),
        "position": (int,),
        "scoring": (str,),
        "metrics": (list,),
        "max_attempts": (int,),
        "sources": (list,),
        "categories": (list,),
        "task_sets": (list,),
        "published": (list,),
    },
    required=("slug", "name", "task_sets"),
    longest={"slug": 50, "name": 100, "summary": 2000, "url": 200},
    prose=("summary",),
)
CATEGORY: Final = Shape(
    "a category",
    types={"slug": (str,), "name": (str,), "about": (str,)},
    required=("slug", "name"),
    longest={"slug": 50, "name": 50, "about": 300},
    prose=("about",),
)
PUBLISHED: Final = Shape(
    "a published figure",
    types={
        **dict.fromkeys(("task_set", "agent", "model", "metric", "source", "url", "note"), (str,)),
        "tasks": (int,),
        "value": (int, float),
    },
    required=("task_set", "agent", "model", "metric", "value", "source"),
    longest=dict.fromkeys(("task_set", "agent", "model", "metric", "source", "url", "note"), 300),
    prose=("note",),
)
TASK_SET: Final = Shape(
    "a task set",
    types={
        "slug": (str,),
        "name": (str,),
        "summary": (str,),
        "level": (int, type(None)),
        "is_default": (bool,),
    },
    required=("slug", "name"),
    longest={"slug": 50, "name": 100, "summary": 2000},
    prose=("summary",),
)
MOST: Final = 32767
"""The largest number that a column of positions, levels and attempts can hold."""
MOST_SOURCES, LONGEST_SOURCE, MOST_CATEGORIES, MOST_SETS, MOST_METRICS = 100, 200, 1000, 100, 50
MOST_PUBLISHED: Final = 500
MOST_TASKS: Final = 10**9

_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CATEGORY: Final = re.compile(r"[A-Za-z0-9][\w.+-]*")
_URL: Final = re.compile(r"https?://[^\s/@]+(/\S*)?")
_SLUG_REMEDY: Final = "it is a part of addresses: use lower-case letters, digits and single hyphens"


def is_category(slug: str) -> bool:
    """Whether it can be the slug, and so the name, of a category."""
    return len(slug) <= 50 and _CATEGORY.fullmatch(slug) is not None


def benchmark_problems(record: Any, *, file: str) -> list[Problem]:
    """Everything that is wrong with a benchmark's record, as far as it doesn't depend on the site's data."""
    problems = list(BENCHMARK.problems(record, place="$", file=file))
    if isinstance(record, dict):
        # A value of another type has its problem already.
        known: dict[str, Any] = {
            key: value for key, value in record.items() if isinstance(value, BENCHMARK.types.get(key, ()))
        }
        problems += _own_problems(known, file)
        problems += _scoring_problems(known, file)
        problems += _category_problems(known.get("categories", []), file)
        problems += _set_problems(known.get("task_sets", []), file)
        problems += _published_problems(known, file)
    return problems


def _own_problems(record: Mapping[str, Any], file: str) -> Iterator[Problem]:
    if record.get("slug") and not _SLUG.fullmatch(record["slug"]):
        yield Problem(file, "$.slug", "it is not a slug", _SLUG_REMEDY)
    if record.get("url") and not _URL.fullmatch(record["url"]):
        remedy = "begin it with https://, without user names and passwords"
        yield Problem(file, "$.url", "it is not the address of a page", remedy)
    for key, least in (("position", 0), ("max_attempts", 1)):
        yield from _number_problems(record.get(key), f"$.{key}", least, file)
    sources = record.get("sources", [])
    for number, source in enumerate(sources):
        if (
            not isinstance(source, str)
            or not source.strip()
            or len(source) > LONGEST_SOURCE
            or not is_visible(source)
        ):
            remedy = f"write a name such as owner/repository, of up to {LONGEST_SOURCE:,} characters"
            yield Problem(file, f"$.sources[{number}]", "it is not the name of a source", remedy)
    yield from same_problems(sources, "$.sources", "source", file=file)
    limits = {"sources": MOST_SOURCES, "categories": MOST_CATEGORIES, "task_sets": MOST_SETS}
    for key, most in (limits | {"metrics": MOST_METRICS, "published": MOST_PUBLISHED}).items():
        if len(record.get(key, ())) > most:
            yield Problem(file, f"$.{key}", f"there are {len(record[key]):,} of them, more than {most:,}")


def _number_problems(value: Any, place: str, least: int, file: str, *, most: int = MOST) -> Iterator[Problem]:
    if isinstance(value, int) and not isinstance(value, bool) and not least <= value <= most:
        yield Problem(file, place, f"it is not a number from {least:,} to {most:,}")


def _scoring_problems(record: Mapping[str, Any], file: str) -> Iterator[Problem]:
    scoring, metrics = record.get("scoring", ""), record.get("metrics", [])
    known = ", ".join(all_scorings())
    if scoring and scoring not in all_scorings():
        yield Problem(file, "$.scoring", f"“{scoring[:50]}” is not a scoring", f"the scorings are {known}")
    if scoring and metrics:
        reason = f"the metrics are those of the scoring {scoring[:50]}"
        yield Problem(file, "$.metrics", reason, "leave out metrics, or leave out scoring")
    elif not scoring and not metrics:
        reason = "it names no scoring and lists no metrics, so there is nothing to show"
        remedy = f"name a scoring ({known}), or list metrics that are reported, with key, label and about"
        yield Problem(file, "$", reason, remedy)
    yield from metric_problems(metrics, file=file)


def _published_problems(record: Mapping[str, Any], file: str) -> Iterator[Problem]:
    """What is wrong with figures published elsewhere; their metrics are among those of the benchmark."""
    metrics = _metrics(record, file)
    for number, figure in enumerate(record.get("published", [])):
        place = f"$.published[{number}]"
        problems = list(PUBLISHED.problems(figure, place=place, file=file))
        yield from problems
        if problems:
            continue
        metric = metrics.get(figure["metric"])
        if metric is not None and not metric.allows(figure["value"]):
            reason = f"{figure['value']:g} is not a number{metric.range_text}"
            remedy = "write a share: 0.25 for 25 %" if metric.unit == Unit.SHARE else ""
            yield Problem(file, f"{place}.value", reason, remedy)
        elif metric is None and metrics:
            remedy = f"the metrics are {', '.join(sorted(metrics))}"
            yield Problem(file, f"{place}.metric", "the benchmark has no such metric", remedy)
        yield from _number_problems(figure.get("tasks"), f"{place}.tasks", 1, file, most=MOST_TASKS)
        if figure.get("url") and not _URL.fullmatch(figure["url"]):
            yield Problem(file, f"{place}.url", "it is not the address of a page", "begin it with https://")


def _metrics(record: Mapping[str, Any], file: str) -> Mapping[str, Metric]:
    """A benchmark's metrics by key; none where the record's own are wrong, which is said already."""
    scoring, metrics = record.get("scoring", ""), record.get("metrics", [])
    if any(_scoring_problems({"scoring": scoring, "metrics": metrics}, file)):
        return {}
    return scoring_of(scoring, metrics).by_key


def _category_problems(categories: list[Any], file: str) -> Iterator[Problem]:
    for number, category in enumerate(categories):
        place = f"$.categories[{number}]"
        problems = list(CATEGORY.problems(category, place=place, file=file))
        yield from problems
        if not problems and not is_category(category["slug"]):
            remedy = "use letters, digits, hyphens, dots and _, beginning with a letter or a digit"
            yield Problem(file, f"{place}.slug", "it is not a category's slug", remedy)
    yield from same_problems(_slugs(categories), "$.categories", "slug", file=file)


def _set_problems(task_sets: list[Any], file: str) -> Iterator[Problem]:
    for number, task_set in enumerate(task_sets):
        place = f"$.task_sets[{number}]"
        problems = list(TASK_SET.problems(task_set, place=place, file=file))
        yield from problems
        if problems:
            continue
        if not _SLUG.fullmatch(task_set["slug"]):
            yield Problem(file, f"{place}.slug", "it is not a slug", _SLUG_REMEDY)
        yield from _number_problems(task_set.get("level"), f"{place}.level", 0, file)
    yield from same_problems(_slugs(task_sets), "$.task_sets", "slug", file=file)
    known = [each for each in task_sets if isinstance(each, dict)]
    if sum(each.get("is_default") is True for each in known) > 1:
        reason = "more than one is the default task set"
        yield Problem(file, "$.task_sets", reason, "keep is_default on the one that is shown at /")
    levels = [str(each["level"]) for each in known if isinstance(each.get("level"), int)]
    yield from same_problems(levels, "$.task_sets", "level", file=file)


def _slugs(records: list[Any]) -> list[Any]:
    return [record.get("slug") for record in records if isinstance(record, dict)]
