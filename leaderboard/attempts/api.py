"""Attempts: their scores, landmarks, steps and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from django.db.models import QuerySet, prefetch_related_objects
from django.http import Http404, HttpResponse, HttpResponseBase
from django.urls import reverse
from ninja import Field, Query, Schema

from leaderboard.attempts.comparison import align_attempts, why_not_comparable
from leaderboard.attempts.downloads import (
    FILLED,
    download_facts,
    download_name,
    download_response,
    download_tag,
)
from leaderboard.attempts.selectors import landmark_results, shown_diagnosis
from leaderboard.attempts.withheld import shown_scores, with_outcomes
from leaderboard.catalogue.api import LandmarkOut
from leaderboard.core.endpoints.caching import etag_of, not_modified
from leaderboard.core.endpoints.callers import ApiRequest, Caller
from leaderboard.core.endpoints.paging import Page, Paging, read_cursor_page
from leaderboard.core.endpoints.problems import Refusal
from leaderboard.core.endpoints.routers import ATTEMPTS, reads
from leaderboard.core.endpoints.schemas import EMPTY_AS_NULL, ProblemItem, link_to
from leaderboard.core.figures import scorers_of
from leaderboard.core.permissions import readable_files, sees_as_draft, visible_attempts, withheld_files
from leaderboard.diagnosis import Confidence, Finding, from_data
from leaderboard.domain.alignment import Relation
from leaderboard.domain.entries import WITHDRAWN_OR_HIDDEN, EntryState, Evidence
from leaderboard.domain.errors import Problem, problem_from_data
from leaderboard.models import Attempt, AttemptFile, Entry, LandmarkOutcome, Score
from leaderboard.scoring.usage import amounts_used


class ScoreOut(Schema):
    """One metric of one attempt by one scorer; the scorer `reported` holds the submitter's own figures.

    In a draft, what tells of the gold answer has no value: it is shown once the entry is published.
    """

    scorer: str
    version: str
    metric: str
    value: float | None
    reason: str
    stale: bool


class AttemptOut(Schema):
    """One try at one task."""

    id: int
    entry: str = Field(validation_alias="entry.slug")
    agent: str = Field(validation_alias="entry.agent.name")
    model: str = Field(validation_alias="entry.agent.model")
    task_id: str = Field(validation_alias="task.task_id")
    number: int
    has_trajectory: bool
    evidence: Evidence = Field(
        validation_alias="entry.evidence", description="What supports the scores of its entry."
    )
    ending: str | None
    ending_detail: str = Field(
        validation_alias="ending_words",
        description="The file's own term for the ending, if it says more than `ending`.",
    )
    used: dict[str, float | None] = Field(
        description="What it used, by the metric's key and in its unit; null where its file does not say."
    )
    scores: list[ScoreOut]
    url: Annotated[str, link_to("attempt")] = Field(validation_alias="pk")
    page: str = Field(validation_alias="get_absolute_url")

    @staticmethod
    def resolve_ending(attempt: Attempt) -> str | None:
        return attempt.ending if attempt.has_trajectory else None

    @staticmethod
    def resolve_used(attempt: Attempt) -> dict[str, float | None]:
        used = amounts_used(attempt, attempt.task.scoring.usage)
        return {each.metric.key: each.value for each in used}

    @staticmethod
    def resolve_scores(attempt: Attempt, context: dict[str, Any]) -> list[Score]:
        scores = shown_scores(attempt, draft=_as_draft(attempt, context))
        scorers = scorers_of(attempt.task.scoring)
        return sorted(scores, key=lambda score: (scorers.index(score.scorer), score.metric))


class HitOut(Schema):
    """Where a landmark matched in one step."""

    step: int
    spans: list[tuple[int, int]] = Field(
        description="Offsets in code points of the observation as the original has it, end exclusive."
    )
    more: int = Field(description="Matches beyond those in `spans`.")


class OutcomeOut(LandmarkOut):
    """The result of a landmark in an attempt; `status` is null where it was not looked for.

    In a draft it is `withheld` where the pattern reveals the gold answer.
    """

    status: str | None
    first_step: int | None
    hits: list[HitOut]


class FileOut(Schema):
    """A file to download.

    Kind `output` is the whole output of a `step`'s cell; `cut` if the end was not kept. Kind `media` is an
    output that is no text, such as an image: the `number`-th of its `step`.
    """

    kind: str
    step: Annotated[int | None, EMPTY_AS_NULL]
    number: Annotated[int | None, EMPTY_AS_NULL]
    cut: bool
    name: str
    size: int = Field(description="Bytes; of a `notebook` or `html` page without what is filled in later.")
    sha256: str | None = Field(
        description="Of its content; null for a `notebook` or `html` page, into which the site fills scores "
        "and address whenever it is downloaded."
    )
    url: str

    @staticmethod
    def resolve_name(file: AttemptFile) -> str:
        return download_name(file)

    @staticmethod
    def resolve_sha256(file: AttemptFile) -> str | None:
        return None if file.kind in FILLED else file.blob

    @staticmethod
    def resolve_url(file: AttemptFile) -> str:
        query = f"?step={file.step}" if file.step else ""
        query += f"&number={file.number}" if file.number else ""
        return reverse("api:file", args=(file.attempt_id, file.kind)) + query


class FindingOut(Schema):
    """One thing that is said about an attempt, with the steps and the line that show it."""

    kind: str = Field(
        description="Its class, such as `missing-module`; see the documentation of the diagnosis."
    )
    sentence: str
    first_step: int | None
    last_step: int | None
    evidence: str = Field(description="A line of an output or action, shortened; empty where there is none.")
    evidence_step: int | None
    confidence: Confidence


class RewardOut(Schema):
    """A score that the tool which wrote an attempt's file gave, as text."""

    name: str
    value: str


