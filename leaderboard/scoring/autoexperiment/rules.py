"""AutoExperiment's rules: when an experiment and a task are right.

Source: "From Reproduction to Replication: Evaluating Research Agents with Progressive Code Masking", and its
authors' code; `judge` says where the rules differ from that.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.domain.agreement import AnswerRules, same_value
from leaderboard.domain.nesting import MAX_DEPTH
from leaderboard.domain.trajectory import JsonValue

TOLERANCE: Final = 0.05
"""The largest mean deviation of an experiment that is right."""

ROUNDING: Final = 1e-12
"""What the deviation may have more: in floats, 1.0 - 0.95 is more than 0.05."""

_SEPARATORS: Final = re.compile(r"[\s_:-]+")


@dataclass(frozen=True, slots=True)
class Judged:
    """One experiment of a task.

    ``deviation`` is the mean of |gold - submitted| / |gold| over its numbers; infinite where one of them was
    not submitted as a number.
    """

    name: str
    deviation: float

    @property
    def right(self) -> bool:
        return self.deviation <= TOLERANCE + ROUNDING


def judge(gold: Mapping[str, JsonValue], submitted: JsonValue) -> tuple[Judged, ...]:
    """Each experiment of the gold results, judged by what was submitted. Never raises.

    Args:
        gold: {"Experiment 1": {metric: number or list of numbers}, …}, as `results` in a data point.
        submitted: the same shape. Text that is JSON counts as what it holds, at every level, as in the
            authors' code. A name may differ in case, spaces, ``_``, ``-`` and ``:``. Experiments and metrics
            beyond gold's don't count.

    Every number counts once, so a list of three weighs as much as three metrics; numbers are compared in
    double precision. Unlike in the authors' code, an experiment is wrong where a number is missing (there a
    deviation of 1), where a list has another length (there a shorter one is compared as far as it goes) and
    where a bool stands for a number; a deviation is divided by |gold|, not by gold; and a gold of 0 is
    compared absolutely (there it is always wrong).
    """
    found = _by_name(gold, unpacked(submitted))
    return tuple(Judged(name, _mean(value, found.get(name))) for name, value in gold.items())


def agree(one: JsonValue, other: JsonValue) -> bool:
    """Whether the second value would be right if the first were gold; texts have to be equal."""
    if _number(one) is None or _number(other) is None:
        return same_value(one, other)
    return _deviation(one, other) <= TOLERANCE + ROUNDING


def is_right(judged: Sequence[Judged]) -> bool:
    """Whether a task is right: all of its experiments are, and there is one."""
    return bool(judged) and all(experiment.right for experiment in judged)


def share_right(judged: Sequence[Judged]) -> float | None:
    """The share of a task's experiments that are right; None if it has none."""
    return sum(experiment.right for experiment in judged) / len(judged) if judged else None


def _mean(gold: JsonValue, submitted: JsonValue) -> float:
    deviations = list(_deviations(gold, submitted, depth=0))
    return math.inf if math.inf in deviations else sum(deviations) / len(deviations)


def _deviations(gold: JsonValue, submitted: JsonValue, *, depth: int) -> Iterator[float]:
    """The deviation of every number in ``gold``, infinite where it has no counterpart; at least one."""
    submitted = unpacked(submitted)
    if depth > MAX_DEPTH or not gold or not isinstance(gold, dict | list):
        yield _deviation(gold, submitted)
    elif isinstance(gold, dict):
        found = _by_name(gold, submitted)
        for name, value in gold.items():
            yield from _deviations(value, found.get(name), depth=depth + 1)
    elif isinstance(submitted, list) and len(submitted) == len(gold):
        for mine, theirs in zip(gold, submitted, strict=True):
            yield from _deviations(mine, theirs, depth=depth + 1)
    else:
        yield math.inf


def _deviation(gold: JsonValue, submitted: JsonValue) -> float:
    one, other = _number(gold), _number(submitted)
    if one is None or other is None:
        return math.inf
    return abs(one - other) / abs(one) if one else abs(other)


def _number(value: JsonValue) -> float | None:
    """A finite number as a float; None for anything else: a bool is no number, and NaN is near nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def unpacked(value: JsonValue) -> JsonValue:
    """What a text of JSON holds; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _by_name(gold: Mapping[str, JsonValue], submitted: JsonValue) -> Mapping[str, JsonValue]:
    """What was submitted under each of gold's names, or a name that can mean no other; missing if neither."""
    if not isinstance(submitted, dict):
        return {}
    if gold.keys() <= submitted.keys():
        return submitted
    names, keys = _by_plain_name(gold), _by_plain_name(submitted)
    alike = {
        same[0]: submitted[keys[plain][0]]
        for plain, same in names.items()
        if len(same) == 1 and len(keys.get(plain, ())) == 1
    }
    return alike | {name: submitted[name] for name in gold if name in submitted}


def _by_plain_name(names: Iterable[str]) -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        found[plain_name(name)].append(name)
    return found


def plain_name(name: str) -> str:
    """A name without what makes no difference: case, spaces, ``_``, ``-`` and ``:``."""
    return _SEPARATORS.sub("", str(name).casefold())


ANSWERS: Final = AnswerRules(agree=agree, unpack=unpacked, plain_key=plain_name)
