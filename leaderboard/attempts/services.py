"""The one place that writes attempts: imports, uploads and runs all use it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Literal

from leaderboard.attempts.files import recording, remove_files, replace_files
from leaderboard.catalogue.selectors import task_spec
from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.diagnosis import Diagnosis
from leaderboard.domain.scores import REPORTED, LandmarkResult, ScoreCard
from leaderboard.domain.suspicions import VERSION as SUSPICIONS_VERSION
from leaderboard.domain.suspicions import Suspicion
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import Trajectory
from leaderboard.domain.words import indexed_words
from leaderboard.intake.findings import Severity
from leaderboard.models import (
    Attempt,
    AttemptFile,
    AttemptStep,
    AttemptSuspicions,
    Entry,
    LandmarkOutcome,
    OutputPage,
    Score,
    StepWords,
    Task,
)
from leaderboard.pipeline import Prepared
from leaderboard.rendering.columns import attempt_fields, diagnosis_fields, step_texts
from leaderboard.rendering.model import Rendering

Outcome = Literal["added", "changed", "unchanged"]


def record_attempt(
    *,
    entry: Entry,
    task: Task,
    number: int,
    digest: str = "",
    prepared: Prepared | None = None,
    reported: Mapping[str, float | None] | None = None,
    replace: bool = False,
) -> Outcome:
    """Store one attempt with all that its pages show, in one transaction.

    Idempotent. A call without a trajectory keeps the stored one, and a call without reported scores keeps the
    stored ones: a fixture of figures and an import of trajectories complete each other in either order. The
    caller refreshes the entry's figures after its last call.

    ``pipeline.prepare`` made ``prepared`` of files whose ``pipeline.source_digest`` is ``digest``. A value of
    None in ``reported`` means that the metric does not apply. ``replace`` deletes what was stored before and
    is not given now.

    Raises:
        OSError: the blob store could not store a file; nothing was written.
    """
    with recording(prepared):
        # Of two simultaneous imports, the second waits here and then finds what the first stored.
        attempt, added = Attempt.objects.select_for_update().get_or_create(
            entry=entry, task=task, number=number
        )
        outcome: Outcome = "added" if added else "unchanged"
        if replace and not added:
            Score.objects.filter(attempt=attempt, scorer=REPORTED).delete()
        if replace or (prepared is not None and attempt.source_digest != digest):
            attempt.source_digest = digest
            _write_prepared(attempt, prepared, added=added)
            outcome = "added" if outcome == "added" else "changed"
        if _write_reported(attempt, reported or {}) and outcome == "unchanged":
            outcome = "changed"
        if outcome != "unchanged":
            record_event(f"{outcome} attempt", attempt, digest=digest)
        return outcome


def rewrite_scores(attempt: Attempt, prepared: Prepared) -> None:
    """Replace an attempt's computed scores and landmark outcomes by those of ``prepared``.

    Refreshes the entry's figures in the same transaction: once the scores are no longer stale, nothing else
    would. Does nothing if the attempt was recorded again or deleted since ``attempt`` was read.
    """
    with recording(prepared):
        if not Attempt.objects.select_for_update().filter(pk=attempt.pk, recorded=attempt.recorded).first():
            return
        task_set = attempt.entry.task_set
        decisive = attempt.scores.filter(metric=task_set.scoring.decisive.key).order_by("scorer")
        before = list(decisive.values_list("scorer", "value"))
        _write_trajectory(attempt, prepared)
        after = list(decisive.values_list("scorer", "value"))
        refresh_figures(task_set, [attempt.entry], standings=before != after)
        record_event("re-score attempt", attempt)


def write_cards(attempt: Attempt, cards: Iterable[ScoreCard], *, stale: Collection[str] = ()) -> None:
    """Replace an attempt's computed scores in the caller's transaction; those of ``stale`` become stale."""
    Score.objects.filter(attempt=attempt).exclude(scorer=REPORTED).delete()
    Score.objects.bulk_create(score for card in cards for score in _scores(attempt, card, stale))


def attempt_title(task_id: str, agent: object) -> str:
    """The title of an attempt's self-contained page."""
    return f"{task_id} · {agent}"


def _write_prepared(attempt: Attempt, prepared: Prepared | None, *, added: bool) -> None:
    if prepared is not None:
        _write_trajectory(attempt, prepared, added=added)
        return
    fields = attempt_fields(Trajectory((), ""), ()) | diagnosis_fields(Diagnosis())
    fields |= {"has_trajectory": False, "step_count": None}
    for name, value in (fields | {"html": "", "secrets": 0, "suspicions_version": ""}).items():
        setattr(attempt, name, value)
    attempt.save()
    remove_files(attempt)
    for model in (AttemptStep, OutputPage, LandmarkOutcome):
        _replace(model, attempt, [])
    write_cards(attempt, ())
    _write_suspicions(attempt, ())


