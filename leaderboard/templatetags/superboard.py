"""Template filters and tags for figures, durations and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, cycle, repeat

from django import template
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.attempts.selectors import ScoredAttempt
from leaderboard.boards.selectors import BoardRow
from leaderboard.boards.texts import tier_about
from leaderboard.core import labels
from leaderboard.core.figures import Cell
from leaderboard.domain.secrets import mask
from leaderboard.domain.text import plural
from leaderboard.formats import FORMATS
from leaderboard.models import Attempt, Category, Entry, Figure
from leaderboard.rendering.lines import visible
from leaderboard.runs import labels as run_labels
from leaderboard.runs.selectors import Budget
from leaderboard.scoring.contract import Metric
from leaderboard.scoring.values import value_text
from leaderboard.templatetags import viewer
from leaderboard.templatetags.viewer import (
    MISSING,
    amount,
    cells_of_ending,
    score_cells,
    seconds,
    source_of,
    stale_note,
    whole,
)

NO_TRAJECTORY = SafeString(' <span class="quiet">no trajectory</span>')

register = template.Library()
register.filters.update(viewer.register.filters)
register.tags.update(viewer.register.tags)
register.filter("ranks_text", labels.ranks_text)
register.filter("tier_about", tier_about)
register.filter("record_label", run_labels.record_label)
register.filter("record_text", run_labels.record_value_text)


@register.filter
def figure(cell: Cell) -> SafeString:
    """A board's figure with its source's letter and number of tasks; a dash if it is missing."""
    return _figure(cell, SafeString(""))


@register.filter
def figure_with_margin(cell: Cell) -> SafeString:
    """The same, with half the width of its interval beside it."""
    return _figure(cell, _margin(cell))


def _figure(cell: Cell, beside: SafeString) -> SafeString:
    row = cell.row
    if not isinstance(row, Figure) or row.value is None:
        return format_html('<span class="none" title="No score">{}</span>', MISSING)
    return _value(cell, row) + beside + _below(row) + stale_note(row.stale)


def _margin(cell: Cell) -> SafeString:
    """Half the width of a figure's interval; empty without one."""
    return SafeString(f' <span class="margin"{_title(cell)}>{cell.margin}</span>' if cell.margin else "")


def _title(cell: Cell) -> str:
    """A figure's interval as an attribute of HTML; empty without one."""
    row, unit = cell.row, cell.metric.unit
    if not isinstance(row, Figure) or row.low is None or row.high is None:
        return ""
    # Numbers and units have nothing to escape.
    return f' title="95 % interval {value_text(row.low, unit)} to {value_text(row.high, unit)}"'


@register.filter
def rank_change(row: BoardRow) -> SafeString:
    """How far a rank is from the entry's rank on the board by default; nothing where it is the same."""
    if not row.rank_changed:
        return SafeString("")
    if row.rank is None or row.default_rank is None:
        by_default = f"rank {row.default_rank:,}" if row.default_rank else "no rank"
        return format_html('<span class="moved">{} by default</span>', by_default)
    places = row.default_rank - row.rank
    return format_html(
        '<span class="moved" title="Rank {} by default"><span aria-hidden="true">{}{}</span>'
        '<span class="sr">, {} {} from rank {} by default</span></span>',
        *(row.default_rank, "↑" if places > 0 else "↓", abs(places)),
        *(abs(places), "up" if places > 0 else "down", row.default_rank),
    )


@register.filter
def plain_figure(cell: Cell) -> SafeString:
    """A figure with its number of tasks, for columns whose head names the source."""
    row = cell.row
    if not isinstance(row, Figure) or row.value is None:
        return format_html('<span class="none">{}</span>', MISSING)
    tasks = row.tasks if row.scored else f"{row.tasks} not tried"
    shown = format_html('{}{}<span class="sub">{}</span>', _value(cell, row), _margin(cell), tasks)
    return shown + stale_note(row.stale)


