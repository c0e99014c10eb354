"""Attempts: their scores, landmarks, steps and files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.urls import reverse
from ninja import Field, Query, Schema

from leaderboard.attempts.files import file_response
from leaderboard.attempts.selectors import LARGE_FIELDS
from leaderboard.catalogue.api import LandmarkOut
from leaderboard.catalogue.selectors import shown_landmarks
from leaderboard.core.endpoints.caching import etag_of, not_modified
from leaderboard.core.endpoints.callers import ApiRequest, Caller
from leaderboard.core.endpoints.paging import Page, Paging, read_cursor_page
from leaderboard.core.endpoints.problems import Refusal
from leaderboard.core.endpoints.routers import ATTEMPTS, reads
from leaderboard.core.endpoints.schemas import ProblemItem
from leaderboard.core.figures import SCORER_ORDER
from leaderboard.core.permissions import readable_files, visible_attempts
from leaderboard.domain.entries import WITHDRAWN_OR_HIDDEN, EntryState
from leaderboard.domain.errors import problem_from_data
from leaderboard.models import Attempt, AttemptFile, Entry, LandmarkOutcome


class ScoreOut(Schema):
    """One metric of one attempt by one scorer; the scorer `reported` holds the submitter's own figures."""

    scorer: str
    version: str
    metric: str
    value: float | None
    reason: str
    stale: bool


class AttemptOut(Schema):
    """One try at one task."""

    id: int
    entry: str
    agent: str
    model: str
    task_id: str
    number: int
    has_trajectory: bool
    ending: str | None
    ending_detail: str
    steps: int | None
    duration: float | None = Field(description="Seconds of execution.")
    cost: float | None = Field(description="US dollars.")
    prompt_tokens: int | None
    response_tokens: int | None
    scores: list[ScoreOut]
    url: str
    page: str


class HitOut(Schema):
    """Where a landmark matched in one step."""

    step: int
    spans: list[tuple[int, int]] = Field(
        description="Offsets in code points of the observation as the original has it, end exclusive."
    )
    more: int = Field(description="Matches beyond those in `spans`.")


class OutcomeOut(LandmarkOut):
    """The result of a landmark in an attempt; `status` is null where it was not looked for."""

    status: str | None
    first_step: int | None
    hits: list[HitOut]


class FileOut(Schema):
    """A file to download.

    Kind `output` is the whole output of a `step`'s cell; `cut` if the end was not kept.
    """

    kind: str
    step: int | None
    cut: bool
    name: str
    size: int
    sha256: str
    url: str


class AttemptDetail(AttemptOut):
    """An attempt with its landmarks and files. `steps_url` lists its steps."""

    task_set: str
    format: str
    query: str
    answer: str | None = Field(
        description="The submitted answer, encoded as a JSON string; null where there is none."
    )
    warnings: list[ProblemItem] = Field(description="Oddities of the file that did not prevent reading it.")
    landmarks: list[OutcomeOut]
    files: list[FileOut]
    steps_url: str


class StepOut(Schema):
    """One step, with its texts as the viewer shows them: terminal control characters are applied."""

    number: int
    kind: str
    title: str
    duration: float | None
    marks: list[str]
    landmarks: list[int] = Field(description="Numbers of the landmarks that were hit in it.")
    thought: str
    action: str
    observation: str


def find_attempt(caller: Caller, pk: int, *fields: str) -> Attempt:
    """An attempt of an entry that the caller may see; loads only ``fields`` where some are given.

    Raises:
        Refusal: its entry was withdrawn or hidden.
        Http404: there is none, or none that they may see.
    """
    readable = visible_attempts(caller.visitor).filter(pk=pk)
    if fields:
        readable = readable.only(*fields)
    found = readable.select_related("entry__agent", "entry__task_set__benchmark", "task").first()
    if found is None:
        refuse_withdrawn_or_hidden(Entry.objects.filter(attempts__pk=pk))
        raise Http404("There is no such attempt.")
    return found


def refuse_withdrawn_or_hidden(entries: QuerySet[Entry]) -> None:
    found = entries.filter(state__in=WITHDRAWN_OR_HIDDEN).values_list("state", "state_reason").first()
    if found is None:
        return
    state, reason = found
    text = {
        EntryState.WITHDRAWN: "This entry was withdrawn by its owners",
        EntryState.HIDDEN: "This entry was hidden by an operator",
    }[EntryState(state)]
    raise Refusal("gone", f"{text}: {reason}", state=state, reason=reason)


BYTES = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


class FileQuery(Schema):
    """Which file, where an attempt has several of a kind."""

    step: int = Field(0, ge=0, lt=2**31, description="The step, for a file of kind `output`.")


