"""A board as it stood on a day: which entries were on it, and which of them had a rank.

An entry's states are not stored for each day, but when it first came onto its board, and since when it has
its state. What was withdrawn or hidden since is left out: nobody may read it now. An entry that was hidden
for a while and is shown again counts as shown all the time. Figures are those of today's scoring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Exists, F, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.core.figures import figure_evidence
from leaderboard.domain.entries import OPEN, RANKED, EntryState, Evidence
from leaderboard.domain.scores import REPORTED
from leaderboard.models import Entry, TaskSet
from leaderboard.scoring.contract import Metric

MOST_STEPS = 3
"""Later versions of an entry that are looked at: the one after it, and more if that one was withdrawn."""
MOMENTS = ("published", "accepted", "state_since")
"""The fields of an entry that say when a board changed."""
TOLD = (*MOMENTS, "agent__name", "agent__model", "slug", "state", "evidence", "version")
"""The fields of an entry that a history is told from."""
MOST_EVENTS = 10
"""Changes of one day that are told one by one."""


def today() -> date:
    """The day in UTC."""
    return timezone.now().astimezone(UTC).date()


def start_of(day: date) -> datetime:
    """The first moment, in UTC, of ``day``."""
    return datetime.combine(day, time(), tzinfo=UTC)


def end_of(day: date) -> datetime:
    """The first moment, in UTC, that is no more of ``day``."""
    return start_of(day + timedelta(days=1))


def stood_on_board(day: date) -> Q:
    """Whether an entry was on its board at the end of ``day``, as a condition on entries."""
    end = end_of(day)
    on_since = Q(state=EntryState.PUBLISHED) & (Q(state_since=None) | Q(state_since__lt=end))
    # Its state is newer than the day: it was on the board unless a later version was.
    unless_replaced = Q(state__in=OPEN, state_since__gte=end)
    for steps in range(1, MOST_STEPS + 1):
        link = "__".join(["previous"] * steps)
        later = Entry.objects.filter(**{link: OuterRef("pk")}, published__lt=end)
        unless_replaced &= ~Q(Exists(later.exclude(state=EntryState.WITHDRAWN, state_since__lt=end)))
    return Q(published__lt=end) & (on_since | unless_replaced)


def had_rank(scorer: str, day: date | None) -> Q:
    """Whether an entry's evidence was enough for a rank at the end of ``day``, as a condition on entries.

    It is `core.figures.figure_evidence` in `domain.entries.RANKED`, now if ``day`` is None.
    """
    accepted = Q(accepted__lt=end_of(day)) if day else Q(accepted__isnull=False)
    if scorer == REPORTED:
        return accepted
    by_trajectories = Q(evidence=Evidence.TRAJECTORIES)
    return by_trajectories | (Q(evidence=Evidence.ACCEPTED) & accepted) if day else Q(evidence__in=RANKED)


def as_it_was(entry: Entry, day: date) -> Entry:
    """The entry, not to be saved, without an acceptance that came after ``day``."""
    if entry.accepted and entry.accepted >= end_of(day):
        entry.accepted = None
        if entry.evidence == Evidence.ACCEPTED:
            entry.evidence = Evidence.SELF_REPORTED
    return entry


@dataclass(frozen=True, slots=True)
class Nearest:
    """The days before and after one at which a board changed."""

    earlier: date | None
    later: date | None


def nearest_changes(task_set: TaskSet, day: date) -> Nearest:
    """The days at which the board changed that are nearest to ``day``. One query."""
    start, end = start_of(day), end_of(day)
    found = _shown_entries(task_set).aggregate(
        **{f"earlier_{each}": Max(each, filter=Q(**{f"{each}__lt": start})) for each in MOMENTS},
        **{f"later_{each}": Min(each, filter=Q(**{f"{each}__gte": end})) for each in MOMENTS},
    )
    earlier = [at for each in MOMENTS if (at := found[f"earlier_{each}"])]
    later = [at for each in MOMENTS if (at := found[f"later_{each}"])]
    return Nearest(_day(max(earlier)) if earlier else None, _day(min(later)) if later else None)


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to an entry on a day, in words; ``value`` is its leading figure."""

    entry: Entry
    words: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """A ranked entry in the chart: the day it got its rank, and its leading figure."""

    day: date
    entry: Entry
    value: float
    is_best: bool