def _value(cell: Cell, row: Figure) -> SafeString:
    shown = amount(row.value, cell.metric)
    if row.scored:
        return conditional_escape(shown)
    return format_html('<abbr title="No task of it was tried: each counts as failed">{}</abbr>', shown)


@lru_cache(maxsize=1)
def _attempts() -> str:
    """What the address of every attempt begins with: asking for each takes a tenth of a long list's time."""
    return reverse("attempt", args=(0,)).removesuffix("0/")


@register.simple_tag
def attempt_row(scored: ScoredAttempt, groups: Sequence[Category]) -> SafeString:
    """The cells of an entry's attempt, its task first; ``groups`` are all there are. See `figure_cells`."""
    attempt, task = scored.attempt, scored.attempt.task
    number = format_html(' <span class="quiet">#{}</span>', attempt.number) if attempt.number > 1 else ""
    title = format_html('<span class="sub">{}</span>', task.title) if task.title else ""
    link = format_html('<a href="{}{}/">{}</a>', _attempts(), attempt.pk, task.task_id)
    shown = format_html('<th scope="row">{}{}{}</th>', link, number, title)
    if groups:
        categories = task.listed_categories  # type: ignore[attr-defined]  # prefetched to it
        shown += format_html("<td>{}</td>", category_list(categories))
    return shown + score_cells(scored.cells) + cells_of_ending(scored)


@register.simple_tag
def attempt_names(
    attempts: Sequence[Attempt], most: int, notes: Mapping[int, str] | None = None
) -> SafeString:
    """The names of attempts with their links, at most so many; not in the template, as `figure_cells`.

    ``notes`` are texts to stand behind names, by the attempts' keys.
    """
    names = format_html_join(
        " ", "<li>{}{}</li>", ((attempt_name(each), _note(notes, each)) for each in attempts[:most])
    )
    if len(attempts) > most:
        names += format_html(' <li class="quiet">and {} more</li>', whole(len(attempts) - most))
    return format_html('<ul class="who">{}</ul>', names)


def _note(notes: Mapping[int, str] | None, attempt: Attempt) -> str:
    text = (notes or {}).get(attempt.pk)
    return format_html(' <code class="quiet">{}</code>', visible(text)) if text else ""


@register.simple_tag
def attempt_name(attempt: Attempt) -> SafeString:
    """An attempt as its agent's name, with its link."""
    number = f" #{attempt.number}" if attempt.number > 1 else ""
    link = format_html('<a href="{}">{}{}</a>', attempt.get_absolute_url(), attempt.entry.agent, number)
    return link if attempt.has_trajectory else link + NO_TRAJECTORY


@register.simple_tag
def category_list(categories: Iterable[Category]) -> SafeString:
    """The categories of a task, each in its colour; empty without one."""
    return _category_list(*((category.colour, category.name) for category in categories))


@lru_cache(maxsize=1000)
def _category_list(*shown: tuple[int, str]) -> SafeString:
    items = format_html_join("", '<li class="cat-{}">{}</li>', shown)
    return format_html('<ul class="categories" aria-label="Categories">{}</ul>', items) if shown else items


@register.simple_tag
def figure_cells(cells: Iterable[Cell], entries: Entry | Sequence[Entry]) -> SafeString:
    """The cells of a group of columns, each a link to the attempts behind it.

    ``entries`` is the entry of all, or one for each. Not in the template: there, cells took most of a long
    board's time.
    """
    whose = (entries,) if isinstance(entries, Entry) else entries
    addresses = cycle([entry.get_absolute_url() for entry in whose])
    shown = [
        f'<td class="num cat{kind}"{_title(cell)}>{_behind(cell, address, figure(cell))}</td>'
        for cell, address, kind in zip(cells, addresses, chain((" first",), repeat("")), strict=False)
    ]
    # Its parts are escaped; to escape each cell again took as long as all the rest.
    return SafeString("".join(shown))


