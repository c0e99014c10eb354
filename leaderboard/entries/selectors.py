"""An entry's figures, versions, differences between versions, and where a draft would rank."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, count
from typing import Any

from django.db.models import Count, Q, Sum

from leaderboard.attempts.selectors import counting_scores, with_counting_scores
from leaderboard.attempts.withheld import shown_figures
from leaderboard.catalogue.selectors import set_categories
from leaderboard.core.figures import Cell, scorers_of
from leaderboard.domain.entries import EntryState, Evidence, Provenance
from leaderboard.domain.jobs import JobState
from leaderboard.domain.links import is_web_address
from leaderboard.domain.scores import BOARD, REPORTED
from leaderboard.domain.secrets import find_secrets, mask
from leaderboard.domain.uploads import UploadState
from leaderboard.domain.withheld import DECIMALS
from leaderboard.models import (
    Attempt,
    AttemptSuspicions,
    Category,
    Entry,
    Figure,
    Job,
    Task,
    TaskSet,
    UploadedFile,
)
from leaderboard.scoring.contract import Metric
from leaderboard.scoring.values import value_text


@dataclass(frozen=True, slots=True)
class EntryFigures:
    """Figures: ``by_scorer`` has a row for each metric, ``by_category`` one for each category.

    ``metrics`` are the columns of the latter.
    """

    metrics: list[Metric]
    by_scorer: list[tuple[Metric, list[Cell]]]
    by_category: list[tuple[Category, list[Cell]]]


class Badge(StrEnum):
    """Where an entry's scores come from, and what supports them."""

    TRAJECTORIES = "trajectories"
    ACCEPTED = "accepted"
    SELF_REPORTED = "self-reported"
    REPORTED = "reported"
    COMPUTED = "computed"
    RUN_HERE = "run-here"


def badges(entry: Entry, figures: EntryFigures) -> list[Badge]:
    """The badges of an entry with its ``figures``. No query."""
    shown = (cell.row for _, cells in figures.by_scorer for cell in cells)
    scorers = {figure.scorer for figure in shown if isinstance(figure, Figure) and figure.scored}
    earned = {
        Badge.TRAJECTORIES: entry.evidence == Evidence.TRAJECTORIES,
        Badge.ACCEPTED: entry.accepted is not None,
        Badge.SELF_REPORTED: entry.evidence == Evidence.SELF_REPORTED,
        Badge.REPORTED: REPORTED in scorers,
        Badge.COMPUTED: bool(scorers - {REPORTED}),
        Badge.RUN_HERE: entry.provenance == Provenance.RUN_HERE,
    }
    return [badge for badge, has_it in earned.items() if has_it]


DATES = ("evaluated", "released", "published", "imported")


def entry_dates(entry: Entry) -> dict[str, str | None]:
    """The days of `DATES`: the attempts' and the agent's as said, and when it came onto its board."""
    published, imported = entry.published_on, entry.imported_on
    days = (entry.evaluated, entry.released, published and published.date(), imported and imported.date())
    return {name: day.isoformat() if day else None for name, day in zip(DATES, days, strict=True)}


def shown_links(entry: Entry) -> list[dict[str, str]]:
    """An entry's http and https links, each with a label; what looks like a secret is masked in both."""
    return [
        {"url": mask(link["url"]), "label": mask(link.get("label") or link["url"])}
        for link in entry.links
        if is_web_address(link["url"])
    ]


def shown_code(entry: Entry) -> str:
    """The address of an entry's code, masked like `shown_links`."""
    return mask(entry.code)


def shown_notes(entry: Entry) -> str:
    """An entry's notes as pages show them: what looks like a secret is masked."""
    return mask(entry.notes)


def entry_figures(entry: Entry, categories: list[Category], *, draft: bool) -> EntryFigures:
    """The figures of an entry, as `attempts.withheld` shows them."""
    figures = {(f.scorer, f.metric, f.category): f for f in shown_figures(entry, draft=draft)}
    scoring = entry.task_set.scoring
    return EntryFigures(
        metrics=list(scoring.results),
        by_scorer=[
            (
                metric,
                [Cell(metric, figures.get((scorer, metric.key, ""))) for scorer in scorers_of(scoring)],
            )
            for metric in scoring.results
        ],
        by_category=[
            (
                category,
                [Cell(metric, figures.get((BOARD, metric.key, category.slug))) for metric in scoring.results],
            )
            for category in categories
        ],
    )


