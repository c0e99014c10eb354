"""What an owner should know before a draft is published: what is missing, and where it would rank."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, Sum

from leaderboard.domain.scores import Metric
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Entry, Figure, UploadedFile
from leaderboard.selectors.entries import secrets_said
from leaderboard.selectors.versions import line_before, on_board
from leaderboard.services.figures import BOARD


@dataclass(frozen=True, slots=True)
class Acknowledgements:
    """What somebody who publishes a draft has to say yes to: numbers of refused files, and of secrets."""

    refused: int
    secrets: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry on the board, and its value there."""

    entry: Entry
    value: float


@dataclass(frozen=True, slots=True)
class MetricPreview:
    """One metric of a draft as the board would have it.

    Attributes:
        metric: which.
        figure: the draft's own; None where it has none.
        rank: from 1, equals share one; None without a value.
        of: how many entries would have a value, this one included.
        above: the nearest that is better, the first in the board's order among equals; None at the top.
        below: the nearest that is worse.
        equal: how many others have the same value.
    """

    metric: Metric
    figure: Figure | None
    rank: int | None
    of: int
    above: Neighbour | None
    below: Neighbour | None
    equal: int


@dataclass(frozen=True, slots=True)
class RankPreview:
    """Where a draft would stand. ``replaces`` is the version that would leave the board for it."""

    task_set_total: int
    attempted: int
    replaces: Entry | None
    metrics: list[MetricPreview]

    @property
    def leading(self) -> MetricPreview:
        """The metric that a board ranks by."""
        return self.metrics[0]


def acknowledgements(draft: Entry) -> Acknowledgements:
    """What of a draft needs a word before it is published. Three queries."""
    secrets = (draft.attempts.aggregate(n=Sum("secrets"))["n"] or 0) + secrets_said(draft)
    # One that was refused as a whole has changed nothing of the draft.
    upload = draft.uploads.exclude(state=UploadState.REFUSED).order_by("-created").first()
    refused = upload.files.filter(verdict=UploadedFile.Verdict.REFUSED).count() if upload else 0
    return Acknowledgements(refused, secrets)


def rank_preview(entry: Entry) -> RankPreview:
    """Where a draft would rank if it were published now, metric by metric. About twenty queries."""
    replaces = on_board(line_before(entry))
    mine = {figure.metric: figure for figure in entry.figures.filter(scorer=BOARD, category="")}
    return RankPreview(
        task_set_total=entry.task_set.tasks.count(),
        attempted=entry.attempted,
        replaces=replaces,
        metrics=[_metric_preview(entry, metric, mine.get(metric), replaces) for metric in Metric],
    )


def _metric_preview(
    entry: Entry, metric: Metric, figure: Figure | None, replaces: Entry | None
) -> MetricPreview:
    others = Figure.objects.filter(
        task_set=entry.task_set_id, scorer=BOARD, metric=metric, category="", value__isnull=False
    ).exclude(Q(entry=entry) | Q(entry=replaces))
    if figure is None or figure.value is None:
        return MetricPreview(metric, figure, None, others.count(), None, None, 0)
    better, worse = others.filter(value__gt=figure.value), others.filter(value__lt=figure.value)
    above = better.select_related("entry__agent").order_by("value", "entry").first()
    below = worse.select_related("entry__agent").order_by("-value", "entry").first()
    total, ahead = others.count(), better.count()
    return MetricPreview(
        metric,
        figure,
        rank=ahead + 1,
        of=total + 1,
        above=_neighbour(above),
        below=_neighbour(below),
        equal=total - ahead - worse.count(),
    )


def _neighbour(figure: Figure | None) -> Neighbour | None:
    return Neighbour(figure.entry, figure.value) if figure and figure.value is not None else None
