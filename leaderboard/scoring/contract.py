"""What a scoring is: a benchmark's metrics as data, and the rules that compute them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from leaderboard.domain.agreement import PLAIN_ANSWERS, AnswerRules
from leaderboard.domain.disclosure import without_places
from leaderboard.domain.landmarks import find_landmarks
from leaderboard.domain.scores import LandmarkResult, Score, ScoreCard, Scored
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, StepKind, Trajectory

LANDMARK_SECONDS: Final = 2.0
"""Seconds of search for one landmark in one attempt; after them the landmark has timed out."""


MOST: Final = 1e12
"""Values beyond this, in either direction, are no measurement, and their sums might not be numbers."""


class Unit(StrEnum):
    """What a metric counts in. A share lies in [0, 1] and is shown in percent."""

    SHARE = "share"
    DOLLARS = "dollars"
    TOKENS = "tokens"
    SECONDS = "seconds"
    COUNT = "count"


class Hides(StrEnum):
    """What a score tells about a gold answer, and what a draft therefore withholds.

    GOLD: whether the answer was right, so its values by task. LANDMARKS: which landmarks were hit, so those
    whose pattern spells out a part of the answer.
    """

    NOTHING = ""
    GOLD = "gold"
    LANDMARKS = "landmarks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One column of a board: what is measured of an attempt, and how attempts and tasks are put together.

    An attempt has a score in a metric; a figure is the mean over tasks of what a task's attempts give. A task
    without an attempt counts as failed, with the worst value, where there is a worst one.

    Attributes:
        key: its name in addresses, files and the API; lower case, digits and ``_``.
        label: its name on pages.
        about: one sentence for readers who see it for the first time.
        lowest, highest: the range of its values; None where there is no bound.
        reads: the fields of a task that it is computed from. Where one is empty it is not computed, and where
            one changes its scores are stale.
        hides: what a draft withholds of it.
        of: the metric whose scores it puts together, if it has none of its own.
        pass_at: k of pass@k over a task's attempts; 0 for their mean.
        recorded: the field of a stored attempt that holds it, if it is not scored. A task without an attempt
            then has no value.
        reported_as: its key in a metrics.json; its own key if empty.
    """

    key: str
    label: str
    about: str
    unit: Unit = Unit.SHARE
    lowest: float | None = 0.0
    highest: float | None = 1.0
    more_is_better: bool = True
    reads: tuple[str, ...] = ()
    hides: Hides = Hides.NOTHING
    of: str = ""
    pass_at: int = 0
    recorded: str = ""
    reported_as: str = ""

    @property
    def scored_as(self) -> str:
        """The key of the metric whose scores it puts together; mostly its own."""
        return self.of or self.key

    @property
    def worst(self) -> float | None:
        """What a task without an attempt counts as; None for nothing, as nothing bounds or scores it."""
        if self.recorded:
            return None
        return self.lowest if self.more_is_better else self.highest

    @property
    def best(self) -> float | None:
        """The value of a solved task; None where there is always a better one."""
        return self.highest if self.more_is_better else self.lowest

    @property
    def is_scored(self) -> bool:
        """Whether an attempt has a score of its own in it."""
        return not self.of and not self.recorded

    @property
    def is_share(self) -> bool:
        """Whether it is a mean of shares, more being better, as all that drafts show of gold answers is."""
        return self.unit is Unit.SHARE and self.more_is_better and self.pass_at <= 1

    def allows(self, value: float) -> bool:
        """Whether a number can be a value of the metric."""
        low, high = self._bounds
        return low <= value <= high

    @property
    def range_text(self) -> str:
        """Its range in words, such as `` from 0 to 1``, to follow “a number”."""
        low, high = self._bounds
        return f" from {low:,g} to {high:,g}"

    @property
    def _bounds(self) -> tuple[float, float]:
        low, high = self.lowest, self.highest
        return (-MOST if low is None else low), (MOST if high is None else high)


@dataclass(frozen=True, slots=True)
class Case:
    """What a rule scores: an attempt at a task, with the landmarks that were found in it."""

    task: TaskSpec
    trajectory: Trajectory
    landmarks: Sequence[LandmarkResult] = ()

    @property
    def submitted(self) -> JsonValue | Missing:
        """The answer that ended the attempt; an answer before further steps did not end it."""
        steps = self.trajectory.steps
        if any(step.kind is StepKind.SUBMIT for step in steps):
            ended = steps[-1].kind is StepKind.SUBMIT
        else:
            # In formats that store the answer outside the steps.
            ended = self.trajectory.ending is Ending.SUBMITTED
        return self.trajectory.answer if ended else MISSING