def version_history(entry: Entry) -> list[Entry]:
    """Every version of an entry that was ever published, the oldest first. Two queries at any length.

    A draft is not part of a history yet; `history_to_continue` returns the one that it would continue.
    """
    links = dict(
        Entry.objects.filter(task_set=entry.task_set_id, previous__isnull=False)
        .order_by()
        .values_list("pk", "previous_id")
    )
    followers = {previous: pk for pk, previous in links.items()}
    keys = [entry.pk]
    while keys[0] in links:
        keys.insert(0, links[keys[0]])
    while keys[-1] in followers:
        keys.append(followers[keys[-1]])
    found = Entry.objects.select_related("agent", "task_set", "team", "accepted_by").in_bulk(keys)
    versions = (found[key] for key in keys)
    return [version for version in versions if not version.is_draft]


def history_to_continue(draft: Entry) -> list[Entry]:
    """The version history that publishing a draft would continue, the oldest first; empty for a new entry.

    It is that of the entry that its upload names, or else that its team has published under the same name,
    or one that looks like it. Five queries at most.
    """
    if draft.team_id is None:
        return []
    own = Entry.objects.filter(team=draft.team_id, task_set=draft.task_set_id).exclude(pk=draft.pk)
    named = own.exclude(state=EntryState.DRAFT).filter(successors__entry=draft)
    found = named.order_by("-successors__created").first()
    if found is None:
        named_alike = own.filter(agent__key=draft.agent.key, state=EntryState.PUBLISHED)
        found = max(named_alike, key=lambda each: each.agent_id == draft.agent_id, default=None)
    return version_history(found) if found else []


def published_version(history: list[Entry]) -> Entry | None:
    """The version of a history that a board shows, if any."""
    return next((version for version in reversed(history) if version.is_published), None)