class AttemptDetail(AttemptOut):
    """An attempt with its landmarks and files. `steps_url` lists its steps."""

    task_set: str = Field(validation_alias="task.task_set.key")
    format: str
    query: str
    answer: Annotated[str | None, EMPTY_AS_NULL] = Field(
        description="The submitted answer, encoded as a JSON string; null where there is none."
    )
    named_agent: str = Field(validation_alias="agent", description="The scaffold as its file names it.")
    named_model: str = Field(validation_alias="model", description="The model as its file names it.")
    cached_tokens: int | None = Field(description="Those of the prompt tokens that came from a cache.")
    reasoning_tokens: int | None = Field(description="Those of the response tokens that were reasoning.")
    rewards: list[RewardOut] = Field(
        description="What the tool that wrote its file scored; never a score of this site."
    )
    patch: str = Field(description="The diff of what the agent changed, where its file keeps one.")
    warnings: list[ProblemItem] = Field(description="Oddities of the file that did not prevent reading it.")
    landmarks: list[OutcomeOut]
    findings: list[FindingOut] = Field(
        description="Why it failed, most important first; empty where that can't be told or it is solved."
    )
    facts: list[FindingOut] = Field(
        description="What happened in it, such as the longest repetition and where its numbers are from."
    )
    diagnosis_version: str = Field(
        description="Of the rules that made findings and facts; empty without any."
    )
    files: list[FileOut]
    withheld: list[str] = Field(
        description="The kinds of files that only its team and operators can download, because something in "
        "them looks like a secret."
    )
    steps_url: Annotated[str, link_to("steps")] = Field(validation_alias="pk")

    @staticmethod
    def resolve_rewards(attempt: Attempt) -> list[dict[str, str]]:
        return [{"name": name, "value": value} for name, value in attempt.rewards]

    @staticmethod
    def resolve_warnings(attempt: Attempt) -> list[Problem]:
        return [problem_from_data(each) for each in attempt.warnings]

    @staticmethod
    def resolve_landmarks(attempt: Attempt, context: dict[str, Any]) -> list[dict[str, Any]]:
        draft = _as_draft(attempt, context)
        return [
            {"number": number, "pattern": pattern or None, **_outcome_data(outcome)}
            for outcome, number, pattern in landmark_results(attempt, draft=draft)
        ]

    @staticmethod
    def resolve_findings(attempt: Attempt, context: dict[str, Any]) -> Sequence[Finding]:
        return shown_diagnosis(attempt, shown_scores(attempt, draft=_as_draft(attempt, context))).findings

    @staticmethod
    def resolve_facts(attempt: Attempt) -> Sequence[Finding]:
        return from_data(attempt.diagnosis).facts

    @staticmethod
    def resolve_files(attempt: Attempt, context: dict[str, Any]) -> list[AttemptFile]:
        files = list(readable_files(context["request"].caller.visitor, attempt))
        for file in files:
            file.attempt = attempt
        return files

    @staticmethod
    def resolve_withheld(attempt: Attempt, context: dict[str, Any]) -> list[str]:
        files = withheld_files(context["request"].caller.visitor, attempt)
        return sorted(set(files.values_list("kind", flat=True)))


class ShownOut(Schema):
    """How much of an observation the model was shown: `part` of `of` characters or bytes."""

    part: int
    of: int
    where: str = Field(description="Which part, in words; empty where the file does not tell.")
    unit: str


class StepOut(Schema):
    """One step, with its texts as the viewer shows them: terminal control characters are applied."""

    number: int
    kind: str
    title: str
    duration: float | None
    marks: list[str] = Field(
        description="Of `error`, `refused` (an edit that was not made; it is an `error`, too), `no-match` (a "
        "search that found nothing), `timeout`, `format-error`, `submit`, `pre-executed`, `repeated` (as the "
        "step before it, with the same result)."
    )
    landmarks: list[int] = Field(description="Numbers of the landmarks that were hit in it.")
    prompt_tokens: int | None = Field(
        description="Of the model's turn; a turn of several steps has its tokens and cost on the first."
    )
    response_tokens: int | None
    cached_tokens: int | None = Field(description="Those of `prompt_tokens` that came from a cache.")
    reasoning_tokens: int | None = Field(description="Those of `response_tokens` that were reasoning.")
    cost: float | None = Field(description="US dollars.")
    agent: str = Field(description="The sub-agent whose step it is; empty for the attempt's own agent.")
    shown: ShownOut | None = Field(
        description="What the model was shown of the observation; null where that was all, or is unknown."
    )
    thought: str
    action: str
    observation: str


