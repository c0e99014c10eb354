"""Template filters and tags that the site and `superboard view` share: they know no model and no feature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Protocol

from django import template
from django.template.base import NodeList, Parser, Token
from django.utils.formats import number_format
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.core import labels
from leaderboard.diagnosis import classes
from leaderboard.domain.amounts import dollars
from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.durations import duration_text
from leaderboard.domain.scores import MIXED, RECORDED, REPORTED
from leaderboard.domain.text import size_text
from leaderboard.domain.withheld import UNTIL_PUBLISHED, WITHHELD
from leaderboard.rendering import names
from leaderboard.rendering.lines import visible
from leaderboard.scoring.contract import Metric
from leaderboard.scoring.values import value_text

if TYPE_CHECKING:
    from leaderboard.attempts.selectors import ScoredAttempt
    from leaderboard.models import Benchmark, TaskSet

WEB_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]()]*[^\s<>\"'`|\\^{}\[\]().,;:!?]")
MAX_LINKS = 100
"""How many addresses of one text are links."""
MISSING = "\N{EN DASH}"
SITE_NAME = " · Superboard"
SOURCE_LETTERS = {REPORTED: "r", MIXED: "p", RECORDED: "t"}
"""The letter of a source below a figure; all others are computed, and have a ``c``."""
LABELS: dict[str, Mapping[str, str]] = {
    "budget_label": {name: budget.label for name, budget in BUDGETS.items()},
    "ending_label": labels.ENDINGS,
    "evidence_label": labels.EVIDENCE,
    "entry_state_label": labels.ENTRY_STATES,
    "finding_label": classes.LABELS,
    "group_label": names.GROUPS,
    "kind_label": names.KINDS,
    "landmark_label": {**names.LANDMARK_STATUSES, WITHHELD: UNTIL_PUBLISHED},
    "mark_label": names.MARKS,
    "match_label": labels.MATCHED_BY,
    "model_openness_label": labels.MODEL_OPENNESS,
    "phase_label": labels.PHASES,
    "provenance_label": labels.PROVENANCES,
    "role_label": labels.ROLES,
    "scaffold_openness_label": labels.SCAFFOLD_OPENNESS,
    "state_label": labels.JOB_STATES,
    "upload_phase_label": labels.UPLOAD_PHASES,
    "upload_state_label": labels.UPLOAD_STATES,
}
"""The filters that show a value by its label, or as it is if it has none."""


def _label(table: Mapping[str, str], key: str) -> str:
    return table.get(key, key)


register = template.Library()
register.filter("visible", visible)
register.filter("shown_marks", lambda step: names.shown_marks(step.kind, step.marks))
register.filter("dollars", dollars)
for name, table in LABELS.items():
    register.filter(name, partial(_label, table))


class Told(template.Node):
    """Writes what is between its tags on one line, safe between quotes, and keeps it as a variable."""

    def __init__(self, nodelist: NodeList, variable: str) -> None:
        self.nodelist = nodelist
        self.variable = variable

    def render(self, context: template.Context) -> SafeString:
        text = " ".join(self.nodelist.render(context).split()).replace('"', "&quot;")
        context[self.variable] = SafeString(text)
        return SafeString(text)


@register.tag
def told(parser: Parser, token: Token) -> Told:
    """``{% told page_title %}…{% endtold %}``: ``{{ page_title }}`` is the same text further on."""
    _, variable = token.split_contents()
    nodelist = parser.parse(("endtold",))
    parser.delete_first_token()
    return Told(nodelist, variable)


@register.filter
def without_site(title: SafeString) -> SafeString:
    """A title without the site's name, which other sites show beside it."""
    return SafeString(title.removesuffix(SITE_NAME))


class ScoreCell(Protocol):
    """A metric, and an attempt's score in it: value, reason, whether it is stale, and its scorer; or None."""

    @property
    def metric(self) -> Metric: ...
    @property
    def row(self) -> Any: ...


@register.filter
def with_links(text: str) -> SafeString:
    """A text whose web addresses are links; nothing else in it is markup."""
    parts: list[str] = []
    at = 0
    for found in islice(WEB_ADDRESS.finditer(text), MAX_LINKS):
        link = format_html('<a href="{}" rel="nofollow noopener">{}</a>', found[0], found[0])
        parts += [text[at : found.start()], link]
        at = found.end()
    return format_html_join("", "{}", ((part,) for part in [*parts, text[at:]]))


@dataclass(frozen=True, slots=True)
class NavigationItem:
    """A board in the navigation, or a benchmark whose sets are levels; ``shown`` is which."""

    benchmark: str
    name: str
    address: str
    shown: TaskSet | Benchmark


