"""Attempts for lists, and the details that an attempt's page shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Case, Prefetch, QuerySet, When

from leaderboard.attempts.outcomes import Outcome, outcome_of
from leaderboard.attempts.texts import FIELDS
from leaderboard.attempts.withheld import LARGE_FIELDS, LISTED_SCORES, shown_outcomes, shown_scores
from leaderboard.catalogue.selectors import shown_landmarks
from leaderboard.core.figures import Cell, counting_score, scorers_of
from leaderboard.core.labels import scorer_labels
from leaderboard.core.pages import Page, read_page
from leaderboard.diagnosis import ShownDiagnosis, from_data
from leaderboard.domain.entries import RANKED, EntryState, Provenance
from leaderboard.domain.scores import REPORTED
from leaderboard.models import Attempt, LandmarkOutcome, Score, Task, TaskSet
from leaderboard.rendering.matches import Matches, find_in, parts_to_search
from leaderboard.scoring import all_scorings
from leaderboard.scoring.usage import LISTED, Amount, amounts_used

LARGE_TASK_FIELDS = frozenset({"query", "pre_execute_cells", "query_components", "solution"})
"""Fields of a task that lists load only if a metric is computed from them."""
ATTEMPTS_A_PAGE = 200
"""Attempts on one page of an entry or a task: most entries are on one."""
OTHERS = 20
"""Other attempts at a task that an attempt's page lists; the task's page lists all."""


@dataclass(frozen=True, slots=True)
class ScoredAttempt:
    """An attempt with one score for each metric: the one that counts on a board; as shown of a ``draft``."""

    attempt: Attempt
    scores: dict[str, Score]
    draft: bool = False

    @property
    def cells(self) -> list[Cell]:
        """A score for each metric that is scored, in order."""
        scored = self.attempt.task.scoring.scored
        return [Cell(metric, self.scores.get(metric.key)) for metric in scored]

    @property
    def used(self) -> list[Amount]:
        """What it used, as lists show it."""
        return amounts_used(self.attempt, LISTED)

    @property
    def outcome(self) -> Outcome:
        """How it came out, by the decisive metric."""
        decisive = self.attempt.task.scoring.decisive
        score = self.scores.get(decisive.key)
        return outcome_of(self.attempt.ending, decisive, score.value if score else None)

    @property
    def finding(self) -> str:
        """The class of the first finding on its page; empty without one, and where it is solved."""
        return "" if self.outcome is Outcome.RIGHT else self.attempt.finding

    @property
    def outcomes(self) -> list[LandmarkOutcome | None]:
        """The result of each landmark that the task has now; None if it was not looked for."""
        known = shown_outcomes(self.attempt, draft=self.draft)
        return [known.get(number) for number in range(1, len(self.attempt.task.landmarks) + 1)]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One scorer's scores of an attempt, one for each metric that is scored; ``label`` is the scorer's."""

    scorer: str
    label: str
    scores: list[Cell]


def list_attempts(
    attempts: QuerySet[Attempt], task_set: TaskSet, page: int = 1, *, draft: bool = False
) -> Page[ScoredAttempt]:
    """A page of ``attempts``, all on ``task_set``, with the scores that lists show.

    Two queries, three for those of a ``draft``.
    """

    def show(attempt: Attempt) -> ScoredAttempt:
        attempt.task.task_set = task_set
        return scored_attempt(attempt, draft=draft)

    found = with_counting_scores(attempts, draft=draft)
    return read_page(found, page, size=ATTEMPTS_A_PAGE, show=show)


def scored_attempt(attempt: Attempt, *, draft: bool) -> ScoredAttempt:
    """An attempt of `with_counting_scores` with the scores that lists show."""
    return ScoredAttempt(attempt, counting_scores(attempt, draft=draft), draft)


def score_rows(attempt: Attempt, *, draft: bool) -> list[ScoreRow]:
    """The scores of an attempt: reported ones first, then each scorer that has one.

    Queries nothing if scores and landmark outcomes were prefetched.
    """
    by_scorer: dict[str, dict[str, Score]] = defaultdict(dict)
    for score in shown_scores(attempt, draft=draft):
        by_scorer[score.scorer][score.metric] = score
    scoring = attempt.task.scoring
    labels = scorer_labels(scoring)
    return [
        ScoreRow(
            scorer, labels[scorer], [Cell(each, by_scorer[scorer].get(each.key)) for each in scoring.scored]
        )
        for scorer in scorers_of(scoring)
        if scorer in by_scorer
    ]


def landmark_results(attempt: Attempt, *, draft: bool) -> list[tuple[LandmarkOutcome | None, int, str]]:
    """For each landmark its outcome, its number, and its pattern ("" if it must not be shown). One query."""
    outcomes = shown_outcomes(attempt, draft=draft)
    patterns = enumerate(shown_landmarks(attempt.task), start=1)
    return [(outcomes.get(number), number, pattern) for number, pattern in patterns]


