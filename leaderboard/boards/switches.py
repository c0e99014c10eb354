"""What a board's figures are counted by, as switches in its address, and what they change."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from leaderboard.boards.selectors import ALL_TASKS, SCORED_TASKS, Board
from leaderboard.core.labels import scorer_labels
from leaderboard.domain.scores import BOARD
from leaderboard.domain.text import plural

COVERAGE_LABELS = {ALL_TASKS: "All tasks", SCORED_TASKS: "Tasks with a score"}
"""What a figure of a board can be the mean over."""


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a switch, and the address of the board with it."""

    key: str
    label: str
    link: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches of a board.

    ``state`` says what is not as by default, ``title`` that and the day, for the page's title; ``changes`` is
    what the state changes.
    """

    scores: list[Option]
    coverage: list[Option]
    state: str
    title: str
    changes: str
    default_link: str


def board_switches(board: Board, query: QueryDict) -> Switches:
    """The switches of ``board``; each link keeps the rest of ``query``."""
    shown = board.query
    scorers = scorer_labels(board.task_set.scoring)
    said = [scorers[shown.scorer]] if shown.scorer != BOARD else []
    said += [f"mean over {COVERAGE_LABELS[SCORED_TASKS].lower()}"] if shown.coverage == SCORED_TASKS else []
    return Switches(
        scores=_options(query, "scorer", scorers, shown.scorer, default=BOARD),
        coverage=_options(query, "coverage", COVERAGE_LABELS, shown.coverage, default=ALL_TASKS),
        state=", ".join(said),
        title="".join(f", {each}" for each in (*said, *([f"at the end of {shown.at}"] if shown.at else ()))),
        changes=_changes(board) if shown.switched else "",
        default_link=link_with(query, scorer="", coverage=""),
    )


def link_with(query: QueryDict, **values: str) -> str:
    """The query with other ``values``, an empty one for none, from the first page on."""
    params = query.copy()
    for name, value in {**values, "page": ""}.items():
        params.pop(name, None)
        if value:
            params[name] = value
    return f"?{params.urlencode()}"


def _options(
    query: QueryDict, name: str, labels: dict[str, str], chosen: str, *, default: str
) -> list[Option]:
    return [
        Option(key, label, link_with(query, **{name: "" if key == default else key}), key == chosen)
        for key, label in labels.items()
    ]


def _changes(board: Board) -> str:
    ranked = [row for row in board.rows if row.rank is not None or row.default_rank is not None]
    changed = sum(row.rank_changed for row in ranked)
    where = " on this page" if board.pages > 1 else ""
    of = plural(len(ranked), "the one rank", "the {n} ranks")
    return f"{changed:,} of {of}{where} differ{'s' if changed == 1 else ''} from the default board."
