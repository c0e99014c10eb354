"""The cells of the page that compares entries, in Python: in a template they took most of a page's time."""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.comparing.grids import GridCell, GridRow
from leaderboard.comparing.selectors import AttemptCell, TaskCell, TaskRow
from leaderboard.comparing.texts import SHORT_ENDINGS, interval_text, p_text, signed, size_text
from leaderboard.core.labels import ENDINGS
from leaderboard.diagnosis.classes import CLASSES, LABELS
from leaderboard.domain.withheld import UNTIL_PUBLISHED, WITHHELD
from leaderboard.scoring.contract import Metric
from leaderboard.scoring.values import value_text

MISSING = "\N{EN DASH}"
NOT_ATTEMPTED = format_html('<span class="none" title="Not attempted">{}</span>', MISSING)
NO_ATTEMPT = format_html('<td class="num">{}</td>', NOT_ATTEMPTED)
register = template.Library()
register.filter("interval_text", interval_text)
register.filter("p_text", p_text)
register.filter("signed", signed)
register.filter("size_text", size_text)


@register.simple_tag
def grid_row(row: TaskRow, metric: Metric) -> SafeString:
    """A task, and each entry's value at it, which leads to its attempt, with what else is known of it."""
    task_set = row.task.task_set
    address = _task_page(task_set.benchmark.slug, task_set.slug, row.task.task_id)
    head = format_html('<th scope="row" class="who"><a href="{}">{}</a></th>', address, row.task.task_id)
    cells = ((_task_cell(cell, metric),) for cell in row.cells)
    return head + format_html_join("", '<td class="num">{}</td>', cells)


@register.simple_tag
def cells_of_grid(row: GridRow, metric: Metric) -> SafeString:
    """The cells of a task in the grid of a board; each value leads to its attempt."""
    return SafeString("".join(_grid_cell(cell, metric.unit) for cell in row.cells))


def _grid_cell(cell: GridCell | None, unit: str) -> SafeString:
    if cell is None:
        return NO_ATTEMPT
    more = "" if cell.attempts == 1 else _of_several(cell.attempts)
    # Nothing in it has to be escaped, and escaping a whole grid took most of its page's time.
    address, value = _attempt_page(cell.attempt), _short_value(cell.value, unit)
    return SafeString(f'<td class="num"><a href="{address}"{more}>{value}</a></td>')


@lru_cache(maxsize=100)
def _of_several(attempts: int) -> SafeString:
    about = f"The first of {attempts} attempts; this is what they give together"
    return format_html(' title="{}"', about)


@lru_cache(maxsize=10_000)
def _short_value(value: float | None, unit: str) -> SafeString:
    return conditional_escape(value_text(value, unit) or MISSING)


def _task_cell(cell: TaskCell, metric: Metric) -> SafeString:
    if not cell.attempts:
        return NOT_ATTEMPTED
    first, *more = cell.attempts
    shown = _link(first, _value(cell, first, metric)) + _beside(first)
    if not more:
        return shown
    links = format_html_join(" ", "{}", ((_link(each, f"#{each.attempt.number}"),) for each in cell.attempts))
    return shown + format_html('<span class="sub">{}</span>', links)


def _link(each: AttemptCell, text: str) -> SafeString:
    return format_html('<a href="{}">{}</a>', _attempt_page(each.attempt.pk), text)


@lru_cache(maxsize=10_000)
def _task_page(benchmark: str, task_set: str, task_id: str) -> str:
    """Cached, as is the next, because finding the addresses took most of a page's time."""
    return reverse("task", args=(benchmark, task_set, task_id))


def _attempt_page(pk: int) -> str:
    before, after = _attempt_address()
    return f"{before}{pk}{after}"


@lru_cache(maxsize=1)
def _attempt_address() -> tuple[str, str]:
    """What stands before an attempt's key in its address, and after it."""
    before, _key, after = reverse("attempt", args=(0,)).rpartition("0")
    return before, after


def _value(cell: TaskCell, first: AttemptCell, metric: Metric) -> str:
    if cell.value is not None:
        return value_text(cell.value, metric.unit)
    if first.reason == UNTIL_PUBLISHED:
        return WITHHELD
    return "error" if first.reason else MISSING


def _beside(each: AttemptCell) -> SafeString:
    """Landmarks, and the finding or the ending, of an attempt."""
    if not each.attempt.has_trajectory:
        return _plain_note("no trajectory", "Only its scores were reported")
    landmarks = "" if each.hits is None else f"{each.hits}/{each.landmarks}"
    return _note(landmarks, each.finding, each.attempt.ending)


@lru_cache(maxsize=1000)
def _note(landmarks: str, finding: str, ending: str) -> SafeString:
    """Cached, because many cells have the same."""
    if finding:
        word, title = LABELS.get(finding, finding), CLASSES.get(finding, finding)
    else:
        word, title = SHORT_ENDINGS.get(ending, ending), ENDINGS.get(ending, ending)
    if not landmarks:
        return _plain_note(word, title)
    return format_html(
        '<span class="sub"><abbr title="Landmarks hit">{}</abbr> · <abbr title="{}">{}</abbr></span>',
        landmarks,
        title,
        word,
    )


def _plain_note(word: str, title: str) -> SafeString:
    return format_html('<span class="sub"><abbr title="{}">{}</abbr></span>', title, word)