Rule = Callable[[Case], Score]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """A variant of a scoring: a rule for each metric that it computes. A change of any rule is a new version.

    Rules are functions of a module, as checks run in processes of their own. ``label`` is its name on pages,
    ``about`` what is particular to it, in a sentence or two.
    ``from_landmarks`` scores the metrics with `Hides.LANDMARKS` from a part of an attempt's landmarks.
    """

    name: str
    version: str
    label: str
    rules: Mapping[str, Rule]
    about: str = ""
    from_landmarks: Callable[[Sequence[LandmarkResult]], Score] | None = None

    def card(self, case: Case) -> ScoreCard:
        """Every score of an attempt. Never raises: what can't be scored has no value, and a reason."""
        return ScoreCard(self.name, self.version, {key: rule(case) for key, rule in self.rules.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """What the tasks of a set are grouped by, in words. Open groups come with the tasks themselves."""

    one: str = "category"
    many: str = "categories"
    are_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a board shows first.

    Attributes:
        overall: the keys of its columns.
        grouped: the keys of those that it breaks down by group.
        scatter: the metrics across and up of its first chart; empty for none.
        levels: what the numbered task sets of the benchmark differ by, such as ``functions masked``; empty if
            its sets have no order. ``by_level`` are the metrics that are shown against it.
    """

    overall: tuple[str, ...]
    grouped: tuple[str, ...] = ()
    scatter: tuple[str, ...] = ()
    levels: str = ""
    by_level: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """A benchmark's metrics and rules.

    Of its ``scorers`` the first is the default; a scoring without any has only what was reported.
    ``version`` is that of its metrics and layout; each scorer has one of its own for its rules.
    ``ranked_by`` is the key of the metric that gives the ranks. ``answers`` says which values of two answers
    agree, as the default scorer compares them.
    """

    name: str
    version: str
    metrics: tuple[Metric, ...]
    scorers: tuple[Scorer, ...]
    layout: Layout
    ranked_by: str
    groups: Groups = Groups()
    answers: AnswerRules = PLAIN_ANSWERS

    def __post_init__(self) -> None:
        if len(self.by_key) < len(self.metrics):
            raise ValueError(f"the scoring {self.name} has two metrics of one key")
        for metric in self.metrics:
            if metric.of and (metric.of not in self.by_key or self.by_key[metric.of].hides != metric.hides):
                reason = f"{metric.key} is made of {metric.of}, which is none, or hides something else"
                raise ValueError(reason)
        layout = self.layout
        shown = (*layout.overall, *layout.grouped, *layout.scatter, *layout.by_level, self.ranked_by)
        if unknown := set(shown) - self.by_key.keys():
            raise ValueError(f"the scoring {self.name} has no metric {', '.join(sorted(unknown))}")
        if self.leading.hides is Hides.GOLD and not self.leading.is_share:
            reason = "a draft can't show its leading metric unless it is a share of which more is better"
            raise ValueError(f"the scoring {self.name}: {reason}")

    @cached_property
    def by_key(self) -> Mapping[str, Metric]:
        return {metric.key: metric for metric in self.metrics}

    @cached_property
    def by_scorer(self) -> Mapping[str, Scorer]:
        return {scorer.name: scorer for scorer in self.scorers}

    @cached_property
    def scored(self) -> tuple[Metric, ...]:
        """The metrics in which an attempt has a score of its own."""
        return tuple(metric for metric in self.metrics if metric.is_scored)

    @cached_property
    def results(self) -> tuple[Metric, ...]:
        """The metrics of how well attempts did, without those of what they used."""
        return tuple(metric for metric in self.metrics if not metric.recorded)

    @cached_property
    def usage(self) -> tuple[Metric, ...]:
        """The metrics of what attempts used."""
        return tuple(metric for metric in self.metrics if metric.recorded)

    @property
    def default_scorer(self) -> str:
        """The name of the scorer whose scores count; empty if nothing is computed."""
        return self.scorers[0].name if self.scorers else ""

    @property
    def leading(self) -> Metric:
        """The metric that gives the ranks."""
        return self.by_key[self.ranked_by]

    @property
    def decisive(self) -> Metric:
        """The metric of an attempt behind the ranks: at its best value the task is solved."""
        return self.by_key[self.leading.scored_as]

    @cached_property
    def computed(self) -> tuple[Metric, ...]:
        """The metrics that the default scorer computes."""
        rules = self.scorers[0].rules if self.scorers else {}
        return tuple(metric for metric in self.scored if metric.key in rules)

    @cached_property
    def task_fields(self) -> tuple[str, ...]:
        """The fields of a task that some metric is computed from."""
        return tuple(dict.fromkeys(field for metric in self.metrics for field in metric.reads))

    def reading(self, fields: Collection[str]) -> frozenset[str]:
        """The keys of the metrics that are computed from any of these fields of a task."""
        return frozenset(metric.key for metric in self.scored if not set(metric.reads).isdisjoint(fields))

    def outdated(self, scored: TaskSpec, now: TaskSpec) -> frozenset[str]:
        """The keys of the metrics whose fields of the task differ between ``scored`` and ``now``."""
        fields = (field for field in self.task_fields if _differ(getattr(scored, field), getattr(now, field)))
        return self.reading(set(fields))

    def score(self, task: TaskSpec, trajectory: Trajectory) -> Scored:
        """Score one attempt by every scorer. Never raises: what can't be scored has a reason."""
        landmarks = find_landmarks(task.landmarks, trajectory, seconds=LANDMARK_SECONDS)
        case = Case(task, trajectory, landmarks)
        cards = tuple(scorer.card(case) for scorer in self.scorers)
        return Scored(cards, without_places(landmarks, task.gold))


def _differ(one: JsonValue, other: JsonValue) -> bool:
    # Also compared as text, because NaN is not equal to itself.
    return bool(one != other) and repr(one) != repr(other)
