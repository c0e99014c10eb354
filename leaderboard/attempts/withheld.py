"""The scores, landmarks and figures of an entry as somebody may see them; `domain.withheld` has the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from leaderboard.catalogue.selectors import shown_landmarks
from leaderboard.domain.aggregates import Figure as Cell
from leaderboard.domain.aggregates import TaskResult, aggregate
from leaderboard.domain.jobs import TERMINAL
from leaderboard.domain.scorers import DEFAULT_SCORER
from leaderboard.domain.scores import MIXED, REPORTED, LandmarkResult, LandmarkStatus, Metric
from leaderboard.domain.scores import Score as Result
from leaderboard.domain.uploads import UNCHECKED
from leaderboard.domain.withheld import UNTIL_PUBLISHED, WITHHELD, draft_accuracy, draft_landmarks, hidden
from leaderboard.models import Attempt, Entry, Figure, LandmarkOutcome, Score, Task

LARGE_FIELDS = ("html", "query", "prompt", "answer", "warnings", "diagnosis")
"""Fields that lists of attempts do not load: they grow with the trajectory."""
GOLD_METRICS = (Metric.ACCURACY, Metric.LANDMARKS)
"""Metrics that may tell something about a gold answer."""
NOTHING = Cell(None, None, 0, 0)
Cells = dict[tuple[str, str], dict[str, Cell]]
"""The figures of a draft by category, by scorer and metric."""


def shown_scores(attempt: Attempt, *, draft: bool) -> list[Score]:
    """An attempt's scores; of a ``draft``, those that depend on the gold answer have no value.

    Queries nothing if scores and landmark outcomes were prefetched.
    """
    scores = list(attempt.scores.all())
    return [_withheld(attempt, score) for score in scores] if draft else scores


def shown_outcomes(attempt: Attempt, *, draft: bool) -> dict[int, LandmarkOutcome]:
    """An attempt's landmark outcomes by number; of a ``draft``, without results that tell the gold answer."""
    outcomes = {outcome.number: outcome for outcome in attempt.landmark_outcomes.all()}
    if draft:
        for number in _telling_landmarks(attempt.task) & outcomes.keys():
            outcomes[number] = LandmarkOutcome(attempt=attempt, number=number, status=WITHHELD)
    return outcomes


def shown_figures(entry: Entry, *, draft: bool) -> list[Figure]:
    """An entry's figures; of a ``draft``, as `domain.withheld` says. One query, or seven for a draft.

    The figures of a draft that is being checked or run have no values: while attempts come in one by one,
    each change of a figure would be the score of a task.
    """
    figures = list(entry.figures.all())
    if not draft or not figures:
        return figures
    cells = _draft_cells(entry)
    if not _is_settled(entry):
        cells = {key: {name: hidden(cell) for name, cell in by.items()} for key, by in cells.items()}
    for figure in figures:
        by_category = cells.get((figure.source, figure.metric))
        if by_category is None and not (figure.source == MIXED and figure.metric in GOLD_METRICS):
            continue
        # A mean of reported and computed scores less the reported ones would be the accuracy of fewer tasks.
        by_category = by_category or {}
        cell = by_category.get(figure.category, NOTHING)
        figure.value, figure.attempted = cell.value, cell.attempted
        figure.scored, figure.tasks = cell.scored, cell.tasks
        if figure.metric == Metric.ACCURACY and figure.source != DEFAULT_SCORER:
            # It is empty where the scorer scored nothing, which tells which kind of value the gold answer is.
            figure.version = ""
    return figures


def _withheld(attempt: Attempt, score: Score) -> Score:
    if score.scorer == REPORTED or score.metric not in GOLD_METRICS:
        return score
    shown = Score(scorer=score.scorer, version=score.version, metric=score.metric, stale=score.stale)
    if score.metric == Metric.ACCURACY:
        # Where a task has no gold answer, there is nothing to withhold.
        shown.reason = UNTIL_PUBLISHED if attempt.task.gold else score.reason
        return shown
    telling = _telling_landmarks(attempt.task)
    if not telling:
        return score
    known = [
        LandmarkResult(
            outcome.number,
            "",
            LandmarkStatus(outcome.status),
            printed=LandmarkStatus(outcome.printed) if outcome.printed else None,
        )
        for outcome in attempt.landmark_outcomes.all()
        if outcome.number not in telling
    ]
    found = draft_landmarks(score.scorer, Result(score.value, score.reason), known)
    shown.value, shown.reason = found.value, found.reason
    return shown


def _telling_landmarks(task: Task) -> set[int]:
    """The numbers of a task's landmarks that reveal its gold answer."""
    return {number for number, pattern in enumerate(shown_landmarks(task), start=1) if not pattern}


def _is_settled(entry: Entry) -> bool:
    if entry.uploads.filter(state__in=UNCHECKED).exists():
        return False
    run = getattr(entry, "run", None)
    return run is None or not run.jobs.exclude(state__in=TERMINAL).exists()


def _draft_cells(entry: Entry) -> Cells:
    """Every figure of a draft that depends on gold answers: all scorers' accuracy and landmarks."""
    tasks = Task.objects.filter(task_set=entry.task_set_id).only("task_id").prefetch_related("categories")
    attempts = with_outcomes(entry.attempts.all()).order_by("task", "number")
    values: dict[tuple[str, str], dict[int, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        for score in attempt.scores.all():
            if score.metric == Metric.LANDMARKS:
                values[score.scorer, score.metric][attempt.task_id].append(_withheld(attempt, score).value)
            elif score.metric == Metric.ACCURACY:
                values[score.scorer, score.metric][attempt.task_id].append(score.value)
    categories = {task.pk: tuple(category.slug for category in task.categories.all()) for task in tasks}
    attempted = {attempt.task_id for attempt in attempts}
    cells: Cells = {}
    for (scorer, metric), by_task in values.items():
        if scorer == REPORTED:
            continue
        results = _results(categories, attempted, by_task)
        cells[scorer, metric] = aggregate(results) if metric == Metric.LANDMARKS else draft_accuracy(results)
    # The accuracy of one scorer only: two rules would tell more, and so would how many tasks each scored.
    shown = cells.get((DEFAULT_SCORER, Metric.ACCURACY), {})
    unseen = {name: hidden(cell) for name, cell in shown.items()}
    others = {key: unseen for key in cells if key[1] == Metric.ACCURACY and key[0] != DEFAULT_SCORER}
    return cells | others


def _results(
    categories: Mapping[int, tuple[str, ...]],
    attempted: Iterable[int],
    by_task: Mapping[int, list[float | None]],
) -> list[TaskResult]:
    return [
        TaskResult(str(pk), names, tuple(by_task.get(pk, (None,) if pk in attempted else ())))
        for pk, names in categories.items()
    ]


def with_outcomes(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Attempts with all that `shown_scores` and `shown_outcomes` read. Two queries more."""
    return (
        attempts.select_related("task").defer(*LARGE_FIELDS).prefetch_related("scores", "landmark_outcomes")
    )