@register.simple_tag
def navigation(task_sets: Iterable[Any], current: TaskSet | str) -> list[NavigationItem]:
    """The boards with tasks, and the ``current`` one, in the order of `all_task_sets`.

    Of a benchmark with levels, the page that has them all. Both are empty texts on a page without them.
    """
    items = []
    for benchmark, group in groupby(task_sets, key=lambda each: each.benchmark):
        sets = list(group)
        if len(sets) > 1 and benchmark.scoring.layout.levels:
            items.append(NavigationItem(benchmark.name, "", benchmark.get_absolute_url(), benchmark))
        else:
            items += [
                NavigationItem(benchmark.name, each.name, each.get_absolute_url(), each)
                for each in sets
                if each.task_count or each == current
            ]
    return items


@register.filter
def amount(value: float | None, metric: Metric) -> str:
    """A value of a metric: a share in percent, without the sign; a dash if it is missing."""
    return value_text(value, metric.unit) or MISSING


@register.filter
def score(cell: ScoreCell) -> SafeString:
    """An attempt's score; the reason if it is missing; a dash if the metric does not apply."""
    each = cell.row
    if each is None:
        return _score(None, "", stale=False, unit=cell.metric.unit)
    return _score(each.value, each.reason, stale=each.stale, unit=cell.metric.unit)


@lru_cache(maxsize=1000)
def _score(value: float | None, reason: str, *, stale: bool, unit: str) -> SafeString:
    if value is None and not reason:
        return format_html('<span class="none">{}</span>', MISSING)
    if reason == UNTIL_PUBLISHED:
        return format_html('<span class="none" title="{}">{}</span>', reason, WITHHELD)
    if value is None:
        return format_html('error<span class="sub reason">{}</span>', reason)
    return conditional_escape(value_text(value, unit)) + stale_note(stale)


@register.simple_tag
def score_cells(cells: Iterable[ScoreCell]) -> SafeString:
    """The cells of scores, each with its source's letter; not in the template, as `figure_cells`."""
    shown = SafeString("")
    for cell in cells:
        has_value = cell.row is not None and cell.row.value is not None
        shown += _score_cell(score(cell), cell.row.scorer if cell.row and has_value else "")
    return shown


@lru_cache(maxsize=1000)
def _score_cell(shown: SafeString, scorer: str) -> SafeString:
    """A cell, cached, because most scores of a list are one of few."""
    if not scorer:
        return format_html('<td class="num">{}</td>', shown)
    word, letter = source_of(scorer)
    source = format_html('<span class="sub"><abbr title="{}">{}</abbr></span>', word, letter)
    return format_html('<td class="num">{}{}</td>', shown, source)


@register.simple_tag
def cells_of_ending(scored: ScoredAttempt) -> SafeString:
    """The cells of what a listed attempt used, how it ended and why it failed; see `figure_cells`."""
    shown = SafeString("")
    for each in scored.used:
        shown += _used_cell(each.value, each.metric.unit)
    shown += _ending_cell(scored.attempt.ending if scored.attempt.has_trajectory else "")
    return shown + _finding_cell(scored.finding)


@lru_cache(maxsize=1000)
def _used_cell(value: float | None, unit: str) -> SafeString:
    return format_html('<td class="num">{}</td>', value_text(value, unit) or MISSING)


@lru_cache(maxsize=100)
def _ending_cell(ending: str) -> SafeString:
    """``ending`` is empty without a trajectory."""
    if not ending:
        return format_html('<td><span class="none">{}</span></td>', "no trajectory")
    return format_html("<td>{}</td>", labels.ENDINGS.get(ending, ending))


@lru_cache(maxsize=100)
def _finding_cell(finding: str) -> SafeString:
    """``finding`` is empty where nothing is said of a failure."""
    if finding not in classes.CLASSES:
        return format_html('<td><span class="none">{}</span></td>', MISSING)
    return format_html('<td title="{}">{}</td>', classes.CLASSES[finding], classes.LABELS[finding])


def stale_note(stale: bool) -> SafeString:
    if not stale:
        return SafeString("")
    why = "The task has changed since this was computed; an operator can recompute it."
    return format_html('<span class="sub"><abbr title="{}">stale</abbr></span>', why)


def source_of(scorer: str) -> tuple[str, str]:
    return labels.SOURCES.get(scorer, labels.COMPUTED), SOURCE_LETTERS.get(scorer, "c")


@register.filter
def seconds(value: float | None) -> str:
    """A duration in its two largest units: ``5 s``, ``12 min 3 s``, ``1 h 4 min``; a dash if missing."""
    return (duration_text(value) if value is not None else "") or MISSING


@register.filter
def whole(value: int | None) -> str:
    """A whole number with thousands separators; a dash if it is missing."""
    return MISSING if value is None else number_format(value, use_l10n=True, force_grouping=True)


@register.filter
def size(value: int) -> str:
    """Bytes in the largest fitting unit."""
    return size_text(value)


@register.filter
def marked(pieces: Iterable[tuple[str, bool]]) -> SafeString:
    """A text in pieces, of which those that were looked for are marked; invisible characters are shown."""
    shown = ((visible(text), is_hit) for text, is_hit in pieces)
    return format_html_join(
        "", "{}", ((format_html("<mark>{}</mark>", text) if is_hit else text,) for text, is_hit in shown)
    )