@dataclass(frozen=True, slots=True)
class ChangeDay:
    """A day at which a board changed, and the best ranked entry up to then with its figure."""

    day: date
    events: list[Event]
    best: Point | None

    @property
    def first_events(self) -> list[Event]:
        return self.events[:MOST_EVENTS]

    @property
    def more_events(self) -> int:
        return len(self.events) - len(self.first_events)


@dataclass(frozen=True, slots=True)
class History:
    """How a board became what it is: the days at which it changed, and its ranked entries; oldest first."""

    days: list[ChangeDay]
    points: list[Point]


def read_history(task_set: TaskSet, *, scorer: str, counted: str) -> History:
    """The history of a board by the figures of ``scorer``, in the field ``counted`` of them. One query."""
    leading = task_set.scoring.leading
    figures = Q(figures__scorer=scorer, figures__metric=leading.key, figures__category="")
    entries = _shown_entries(task_set).filter(figures).annotate(leading_value=F(f"figures__{counted}"))
    by_day: dict[date, list[Event]] = defaultdict(list)
    ranked: list[tuple[datetime, Event]] = []
    for entry in entries.select_related("agent").only(*TOLD).order_by("published", "pk"):
        if entry.published is None:
            continue
        event = Event(entry, _arrival(entry), entry.leading_value)
        by_day[_day(entry.published)].append(event)
        for at, words in _later_moments(entry, entry.published):
            by_day[_day(at)].append(Event(entry, words, event.value))
        evidence = figure_evidence(entry, scorer)
        if evidence in RANKED:
            # A rank by acceptance begins with that.
            accepted = entry.accepted if evidence == Evidence.ACCEPTED else None
            ranked.append((max(entry.published, accepted or entry.published), event))
    ranked.sort(key=lambda each: each[0])
    points, best_by_day = _points(ranked, leading)
    days, best = [], None
    for day in sorted(by_day):
        best = best_by_day.get(day, best)
        days.append(ChangeDay(day, by_day[day], best))
    return History(days, points)


def _points(
    ranked: Iterable[tuple[datetime, Event]], leading: Metric
) -> tuple[list[Point], dict[date, Point]]:
    """The points of the chart, and for each day with a new best one that point."""
    best: Point | None = None
    points, best_by_day = [], {}
    for since, event in ranked:
        if event.value is None:
            continue
        gain = event.value - best.value if best else 0.0
        is_best = best is None or (gain > 0 if leading.more_is_better else gain < 0)
        point = Point(_day(since), event.entry, event.value, is_best)
        if is_best:
            best = best_by_day[point.day] = point
        points.append(point)
    return points, best_by_day


def _arrival(entry: Entry) -> str:
    return "came" if entry.version == 1 else f"version {entry.version:,} came"


def _later_moments(entry: Entry, published: datetime) -> Iterator[tuple[datetime, str]]:
    """What happened to an entry on a later day than that of its publication."""
    if entry.accepted and _day(entry.accepted) > _day(published):
        yield entry.accepted, "was accepted"
    if entry.state_since and _day(entry.state_since) > _day(published):
        yield entry.state_since, "is shown again" if entry.is_published else "was replaced"


def _shown_entries(task_set: TaskSet) -> QuerySet[Entry]:
    """The entries that a board shows, or showed once, and that readers may read."""
    return Entry.objects.filter(task_set=task_set, state__in=OPEN, attempted__gt=0)


def _day(at: datetime) -> date:
    return at.astimezone(UTC).date()