Values = dict[tuple[int | str, str], float | None]
"""Figures by task key or category, and metric; None without a score."""


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after; None where it is missing."""

    metric: Metric
    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def is_better(self) -> bool | None:
        """Whether the later one is the better one; None where that can't be said."""
        if not self.difference:
            return None
        return (self.difference > 0) == self.metric.more_is_better

    @property
    def texts(self) -> tuple[str, str]:
        """Both as pages show them, in a sentence."""
        before, after = (value_text(value, self.metric.unit) for value in (self.before, self.after))
        return before or "none", after or "none"


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """A task that either version attempted, with a change for each metric that an attempt has a score in."""

    task: Task
    changes: list[Change]

    @property
    def changed(self) -> bool:
        return any(change.changed for change in self.changes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an entry differs from an earlier version.

    ``metrics`` are the columns of ``totals``, ``scored`` those of ``tasks``. ``totals`` has an overall row
    (None) and one for each category; a task without an attempt counts as failed in them where
    the metric has a worst value. ``sources_differ`` lists the metrics whose figures come from different
    scorers.
    """

    metrics: list[Metric]
    scored: list[Metric]
    totals: list[tuple[Category | None, list[Change]]]
    tasks: list[TaskChanges]
    sources_differ: list[Metric]

    @property
    def changed_tasks(self) -> list[TaskChanges]:
        return [task for task in self.tasks if task.changed]


def previous_version(entry: Entry) -> Entry | None:
    """The version before an entry, in any state; for a draft, the one that it would follow."""
    if entry.is_draft:
        earlier = history_to_continue(entry)
    else:
        history = version_history(entry)
        earlier = history[: history.index(entry)]
    return earlier[-1] if earlier else None


def overall_changes(before: Entry, after: Entry, *, draft: bool) -> list[Change]:
    """The overall figures of an entry and of the one that is to replace it, one for each metric.

    ``draft`` says whether ``after`` is shown as a draft.
    """
    before_by, after_by = (
        {
            each.metric: each.value
            for each in shown_figures(entry, draft=as_draft)
            if each.scorer == BOARD and not each.category
        }
        for entry, as_draft in ((before, False), (after, draft))
    )
    metrics = after.task_set.scoring.results
    return [Change(metric, before_by.get(metric.key), after_by.get(metric.key)) for metric in metrics]


def compare_versions(entry: Entry, before: Entry, *, draft: bool) -> Comparison:
    """Compare the figures that a board shows for ``entry`` and for ``before``. Twenty queries at any size.

    ``draft`` says whether ``entry`` is shown as a draft.
    """
    versions = ((before, False), (entry, draft))
    figures = [
        [figure for figure in shown_figures(version, draft=as_draft) if figure.scorer == BOARD]
        for version, as_draft in versions
    ]
    by_category: list[Values] = [
        {(figure.category, figure.metric): figure.value for figure in found} for found in figures
    ]
    sources: list[dict[str, str]] = [
        {figure.metric: figure.source for figure in found if not figure.category} for found in figures
    ]
    means = [_means(version, draft=as_draft) for version, as_draft in versions]
    categories: list[Category | None] = [None, *set_categories(entry.task_set)]
    attempted = Attempt.objects.filter(entry__in=(before, entry)).values("task")
    tasks = Task.objects.filter(pk__in=attempted).only("task_id", "title", "task_set").order_by("task_id")
    scoring = entry.task_set.scoring
    return Comparison(
        metrics=list(scoring.results),
        scored=list(scoring.scored),
        totals=[
            (category, _changes(scoring.results, by_category, category.slug if category else ""))
            for category in categories
        ],
        tasks=[TaskChanges(task, _changes(scoring.scored, means, task.pk)) for task in tasks],
        sources_differ=[
            metric
            for metric in scoring.results
            if len({source[metric.key] for source in sources if metric.key in source}) > 1
        ],
    )


def _changes(metrics: Iterable[Metric], versions: list[Values], key: int | str) -> list[Change]:
    return [Change(each, *(values.get((key, each.key)) for values in versions)) for each in metrics]


def _means(entry: Entry, *, draft: bool) -> Values:
    """The mean of each task's attempts, of the scores that count."""
    values: dict[tuple[int, str], list[float]] = defaultdict(list)
    for attempt in with_counting_scores(entry.attempts.all(), draft=draft):
        attempt.task.task_set = entry.task_set
        for metric, score in counting_scores(attempt, draft=draft).items():
            if score.value is not None:
                values[attempt.task_id, metric].append(score.value)
    return {key: math.fsum(found) / len(found) for key, found in values.items()}


@dataclass(frozen=True, slots=True)
class Acknowledgements:
    """What the publisher of a draft has to confirm: the numbers of refused files and of possible secrets."""

    refused: int
    secrets: int


@dataclass(frozen=True, slots=True)
class MetricPreview:
    """A draft's rank by one metric.

    Attributes:
        rank: from 1; equal values share a rank; None without a value, or without evidence.
        of: how many entries would have a rank, including this one.
        above: of the next better entry, the first in the board's order among equals; None at the top.
        below: of the next worse entry; None at the bottom.
        equal: how many other entries have the same value.
    """

    metric: Metric
    figure: Figure | None
    rank: int | None
    of: int
    above: Figure | None
    below: Figure | None
    equal: int

    @property
    def cell(self) -> Cell:
        return Cell(self.metric, self.figure)


@dataclass(frozen=True, slots=True)
class RankPreview:
    """A draft's ranks if it were published.

    ``replaces`` is the version that would leave the board, and ``changes`` are its overall figures beside the
    draft's.
    """

    entry: Entry
    task_set_total: int
    attempted: int
    replaces: Entry | None
    changes: list[Change]
    leading: MetricPreview
    metrics: list[MetricPreview]


def acknowledgements(draft: Entry) -> Acknowledgements:
    """What has to be confirmed before a draft is published. Three queries."""
    in_attempts = draft.attempts.aggregate(n=Sum("secrets"))["n"] or 0
    agent = draft.agent
    texts = [draft.notes, draft.agent_url, draft.code, agent.name, agent.model]
    texts += [link.get(part, "") for link in draft.links for part in ("label", "url")]
    secrets = in_attempts + sum(len(find_secrets(text)) for text in texts)
    # An upload that was refused as a whole has changed nothing in the draft.
    upload = draft.uploads.exclude(state=UploadState.REFUSED).order_by("-created").first()
    refused = upload.files.filter(verdict=UploadedFile.Verdict.REFUSED).count() if upload else 0
    return Acknowledgements(refused, secrets)


HALF_A_DIGIT = 0.5 * 10**-DECIMALS
"""What rounding can change a draft's figure by."""


def rank_preview(entry: Entry, *, draft: bool) -> RankPreview:
    """A draft's rank by each metric if it were published now. About twenty queries.

    ``draft`` says whether it is shown as a draft: its ranks are then those of the rounded figures.
    """
    replaces = published_version(history_to_continue(entry))
    scoring = entry.task_set.scoring
    mine = {
        figure.metric: figure
        for figure in shown_figures(entry, draft=draft)
        if figure.scorer == BOARD and not figure.category
    }
    previews = {
        metric.key: _metric_preview(entry, metric, mine.get(metric.key), replaces, draft=draft)
        for metric in scoring.results
    }
    return RankPreview(
        entry=entry,
        task_set_total=entry.task_set.tasks.count(),
        attempted=entry.attempted,
        replaces=replaces,
        changes=overall_changes(replaces, entry, draft=draft) if replaces else [],
        leading=previews[scoring.ranked_by],
        metrics=list(previews.values()),
    )


def _metric_preview(
    entry: Entry, metric: Metric, figure: Figure | None, replaces: Entry | None, *, draft: bool
) -> MetricPreview:
    others = Figure.objects.filter(
        task_set=entry.task_set_id,
        scorer=BOARD,
        metric=metric.key,
        category="",
        ranked=True,
        value__isnull=False,
    ).exclude(Q(entry=entry) | Q(entry=replaces))
    if figure is None or figure.value is None or not figure.ranked:
        return MetricPreview(metric, figure, None, others.count(), None, None, 0)
    # A rounded figure shares its rank with those that it may be.
    within = HALF_A_DIGIT if draft and figure.source != REPORTED else 0
    more = others.filter(value__gt=figure.value + within).order_by("value", "entry")
    less = others.filter(value__lt=figure.value - within).order_by("-value", "entry")
    better, worse = (more, less) if metric.more_is_better else (less, more)
    total, ahead = others.count(), better.count()
    return MetricPreview(
        metric,
        figure,
        rank=ahead + 1,
        of=total + 1,
        above=better.select_related("entry__agent").first(),
        below=worse.select_related("entry__agent").first(),
        equal=total - ahead - worse.count(),
    )


STATES_KEEPING_NAME = (EntryState.PUBLISHED, EntryState.HIDDEN)
"""A hidden entry keeps its name: otherwise its owners could upload and publish it again."""
NAME_LENGTH = 100
"""Characters of an agent's name, and of its model's, as in their columns."""
_RUN_HERE = re.compile(r" \(run here(?: \d+)?\)$")


def run_environment(entry: Entry) -> list[tuple[str, Any]]:
    """The settings and environment of an entry's run, from its last finished job; empty without one.

    One query.
    """
    job = Job.objects.filter(run__entry=entry, attempt__isnull=False).select_related("run").last()
    if job is None:
        return []
    record = {"agent": job.run.agent, **job.run.agent_settings, **job.environment}
    return [(name, value) for name, value in record.items() if value not in (None, "", {})]


def unfinished_jobs(entry: Entry) -> tuple[int, int]:
    """How many jobs of an entry's run failed with an infrastructure error or were cancelled. One query."""
    jobs = Job.objects.filter(run__entry=entry).order_by()
    counts = jobs.aggregate(
        failed=Count("pk", filter=Q(state=JobState.FAILED)),
        cancelled=Count("pk", filter=Q(state=JobState.CANCELLED)),
    )
    return counts["failed"], counts["cancelled"]


def suspected_attempts(entry: Entry) -> int:
    """How many of an entry's attempts are suspected and have no verdict; for operators alone. One query."""
    suspicions = AttemptSuspicions.objects.filter(attempt__entry=entry)
    return suspicions.filter(verdict=AttemptSuspicions.Verdict.OPEN).count()


def free_model_name(task_set: TaskSet, scaffold: str, model: str) -> str:
    """A model name for a new run with which ``scaffold`` has no entry on the set, and no other run.

    It is ``model``, or the first free of “model (run here)”, “model (run here 2)”, … An empty one stays
    empty. One query.
    """
    # Not the drafts of teams: a run's name is public, and would betray them.
    known = Q(state__in=STATES_KEEPING_NAME) | Q(run__isnull=False)
    entries = Entry.objects.filter(known, task_set=task_set, agent__name=scaffold)
    taken = set(entries.values_list("agent__model", flat=True))
    if not model or model not in taken:
        return model
    name = _RUN_HERE.sub("", model)
    suffixes = chain([" (run here)"], (f" (run here {n})" for n in count(2)))
    tried = (name[: NAME_LENGTH - len(suffix)] + suffix for suffix in suffixes)
    return next(each for each in tried if each not in taken)
