"""Figures, durations and labels as pages write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.core import figures, labels
from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.durations import duration_text
from leaderboard.domain.scores import REPORTED
from leaderboard.domain.text import plural
from leaderboard.models import Figure, Score
from leaderboard.rendering import names
from leaderboard.rendering.lines import visible
from leaderboard.runs import labels as run_labels
from leaderboard.runs.selectors import Budget

register = template.Library()
register.filter("visible", visible)

MISSING = "\N{EN DASH}"


@register.filter
def percent(value: float | None) -> str:
    """A share as a percentage with one decimal, without the sign; a dash where it is missing."""
    return number_format(figures.percent(value)) if value is not None else MISSING


@register.filter
def figure(cell: Figure | None) -> SafeString:
    """A board's figure with its mark and the number of tasks behind it; a dash where there is none."""
    if not cell or cell.value is None:
        return format_html('<span class="none" title="No score">{}</span>', MISSING)
    below = _behind(cell.source, cell.tasks)
    return conditional_escape(percent(cell.value)) + below + _stale(cell.stale)


@register.filter
def plain_figure(cell: Figure | None) -> SafeString:
    """A figure with the number of tasks behind it, where its source stands at the head of the column."""
    if not cell or cell.value is None:
        return format_html('<span class="none">{}</span>', MISSING)
    shown = format_html('{}<span class="sub">{}</span>', percent(cell.value), cell.tasks)
    return shown + _stale(cell.stale)


@register.filter
def score(each: Score | None) -> SafeString:
    """One attempt's score; where there should be one and is none, the reason; a dash where none applies."""
    if not each or (each.value is None and not each.reason):
        return format_html('<span class="none">{}</span>', MISSING)
    if each.value is None:
        return format_html('error<span class="sub reason">{}</span>', each.reason)
    return conditional_escape(percent(each.value)) + _stale(each.stale)


@register.filter
def sourced_score(each: Score | None) -> SafeString:
    """The same with a letter that says whose score it is, where others stand in the same column."""
    if not each or each.value is None:
        return score(each)
    word, letter = _source(each.scorer)
    return score(each) + format_html('<span class="sub"><abbr title="{}">{}</abbr></span>', word, letter)


def _stale(stale: bool) -> SafeString:
    if not stale:
        return SafeString("")
    why = "The task has changed since this was computed; an operator can have it computed anew."
    return format_html('<span class="sub"><abbr title="{}">stale</abbr></span>', why)


@register.simple_tag
def figure_cells(cells: Iterable[Figure | None]) -> SafeString:
    """The cells of a group of columns.

    Markup made here and not in the template, where cells took most of a long board's time.
    """
    return format_html_join(
        "",
        '<td class="num{}">{}</td>',
        (("" if index else " first", figure(cell)) for index, cell in enumerate(cells)),
    )


@register.simple_tag
def percent_cells(cells: Iterable[Figure | None]) -> SafeString:
    """The cells of figures where their values alone are shown; made here for the same reason."""
    values = (percent(cell.value if cell else None) for cell in cells)
    return format_html_join("", '<td class="num">{}</td>', ((value,) for value in values))


@lru_cache(maxsize=1000)
def _behind(source: str, tasks: int) -> SafeString:
    """What stands below a figure: the same in most cells of a column, so it is made once."""
    word, letter = _source(source)
    return format_html('<span class="sub"><abbr title="{}">{}</abbr> {}</span>', word, letter, tasks)


def _source(scorer: str) -> tuple[str, str]:
    return ("reported", "r") if scorer == REPORTED else ("computed", "c")


@register.filter
def bar(value: float | None) -> str:
    """A share as the width of a bar in an SVG 100 wide."""
    return f"{(value or 0) * 100:.1f}"


@register.filter
def seconds(value: float | None) -> str:
    """A duration in its two largest units: ``5 s``, ``12 min 3 s``, ``1 h 4 min``; a dash where missing."""
    return (duration_text(value) if value is not None else "") or MISSING


