"""What a comparison says in words."""

from __future__ import annotations

from leaderboard.comparing.selectors import ComparedEntries, Side
from leaderboard.domain.bootstrap import FEWEST_CLUSTERS
from leaderboard.domain.paired import PairedDifference
from leaderboard.domain.text import plural
from leaderboard.scoring.contract import Hides, Metric, Unit
from leaderboard.scoring.values import value_text

SHORT_ENDINGS = {
    "submitted": "submitted",
    "empty": "no answer",
    "exception": "exception",
    "context": "context full",
    "cost": "cost limit",
    "time": "out of time",
    "steps": "out of steps",
    "unknown": "ending unknown",
}
"""Endings in the width of a cell; `core.labels.ENDINGS` has them in full."""


def conclusion(pair: PairedDifference, compared: ComparedEntries) -> str:
    """One sentence: which of two entries is better and by how much, or that they can't be told apart."""
    first, second = compared.sides[pair.first], compared.sides[pair.second]
    metric = compared.metric
    if pair.value is None:
        return _nothing_in_common(first, second, metric)
    tasks = plural(pair.tasks, "{n} task", "{n} tasks")
    if pair.interval is None or not pair.is_certain:
        few = ""
        if pair.interval is None:
            few = f": an interval needs {FEWEST_CLUSTERS} {compared.related_by}, these are of {pair.clusters}"
        on = "this 1 task" if pair.tasks == 1 else f"these {tasks}"
        return f"{first.name} and {second.name} can't be told apart on {on}{few}"
    low, high = pair.interval
    size = abs(pair.value)
    if pair.value < 0:
        first, second, low, high = second, first, -high, -low
    # Now the first has the larger value.
    if not metric.more_is_better:
        first, second = second, first
    by = f"by {size_text(size, metric)} ({_bare(low, metric)} to {_bare(high, metric)}) on {tasks}"
    if metric.recorded:
        label = metric.label[0].lower() + metric.label[1:]
        side = "higher" if metric.more_is_better else "lower"
        return f"The {label} of {first.name} is {side} than that of {second.name} {by}"
    return f"{first.name} is better than {second.name} {by}"


def _nothing_in_common(first: Side, second: Side, metric: Metric) -> str:
    drafts = [side.name for side in (first, second) if side.draft]
    if drafts and metric.hides is Hides.GOLD:
        return f"{metric.label} of {' and '.join(drafts)} is withheld by task until it is published"
    return f"{first.name} and {second.name} have {metric.label.lower()} at no task in common"


def size_text(size: float, metric: Metric) -> str:
    """The size of a difference; of shares in percentage points."""
    return f"{_bare(size, metric)} points" if metric.unit == Unit.SHARE else _bare(size, metric)


def interval_text(interval: tuple[float, float] | None, metric: Metric) -> str:
    """An interval of a signed difference; empty without one."""
    return " to ".join(signed(each, metric) for each in interval) if interval else ""


def signed(value: float, metric: Metric) -> str:
    """A difference with its sign, without a unit where that is plain from the column."""
    shown = _bare(abs(value), metric)
    if shown == _bare(0, metric):
        return shown
    return ("+" if value > 0 else "\N{MINUS SIGN}") + shown


def _bare(value: float, metric: Metric) -> str:
    shown = value_text(abs(value), metric.unit)
    # An interval around 0 is said only with signs: here both ends are on one side.
    return shown if value >= 0 else f"\N{MINUS SIGN}{shown}"


def p_text(p: float | None) -> str:
    """A p as papers have it; empty without one."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