@reads(ATTEMPTS, "/attempts/{int:pk}", response=AttemptDetail)
def attempt(request: ApiRequest, pk: int) -> dict[str, Any]:
    """Read an attempt.

    With the scores of every scorer and the result of each landmark.
    """
    found = find_attempt(request.caller, pk)
    return {
        **attempt_data(found),
        "task_set": f"{found.entry.task_set.benchmark.slug}/{found.entry.task_set.slug}",
        "format": found.format,
        "query": found.query,
        "answer": found.answer or None,
        "warnings": [asdict(problem_from_data(each)) for each in found.warnings],
        "landmarks": _outcomes(found),
        "files": [_file_data(found, file) for file in readable_files(request.caller.visitor, found)],
        "steps_url": reverse("api:steps", args=(found.pk,)),
    }


@reads(ATTEMPTS, "/attempts/{int:pk}/steps", response=Page[StepOut])
def steps(
    request: ApiRequest, pk: int, paging: Query[Paging], response: HttpResponse
) -> dict[str, Any] | HttpResponse:
    """List the steps of an attempt.

    In order, with their texts as the viewer shows them; an observation can be long.
    """
    found = find_attempt(request.caller, pk, "recorded", "entry", "task")
    # Steps change only when an attempt is recorded: a client that has them need not read them again.
    tag = etag_of(pk, found.recorded, paging.limit, paging.cursor)
    if answer := not_modified(request, tag):
        return answer
    rows, following = read_cursor_page(request, paging, found.steps.all(), order=("number",))
    response["ETag"] = tag
    fields = tuple(StepOut.model_fields)
    return {"items": [{name: getattr(row, name) for name in fields} for row in rows], "next": following}


@reads(
    ATTEMPTS,
    "/attempts/{int:pk}/files/{slug:kind}",
    url_name="file",
    openapi_extra={"responses": {200: {"description": "The file.", **BYTES}}},
)
def file(request: ApiRequest, pk: int, kind: str, query: Query[FileQuery]) -> HttpResponseBase:
    """Download a file of an attempt.

    The `original` byte for byte, the `notebook` or `html` page made from it, the `answer` submitted with it,
    or the whole `output` of a `step` that shows only the beginning and end.
    """
    files = readable_files(request.caller.visitor, find_attempt(request.caller, pk, "entry", "task"))
    found = files.filter(kind=kind, step=query.step).first()
    if found is None:
        raise Http404("This attempt has no such file.")
    tag = f'"{found.blob}"'
    if answer := not_modified(request, tag):
        return answer
    response = file_response(found)
    response["ETag"] = tag
    return response


def with_scores(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Attempts with all that `attempt_data` reads. One query more."""
    return attempts.select_related("entry__agent", "task").defer(*LARGE_FIELDS).prefetch_related("scores")


def attempt_data(attempt: Attempt) -> dict[str, Any]:
    """An attempt as an item of a list."""
    agent = attempt.entry.agent
    return {
        "id": attempt.pk,
        "entry": attempt.entry.slug,
        "agent": agent.name,
        "model": agent.model,
        "task_id": attempt.task.task_id,
        "number": attempt.number,
        "has_trajectory": attempt.has_trajectory,
        "ending": attempt.ending if attempt.has_trajectory else None,
        "ending_detail": attempt.ending_detail,
        "steps": attempt.step_count,
        "duration": attempt.duration,
        "cost": attempt.cost,
        "prompt_tokens": attempt.prompt_tokens,
        "response_tokens": attempt.response_tokens,
        "scores": _scores(attempt),
        "url": reverse("api:attempt", args=(attempt.pk,)),
        "page": attempt.get_absolute_url(),
    }


def _scores(attempt: Attempt) -> list[dict[str, Any]]:
    fields = ("scorer", "version", "metric", "value", "reason", "stale")
    scores = sorted(attempt.scores.all(), key=lambda score: (SCORER_ORDER.index(score.scorer), score.metric))
    return [{name: getattr(score, name) for name in fields} for score in scores]


def _outcomes(attempt: Attempt) -> list[dict[str, Any]]:
    known = {outcome.number: outcome for outcome in attempt.landmark_outcomes.all()}
    return [
        {"number": number, "pattern": pattern or None, **_outcome_data(known.get(number))}
        for number, pattern in enumerate(shown_landmarks(attempt.task), start=1)
    ]


def _outcome_data(outcome: LandmarkOutcome | None) -> dict[str, Any]:
    if outcome is None:
        return {"status": None, "first_step": None, "hits": []}
    hits = [{"step": step, "spans": spans, "more": more} for step, spans, more in outcome.hits]
    return {"status": outcome.status, "first_step": outcome.first_step, "hits": hits}


def _file_data(attempt: Attempt, file: AttemptFile) -> dict[str, Any]:
    query = f"?step={file.step}" if file.step else ""
    return {
        "kind": file.kind,
        "step": file.step or None,
        "cut": file.cut,
        "name": file.name,
        "size": file.size,
        "sha256": file.blob,
        "url": reverse("api:file", args=(attempt.pk, file.kind)) + query,
    }