@register.filter
def whole(value: int | None) -> str:
    """A whole number with its thousands apart; a dash where it is missing."""
    return MISSING if value is None else number_format(value, use_l10n=True, force_grouping=True)


@register.filter
def size(value: int) -> str:
    """Bytes in the largest fitting job."""
    if value < 1000:
        return plural(value, "{n} byte", "{n} bytes")
    in_job, *larger = value / 1000, "kB", "MB", "GB"
    while in_job >= 1000 and len(larger) > 1:
        in_job /= 1000
        del larger[0]
    return f"{number_format(in_job, decimal_pos=1)} {larger[0]}"


@register.filter
def source_label(source: str) -> str:
    """Where an entry's results come from: our own word for it, or its owners' words as they are."""
    return labels.SOURCES.get(source, source)


@register.filter
def metric_label(metric: str) -> str:
    """A metric's name."""
    return labels.METRICS[metric]


@register.filter
def scorer_label(scorer: str) -> str:
    """A scorer's name."""
    return labels.SCORERS.get(scorer, scorer)


@register.filter
def kind_label(kind: str) -> str:
    """What a step did."""
    return names.KINDS[kind]


@register.filter
def mark_label(mark: str) -> str:
    """What is to be known of a step at a glance."""
    return names.MARKS[mark]


@register.filter
def state_label(state: str) -> str:
    """Where a job stands."""
    return labels.JOB_STATES[state]


@register.filter
def entry_state_label(state: str) -> str:
    """Where an entry stands."""
    return labels.ENTRY_STATES[state]


@register.filter
def difference(value: float | None) -> str:
    """What changed between two shares, in points with its sign; a dash where one is missing."""
    if value is None:
        return MISSING
    points = figures.percent(abs(value))
    sign = "" if float(points) == 0 else "+" if value > 0 else "\N{MINUS SIGN}"
    return sign + number_format(points)


@register.filter
def phase_label(phase: str) -> str:
    """What a running job is at."""
    return labels.PHASES.get(phase, phase)


@register.filter
def fact_label(name: str) -> str:
    """What is told of how an entry was made."""
    return run_labels.record_label(name)


@register.filter
def fact_text(value: Any) -> str:
    """A value of that, whatever it is made of."""
    return run_labels.record_value_text(value)


@register.filter
def budget_label(name: str) -> str:
    """A budget's name."""
    return BUDGETS[name].label


@register.filter
def budget_text(budget: Budget) -> str:
    """How much of a budget is used, of how much."""
    if budget.name == "execution_seconds":
        used, limit = seconds(budget.used), seconds(budget.limit)
    elif budget.name == "cost":
        used, limit = (
            f"${number_format(value, decimal_pos=2)}" for value in (budget.used, budget.limit or 0)
        )
    else:
        used, limit = whole(round(budget.used)), whole(round(budget.limit or 0))
    return f"{used} of {limit}" if budget.limit else used


@register.filter
def ending_label(ending: str) -> str:
    """Why an attempt ended."""
    return labels.ENDINGS.get(ending, ending)


@register.filter
def landmark_label(status: str) -> str:
    """What became of a landmark."""
    return names.LANDMARK_STATUSES[status]


@register.filter
def role_label(role: str) -> str:
    """What somebody is in a team."""
    return labels.ROLES.get(role, role)


@register.filter
def upload_label(key: str, table: str) -> str:
    """What an upload's ``state``, ``phase``, ``verdict``, ``match`` or ``severity`` is called."""
    return UPLOAD_LABELS[table].get(key, key)


UPLOAD_LABELS: dict[str, Mapping[str, str]] = {
    "state": labels.UPLOAD_STATES,
    "phase": labels.UPLOAD_PHASES,
    "verdict": labels.VERDICTS,
    "match": labels.MATCHED_BY,
    "severity": labels.SEVERITIES,
}
