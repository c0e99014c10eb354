"""An entry as a picture, for links to it: its leading figure, its rank, and its figures by group of tasks."""

from __future__ import annotations

from leaderboard.catalogue.selectors import set_categories
from leaderboard.core.figures import Cell
from leaderboard.core.labels import PROVENANCES, ranks_text
from leaderboard.domain.entries import Evidence
from leaderboard.domain.scores import BOARD
from leaderboard.domain.text import plural
from leaderboard.entries.selectors import entry_figures
from leaderboard.entries.sharing import Leading, leading_of
from leaderboard.models import Entry
from leaderboard.rendering.pictures import MOST_ROWS, Picture, Row, draw
from leaderboard.scoring.contract import Unit


def entry_picture(entry: Entry) -> bytes:
    """An open entry as PNG. Six queries."""
    categories = set_categories(entry.task_set)
    figures = entry_figures(entry, categories, draft=False)
    metric, leading = entry.task_set.scoring.leading, leading_of(entry)
    at = figures.metrics.index(metric)
    rows = [_row(category.name, cells[at], colour=category.colour) for category, cells in figures.by_category]
    if not rows:
        rows = _overall_rows(entry)
    facts = [f"{entry.attempted:,} tasks attempted", PROVENANCES[entry.provenance]]
    if len(rows) > MOST_ROWS:
        groups = entry.task_set.scoring.groups
        facts.append(plural(len(rows) - MOST_ROWS, f"1 more {groups.one}", f"{{n}} more {groups.many}"))
    cell = Cell(metric, leading.figure)
    return draw(
        Picture(
            title=entry.agent.name,
            subtitle=f"{entry.agent.model} · {entry.task_set.benchmark.name} {entry.task_set.name}",
            rows=rows,
            foot=" · ".join(facts),
            figure=cell.text,
            margin=cell.margin,
            about=f"{metric.label} · {_standing(entry, leading)}",
        )
    )


def _overall_rows(entry: Entry) -> list[Row]:
    """The overall figures of a benchmark without groups of tasks."""
    scoring = entry.task_set.scoring
    overall = entry.figures.filter(scorer=BOARD, category="", metric__in=scoring.layout.overall)
    by_metric = {figure.metric: figure for figure in overall}
    shown = (scoring.by_key[key] for key in scoring.layout.overall)
    return [_row(each.label, Cell(each, by_metric.get(each.key))) for each in shown]


def _row(name: str, cell: Cell, colour: int | None = None) -> Row:
    share = cell.value if cell.metric.unit == Unit.SHARE else None
    return Row(name, cell.text or "-", margin=cell.margin, share=share, colour=colour)


def _standing(entry: Entry, leading: Leading) -> str:
    """An entry's rank in words, or why it has none."""
    if leading.rank is not None and leading.figure is not None:
        return f"rank {ranks_text(leading.figure.tier) or leading.rank}"
    if not entry.is_published:
        return "replaced by a newer version"
    return "self-reported" if entry.evidence == Evidence.SELF_REPORTED else "not ranked"
