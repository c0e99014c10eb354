"""Re-score stored attempts: preview which ranks would change, then do it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from leaderboard import formats, pipeline
from leaderboard.attempts.services import attempt_title, rewrite_scores, write_cards
from leaderboard.catalogue.selectors import task_spec
from leaderboard.core import blobs
from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.diagnosis import VERSION as DIAGNOSIS_VERSION
from leaderboard.domain.scores import BOARD, Scored
from leaderboard.domain.suspicions import VERSION as SUSPICIONS_VERSION
from leaderboard.formats.answers import GivenAnswer
from leaderboard.intake.answer_files import with_answer
from leaderboard.models import Attempt, AttemptFile, Entry, Figure, TaskSet
from leaderboard.scoring import all_scorings

RESCORE_TASK = "runner.worker.tasks.rescore"
PREVIEW_TASK = "runner.worker.tasks.preview"
"""The Celery tasks by name: the leaderboard must not import the runner."""
PREVIEWED = "preview re-score"
"""The audit action of a preview; the event's detail holds the result."""
CHANGES_KEPT = 200
"""Changes of rank that a preview keeps; the rest are counted."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """An entry's rank before and after; None without a figure to rank by."""

    entry: Entry
    before: int | None
    after: int | None


def stale_attempts() -> QuerySet[Attempt]:
    """Attempts with a score, diagnosis or suspicions that may be different if made now.

    The task's gold answer, landmarks or entry point changed since, or the scorer, the diagnosis or the rules
    of suspicions have a new version.
    """
    outdated = Q(scores__stale=True)
    current = Q(diagnosis_version=DIAGNOSIS_VERSION, suspicions_version=SUSPICIONS_VERSION)
    outdated |= Q(has_trajectory=True) & ~current
    for scorer in (scorer for scoring in all_scorings().values() for scorer in scoring.scorers):
        outdated |= Q(scores__scorer=scorer.name) & ~Q(scores__version=scorer.version)
    return Attempt.objects.filter(outdated).distinct().order_by("pk")


def preview_rescore(task_set: TaskSet, attempts: Iterable[Attempt]) -> list[RankChange]:
    """The ranks on ``task_set`` that re-scoring ``attempts`` would change. Nothing is written."""
    scored = [(attempt, _score(attempt)) for attempt in attempts]
    before = _ranks(task_set)
    with transaction.atomic():
        for attempt, anew in scored:
            write_cards(attempt, anew.cards)
        refresh_figures(
            task_set, Entry.objects.filter(attempts__in=[attempt for attempt, _ in scored]).distinct()
        )
        after = _ranks(task_set)
        # Written and rolled back: the figures are computed by the real code, not by a copy of it.
        transaction.set_rollback(True)
    entries = Entry.objects.filter(pk__in=before.keys() | after.keys()).select_related("agent", "task_set")
    return [
        RankChange(entry, before.get(entry.pk), after.get(entry.pk))
        for entry in entries
        if before.get(entry.pk) != after.get(entry.pk)
    ]


@transaction.atomic
def request_preview(task_set: TaskSet, *, user: User | None) -> None:
    """Have a worker compute which ranks re-scoring a set's stale attempts would change."""
    record_event("ask for preview", task_set, actor=user)
    transaction.on_commit(partial(current_app.send_task, PREVIEW_TASK, (task_set.pk,)), robust=True)


@transaction.atomic
def request_rescore(task_set: TaskSet, *, user: User | None) -> int:
    """Queue a set's stale attempts; returns how many. Attempts whose message is lost stay stale."""
    attempts = list(stale_attempts().filter(task__task_set=task_set).values_list("pk", flat=True))
    record_event("ask for re-score", task_set, actor=user, attempts=len(attempts))

    def send() -> None:
        for attempt in attempts:
            current_app.send_task(RESCORE_TASK, (attempt,))

    transaction.on_commit(send, robust=True)
    return len(attempts)


def record_preview(task_set: TaskSet) -> None:
    """Compute which ranks would change, and store it in the audit, where the operators' page reads it."""
    attempts = list(stale_attempts().filter(task__task_set=task_set))
    changes = preview_rescore(task_set, attempts)
    record_event(
        PREVIEWED,
        task_set,
        task_set=task_set.pk,
        attempts=len(attempts),
        more=max(0, len(changes) - CHANGES_KEPT),
        changes=[
            {
                "entry": change.entry.slug,
                "agent": str(change.entry.agent),
                "before": change.before,
                "after": change.after,
            }
            for change in changes[:CHANGES_KEPT]
        ],
    )


def rescore_attempt(attempt: Attempt) -> None:
    """Score, diagnose and render a stored attempt again, and refresh its entry's figures."""
    original = _original(attempt)
    prepared = pipeline.prepare(
        blobs.read(original.blob),
        name=original.name,
        task=task_spec(attempt.task),
        scoring=attempt.task.scoring,
        title=attempt_title(attempt.task.task_id, attempt.entry.agent),
        sample=original.sample,
        max_bytes=settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20,
        outputs=tuple(
            pipeline.StepOutput(file.step, file.blob, file.size, file.cut)
            for file in attempt.files.filter(kind=AttemptFile.Kind.OUTPUT)
        ),
        answer=_given_answer(attempt),
    )
    rewrite_scores(attempt, prepared)


def _score(attempt: Attempt) -> Scored:
    original = _original(attempt)
    data = blobs.read(original.blob)
    # The limit may have been higher when the file was stored.
    max_bytes = max(len(data), settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20)
    trajectory = formats.read(data, name=original.name, max_bytes=max_bytes, sample=original.sample)
    trajectory, _compared = with_answer(trajectory, _given_answer(attempt), name=original.name)
    return attempt.task.scoring.score(task_spec(attempt.task), trajectory)


def _original(attempt: Attempt) -> AttemptFile:
    return attempt.files.get(kind=AttemptFile.Kind.ORIGINAL)


def _given_answer(attempt: Attempt) -> GivenAnswer | None:
    """The answer from a file of answers that was submitted with the trajectory, if any."""
    file = attempt.files.filter(kind=AttemptFile.Kind.ANSWER).first()
    return GivenAnswer.from_bytes(blobs.read(file.blob)) if file else None


def _ranks(task_set: TaskSet) -> dict[int, int]:
    """The rank of each ranked entry with a figure in the leading metric; equal figures share a rank."""
    leading = task_set.scoring.leading
    rows = Figure.objects.filter(
        task_set=task_set, scorer=BOARD, metric=leading.key, category="", ranked=True, value__isnull=False
    ).values_list("entry", "value")
    values = sorted((value for _, value in rows if value is not None), reverse=leading.more_is_better)
    return {entry: values.index(value) + 1 for entry, value in rows if value is not None}
