"""A board as a picture, for links to it: who leads, by how much, and whether that can be known."""

from __future__ import annotations

from typing import Final

from leaderboard.boards.selectors import BoardQuery, BoardRow, read_board
from leaderboard.boards.texts import conclusion
from leaderboard.core.figures import Cell
from leaderboard.core.labels import ranks_text
from leaderboard.domain.text import plural
from leaderboard.models import TaskSet
from leaderboard.rendering.pictures import Picture, Row, draw
from leaderboard.scoring.contract import Unit

ROWS: Final = 5


def board_picture(task_set: TaskSet) -> bytes:
    """A task set's board, as it is by default, as PNG; ``task_set`` has its ``task_count``. Five queries."""
    board = read_board(task_set, BoardQuery(), categories=[], page_size=ROWS)
    tasks: int = task_set.task_count  # type: ignore[attr-defined]  # of `all_task_sets`
    facts = [
        plural(tasks, "{n} task", "{n} tasks"),
        plural(board.total, "{n} entry", "{n} entries"),
        f"ranked by {task_set.scoring.leading.label.lower()}",
    ]
    foot = conclusion(board) or ("" if board.rows else "No agent has attempted this task set yet.")
    picture = Picture(
        title=f"{task_set.benchmark.name} {task_set.name}",
        subtitle=" · ".join(facts),
        rows=[_row(row, task_set) for row in board.rows],
        foot=foot,
    )
    return draw(picture)


def _row(row: BoardRow, task_set: TaskSet) -> Row:
    metric = task_set.scoring.leading
    cell = Cell(metric, row.figures.get(metric.key))
    return Row(
        label=ranks_text(row.tier) or (str(row.rank) if row.rank else "-"),
        name=row.entry.agent.name,
        note=row.entry.agent.model,
        figure=cell.text or "-",
        margin=cell.margin,
        share=cell.value if metric.unit == Unit.SHARE else None,
    )