def shown_diagnosis(attempt: Attempt, scores: Iterable[Score]) -> ShownDiagnosis:
    """Why an attempt failed, by its scores as somebody may see them (`withheld.shown_scores`).

    A solved attempt keeps its facts alone. In a draft nobody is told whether it is solved, and the diagnosis,
    which knows no gold answer, says nothing of it either.
    """
    scoring = attempt.task.scoring
    decisive = scoring.decisive
    by_scorer = {score.scorer: score for score in scores if score.metric == decisive.key}
    counting = counting_score(
        by_scorer.get(scoring.default_scorer),
        by_scorer.get(REPORTED),
        computable=decisive.key in attempt.task.computed_metrics(scoring),
        has_trajectory=attempt.has_trajectory,
    )
    value = counting.value if counting else None
    is_solved = None if value is None else value == decisive.best
    return from_data(attempt.diagnosis).shown(is_solved=is_solved)


def other_attempts(attempt: Attempt) -> QuerySet[Attempt]:
    """The first published attempts at the same task, without this one."""
    return (
        Attempt.objects.filter(task_id=attempt.task_id, entry__state=EntryState.PUBLISHED)
        .exclude(pk=attempt.pk)
        .select_related("entry__agent")
        .defer(*LARGE_FIELDS)
        .order_by("entry__agent__name", "number")[:OTHERS]
    )


def attempts_at(task: Task) -> QuerySet[Attempt]:
    """Every published attempt at a task with its landmark outcomes, by agent; self-reported entries last."""
    unranked_last = Case(When(entry__evidence__in=RANKED, then=0), default=1)
    return (
        # Naming the set of the entries saves looking through those of all others.
        Attempt.objects.filter(task=task, entry__task_set=task.task_set_id, entry__state=EntryState.PUBLISHED)
        .select_related("entry__agent", "task__task_set__benchmark")
        .prefetch_related("landmark_outcomes")
        .order_by(unranked_last, "entry__agent__name", "entry__agent__model", "number")
    )


def attempt_with_query(task: Task) -> Attempt | None:
    """A published attempt whose file says what the agent was asked, of those no team sent: one could lie."""
    trusted = (Provenance.IMPORTED, Provenance.RUN_HERE)
    return (
        Attempt.objects.filter(task=task, entry__state=EntryState.PUBLISHED, entry__provenance__in=trusted)
        .exclude(query="")
        .select_related("entry__agent")
        .only("query", "entry__agent__name", "entry__agent__model")
        .order_by("pk")
        .first()
    )


def find_text(attempt: Attempt, text: str, part: str = "") -> Matches:
    """Search for ``text`` in an attempt as shown; see `rendering.matches`. Two queries."""
    if not text.strip():
        return Matches([], 0)
    starts: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, paged, start in attempt.pages.values_list("step", "part", "start"):
        starts[number, paged].append(start)
    parts = parts_to_search(part)
    # With the attempt's key: otherwise Django loads it with one query for each step.
    steps = attempt.steps.only("attempt", "number", *(FIELDS[each] for each in parts))
    texts = (
        (step.number, each, getattr(step, FIELDS[each]))
        for step in steps.iterator(chunk_size=20)
        for each in parts
    )
    return find_in(texts, text, starts)


def with_counting_scores(attempts: QuerySet[Attempt], *, draft: bool) -> QuerySet[Attempt]:
    """``attempts`` with all that `counting_scores` reads but their task's set, and no large fields."""
    scorings = all_scorings().values()
    wanted = Score.objects.filter(scorer__in=(REPORTED, *(each.default_scorer for each in scorings)))
    if not draft:
        # A row that says nothing counts as none. Of a draft it may stand for what is withheld.
        wanted = wanted.exclude(value=None, reason="")
    unread = LARGE_TASK_FIELDS.difference(*(scoring.task_fields for scoring in scorings))
    found = attempts.select_related("task").defer(*LARGE_FIELDS, *(f"task__{name}" for name in unread))
    found = found.prefetch_related(Prefetch("scores", queryset=wanted, to_attr=LISTED_SCORES))
    return found.prefetch_related("landmark_outcomes") if draft else found


def counting_scores(attempt: Attempt, *, draft: bool) -> dict[str, Score]:
    """By metric, which of an attempt's scores counts on a board; of a ``draft``, as `shown_scores` has it."""
    scoring = attempt.task.scoring
    scores = {(score.scorer, score.metric): score for score in shown_scores(attempt, draft=draft)}
    computed = attempt.task.computed_metrics(scoring)
    counting = {
        metric.key: counting_score(
            scores.get((scoring.default_scorer, metric.key)),
            scores.get((REPORTED, metric.key)),
            computable=metric.key in computed,
            has_trajectory=attempt.has_trajectory,
        )
        for metric in scoring.scored
    }
    return {metric: score for metric, score in counting.items() if score}