def _write_trajectory(attempt: Attempt, prepared: Prepared, *, added: bool = False) -> None:
    """Store all of a trajectory; nothing has to be replaced if the attempt was ``added`` just now."""
    replace = _add if added else _replace
    warnings = [found.problem for found in prepared.findings if found.severity is Severity.WARNING]
    for name, value in attempt_fields(prepared.trajectory, warnings).items():
        setattr(attempt, name, value)
    for name, value in diagnosis_fields(prepared.diagnosis).items():
        setattr(attempt, name, value)
    attempt.secrets = prepared.secrets
    attempt.suspicions_version = SUSPICIONS_VERSION
    rendering = prepared.rendering
    attempt.html = rendering.html if rendering else ""
    attempt.save()
    replace(AttemptFile, attempt, replace_files(attempt, prepared))
    steps = _steps(rendering) if rendering else []
    replace(AttemptStep, attempt, steps)
    _index(attempt, steps)
    pages = rendering.pages if rendering else ()
    replace(OutputPage, attempt, [OutputPage(**asdict(page)) for page in pages])
    replace(LandmarkOutcome, attempt, [_outcome(result) for result in prepared.scored.landmarks])
    _write_suspicions(attempt, prepared.suspicions)
    # The task may have changed since the attempt was prepared, or since its run started.
    locked = Task.objects.select_for_update(no_key=True, of=("self",)).select_related("task_set__benchmark")
    task = locked.get(pk=attempt.task_id)
    stale = task.scoring.outdated(prepared.task, task_spec(task))
    write_cards(attempt, prepared.scored.cards, stale=stale)


def _write_suspicions(attempt: Attempt, suspicions: Iterable[Suspicion]) -> None:
    """Replace an attempt's suspicions. An operator's verdict stays while they are the same."""
    found = [asdict(suspicion) for suspicion in suspicions]
    stored = AttemptSuspicions.objects.filter(attempt=attempt)
    if list(stored.values_list("found", flat=True)) == [found]:
        return
    stored.delete()
    if found:
        AttemptSuspicions.objects.create(attempt=attempt, found=found)


def _steps(rendering: Rendering) -> list[AttemptStep]:
    return [AttemptStep(**asdict(item), **texts) for item, texts in step_texts(rendering)]


def _index(attempt: Attempt, steps: Iterable[AttemptStep]) -> None:
    """Make the steps findable; their words go with them when they are deleted."""
    words = {step.number: indexed_words(step.thought, step.action, step.observation) for step in steps}
    StepWords.objects.bulk_create(
        (
            StepWords(step_id=pk, words=words[number])
            for number, pk in AttemptStep.objects.filter(attempt=attempt).values_list("number", "pk")
        ),
        batch_size=200,
    )


def _outcome(result: LandmarkResult) -> LandmarkOutcome:
    return LandmarkOutcome(
        number=result.number,
        status=result.status,
        printed=result.printed or "",
        first_step=result.first_step,
        hits=[[hits.step, [list(span) for span in hits.spans], hits.more] for hits in result.hits],
    )


def _scores(attempt: Attempt, card: ScoreCard, stale: Collection[str]) -> list[Score]:
    return [
        Score(
            attempt=attempt,
            scorer=card.scorer,
            version=card.version,
            metric=metric,
            value=score.value,
            reason=storable(score.reason),
            stale=metric in stale,
        )
        for metric, score in card.scores.items()
    ]


def _write_reported(attempt: Attempt, reported: Mapping[str, float | None]) -> bool:
    """Store the reported scores that differ from the stored ones; returns whether any did."""
    stored = dict(Score.objects.filter(attempt=attempt, scorer=REPORTED).values_list("metric", "value"))
    changed = {
        metric: value for metric, value in reported.items() if metric not in stored or stored[metric] != value
    }
    Score.objects.bulk_create(
        [
            Score(attempt=attempt, scorer=REPORTED, metric=metric, value=value)
            for metric, value in changed.items()
        ],
        update_conflicts=True,
        unique_fields=("attempt", "scorer", "metric"),
        update_fields=("value",),
    )
    return bool(changed)


def _replace(model: type[Any], attempt: Attempt, rows: list[Any]) -> None:
    model.objects.filter(attempt=attempt).delete()
    _add(model, attempt, rows)


def _add(model: type[Any], attempt: Attempt, rows: list[Any]) -> None:
    for row in rows:
        row.attempt = attempt
    model.objects.bulk_create(rows, batch_size=200)
