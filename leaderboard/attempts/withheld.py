"""The scores, landmarks and figures of an entry as somebody may see them; `domain.withheld` has the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product

from django.db.models import QuerySet

from leaderboard.catalogue.selectors import shown_landmarks
from leaderboard.domain.aggregates import Figure as Cell
from leaderboard.domain.aggregates import TaskResult, aggregate
from leaderboard.domain.jobs import TERMINAL
from leaderboard.domain.scores import MIXED, LandmarkResult, LandmarkStatus
from leaderboard.domain.uploads import UNCHECKED
from leaderboard.domain.withheld import UNTIL_PUBLISHED, WITHHELD, draft_figures, hidden
from leaderboard.models import Attempt, Entry, Figure, LandmarkOutcome, Score, Task
from leaderboard.scoring.contract import Hides, Metric, Scoring

LARGE_FIELDS = ("html", "query", "prompt", "answer", "warnings", "diagnosis", "rewards", "patch")
"""Fields that lists of attempts do not load: they grow with the trajectory."""
LISTED_SCORES = "listed_scores"
"""Where an attempt of a list has its prefetched scores: a list takes far less time to make than a manager."""
NOTHING = Cell(None, None, 0, 0)
Cells = dict[tuple[str, str], dict[str, Cell]]
"""The figures of a draft by category, by scorer and metric."""


def shown_scores(attempt: Attempt, *, draft: bool) -> list[Score]:
    """An attempt's scores; of a ``draft``, those that depend on the gold answer have no value.

    Queries nothing if scores and landmark outcomes were prefetched.
    """
    scores: list[Score] | None = getattr(attempt, LISTED_SCORES, None)
    if scores is None:
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
    scoring = entry.task_set.scoring
    # A metric that its benchmark no longer has is shown nowhere.
    figures = [figure for figure in entry.figures.all() if figure.metric in scoring.by_key]
    if not draft or not figures:
        return figures
    cells = _draft_cells(entry, scoring)
    if not _is_settled(entry):
        cells = {key: {name: hidden(cell) for name, cell in by.items()} for key, by in cells.items()}
    for figure in figures:
        metric = scoring.by_key[figure.metric]
        by_category = cells.get((figure.source, figure.metric))
        if by_category is None and not (figure.source == MIXED and metric.hides):
            continue
        # A mean of reported and computed scores less the reported ones would be the mean of fewer tasks.
        by_category = by_category or {}
        cell = by_category.get(figure.category, NOTHING)
        figure.value, figure.attempted = cell.value, cell.attempted
        # They would tell more than a rounded mean does.
        figure.low = figure.high = None
        figure.scored, figure.tasks, figure.attempts = cell.scored, cell.tasks, cell.attempts
        if metric.hides is Hides.GOLD and figure.source != scoring.default_scorer:
            # It is empty where the scorer scored nothing, which tells which kind of value the gold answer is.
            figure.version = ""
    return figures


def _withheld(attempt: Attempt, score: Score) -> Score:
    scoring = attempt.task.scoring
    metric, scorer = scoring.by_key.get(score.metric), scoring.by_scorer.get(score.scorer)
    if metric is None or scorer is None or not metric.hides:
        return score
    shown = Score(scorer=score.scorer, version=score.version, metric=score.metric, stale=score.stale)
    if metric.hides is Hides.GOLD or scorer.from_landmarks is None:
        # Where a task has no gold answer, there is nothing to withhold.
        shown.reason = UNTIL_PUBLISHED if attempt.task.gold else score.reason
        return shown
    telling = _telling_landmarks(attempt.task)
    if not telling:
        return score
    if score.value is None:
        shown.reason = score.reason
        return shown
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
    found = scorer.from_landmarks(known)
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


def _draft_cells(entry: Entry, scoring: Scoring) -> Cells:
    """Every figure of a draft that depends on gold answers, by each scorer."""
    tasks = Task.objects.filter(task_set=entry.task_set_id).only("task_id").prefetch_related("categories")
    attempts = with_outcomes(entry.attempts.all()).order_by("task", "number")
    values: dict[tuple[str, str], dict[int, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        for score in attempt.scores.all():
            metric = scoring.by_key.get(score.metric)
            if metric and metric.hides and score.scorer in scoring.by_scorer:
                counts = score if metric.hides is Hides.GOLD else _withheld(attempt, score)
                values[score.scorer, score.metric][attempt.task_id].append(counts.value)
    categories = {task.pk: tuple(category.slug for category in task.categories.all()) for task in tasks}
    attempted = {attempt.task_id for attempt in attempts}

    def results(scorer: str, metric: Metric) -> list[TaskResult]:
        return _results(categories, attempted, values.get((scorer, metric.scored_as), {}))

    leading = draft_figures(results(scoring.default_scorer, scoring.leading)) if scoring.scorers else {}
    # One figure of one scorer only: two rules would tell more, and so would how many tasks each scored.
    unseen = {name: hidden(cell) for name, cell in leading.items()}
    cells: Cells = {}
    for scorer, metric in product(scoring.by_scorer, scoring.metrics):
        if metric.hides is Hides.GOLD:
            is_leading = scorer == scoring.default_scorer and metric == scoring.leading
            cells[scorer, metric.key] = leading if is_leading else unseen
        elif metric.hides:
            found = results(scorer, metric)
            cells[scorer, metric.key] = aggregate(found, k=metric.pass_at, failed=metric.worst)
    return cells


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
        attempts.select_related("task__task_set__benchmark")
        .defer(*LARGE_FIELDS)
        .prefetch_related("scores", "landmark_outcomes")
    )