class AlignedRow(Schema):
    """A step of the attempt beside a step of the other one, by number; null where nothing corresponds."""

    step: int | None
    other: int | None
    relation: Relation | None = Field(
        description="`same`: equal actions; `landmark`: both are the first to hit one; `similar`: many words "
        "of their actions are equal."
    )


class AlignmentOut(Schema):
    """Two attempts at one task, aligned: `rows` have every step of both, in order."""

    attempt: int
    other: int
    common: int = Field(description="So many steps from the first have the same action in both.")
    rows: list[AlignedRow]
    page: str


class AlignmentQuery(Schema):
    """Which attempt to compare with."""

    vs: int = Field(ge=1, lt=2**63, description="Another attempt at the same task.")


def find_attempt(caller: Caller, pk: int, *fields: str) -> Attempt:
    """An attempt of an entry that the caller may see; loads only ``fields`` where some are given.

    Raises:
        Refusal: its entry was withdrawn or hidden.
        Http404: there is none, or none that they may see.
    """
    readable = visible_attempts(caller.visitor).filter(pk=pk)
    if fields:
        readable = readable.only(*fields)
    found = readable.select_related("entry__agent", "task__task_set__benchmark").first()
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

    step: int = Field(0, ge=0, lt=2**31, description="The step, for a file of kind `output` or `media`.")
    number: int = Field(0, ge=0, lt=2**31, description="Which of the step's, for a file of kind `media`.")


@reads(ATTEMPTS, "/attempts/{int:pk}", response=AttemptDetail)
def attempt(request: ApiRequest, pk: int) -> Attempt:
    """Read an attempt.

    With the scores of every scorer and the result of each landmark.
    """
    found = find_attempt(request.caller, pk)
    # The scores are shown, and decide which findings are.
    prefetch_related_objects([found], "scores")
    return found


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
    return {"items": rows, "next": following}


@reads(ATTEMPTS, "/attempts/{int:pk}/alignment", response=AlignmentOut)
def alignment(request: ApiRequest, pk: int, query: Query[AlignmentQuery]) -> dict[str, Any]:
    """Align an attempt with another one.

    Says which steps of two attempts at one task correspond, and where they part.
    """
    one, other = (
        find_attempt(request.caller, key, "entry", "task", "has_trajectory") for key in (pk, query.vs)
    )
    if why_not := why_not_comparable(one, other):
        raise Refusal("unusable", why_not)
    found = align_attempts(one, other)
    # Steps are numbered from 1 without gaps.
    rows = [
        {
            "step": None if row.one is None else row.one + 1,
            "other": None if row.other is None else row.other + 1,
            "relation": row.relation,
        }
        for row in found.rows
    ]
    page = f"{one.get_absolute_url()}?vs={other.pk}"
    return {"attempt": pk, "other": other.pk, "common": found.common, "rows": rows, "page": page}


@reads(
    ATTEMPTS,
    "/attempts/{int:pk}/files/{slug:kind}",
    url_name="file",
    openapi_extra={"responses": {200: {"description": "The file.", **BYTES}}},
)
def file(request: ApiRequest, pk: int, kind: str, query: Query[FileQuery]) -> HttpResponseBase:
    """Download a file of an attempt.

    The `original` byte for byte, the `notebook` or `html` page made from it, the `answer` submitted with it,
    the whole `output` of a `step` that shows only the beginning and end, or its output of kind `media`.
    """
    attempt = find_attempt(request.caller, pk, "entry", "task", "number", "ending")
    wanted = {"kind": kind, "step": query.step, "number": query.number}
    found = readable_files(request.caller.visitor, attempt).filter(**wanted).first()
    if found is None and withheld_files(request.caller.visitor, attempt).filter(**wanted).exists():
        raise Http404(
            f"The {kind} is withheld from all but its team, as something in it looks like a secret."
        )
    if found is None:
        raise Http404("This attempt has no such file.")
    found.attempt = attempt
    facts = download_facts(found, draft=sees_as_draft(request.caller.visitor, attempt.entry))
    tag = download_tag(found, facts)
    if answer := not_modified(request, tag):
        return answer
    response = download_response(found, facts)
    response["ETag"] = tag
    return response


def with_scores(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Attempts with all that `AttemptOut` reads. Two queries more."""
    return with_outcomes(attempts).select_related("entry__agent")


def _as_draft(attempt: Attempt, context: dict[str, Any]) -> bool:
    return sees_as_draft(context["request"].caller.visitor, attempt.entry)


def _outcome_data(outcome: LandmarkOutcome | None) -> dict[str, Any]:
    if outcome is None:
        return {"status": None, "first_step": None, "hits": []}
    hits = [{"step": step, "spans": spans, "more": more} for step, spans, more in outcome.hits]
    return {"status": outcome.status, "first_step": outcome.first_step, "hits": hits}