@register.simple_tag
def figure_behind(cell: Cell, entry: Entry) -> SafeString:
    """A figure with its margin, as a link to the attempts behind it."""
    return _behind(cell, entry.get_absolute_url(), figure_with_margin(cell))


def _behind(cell: Cell, address: str, shown: SafeString) -> SafeString:
    """``shown`` as a link to the attempts that a figure is the mean of, of the entry at ``address``."""
    if not isinstance(cell.row, Figure) or cell.value is None:
        return shown
    query = _query_behind(cell.metric, cell.row.category)
    return SafeString(f'<a class="behind" href="{conditional_escape(address)}?{query}#attempts">{shown}</a>')


@lru_cache(maxsize=1000)
def _query_behind(metric: Metric, category: str) -> SafeString:
    # The best first.
    sort = f"-{metric.scored_as}" if metric.more_is_better else metric.scored_as
    return conditional_escape(f"category={category}&sort={sort}" if category else f"sort={sort}")


@register.simple_tag
def value_cells(cells: Iterable[Cell]) -> SafeString:
    """The cells of figures shown as values only; not in the template for the same reason."""
    values = (amount(cell.value, cell.metric) for cell in cells)
    return format_html_join("", '<td class="num">{}</td>', ((value,) for value in values))


@register.simple_tag
def source_and_attempts(figure: Figure) -> SafeString:
    """The lines below a figure: its source's letter and number of tasks, and its number of attempts."""
    counted = plural(figure.attempts, "{n} attempt", "{n} attempts")
    attempts = format_html('<span class="sub">{}</span>', counted)
    return _below(figure) + attempts + stale_note(figure.stale)


def _below(figure: Figure) -> SafeString:
    """Source and number of tasks; where no task was tried, no one's scores are in the figure."""
    if figure.scored or figure.value is None:
        return _source_and_tasks(figure.source, figure.tasks)
    return format_html('<span class="sub">{} not tried</span>', figure.tasks)


@lru_cache(maxsize=1000)
def _source_and_tasks(source: str, tasks: int) -> SafeString:
    """The line below a figure; cached, because most cells of a column have the same."""
    word, letter = source_of(source)
    return format_html('<span class="sub"><abbr title="{}">{}</abbr> {}</span>', word, letter, tasks)


@register.filter
def bar(value: float | None) -> str:
    """A share as the width of a bar in an SVG 100 wide."""
    return f"{(value or 0) * 100:.1f}"


@register.filter
def difference(value: float | None, metric: Metric) -> str:
    """A difference of two values with its sign, of shares in percentage points; a dash if it is missing."""
    if value is None:
        return MISSING
    shown = value_text(abs(value), metric.unit)
    sign = "" if shown == value_text(0, metric.unit) else "+" if value > 0 else "\N{MINUS SIGN}"
    return sign + shown


@register.filter
def budget_text(budget: Budget) -> str:
    """How much of a budget is used, and its limit."""
    if budget.name == "execution_seconds":
        used, limit = seconds(budget.used), seconds(budget.limit)
    elif budget.name == "cost":
        used, limit = (
            f"${number_format(value, decimal_pos=2)}" for value in (budget.used, budget.limit or 0)
        )
    else:
        used, limit = whole(round(budget.used)), whole(round(budget.limit or 0))
    return f"{used} of {limit}" if budget.limit else used


@register.simple_tag(takes_context=True)
def with_filter(context: template.Context, field: str, value: object = "") -> str:
    """The query of this page's address with a filter set, or removed without a value; of the first page."""
    query = context["request"].GET.copy()
    for name in (field, "page"):
        query.pop(name, None)
    if value:
        query[field] = str(value)
    return f"?{query.urlencode()}"


@register.filter
def masked(text: str) -> str:
    """A text with what looks like a secret masked."""
    return mask(text)


@register.simple_tag
def trajectory_formats() -> str:
    """The names of all formats of trajectories, in a row."""
    return ", ".join(each.NAME for each in FORMATS)
