"""An attempt that was read from a file, with what the templates read of a stored one (`models.Attempt`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import SimpleNamespace
from typing import Final

from leaderboard.diagnosis import ShownDiagnosis
from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.errors import problem_from_data
from leaderboard.domain.scores import LandmarkResult, ScoreCard
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Step, ending_words
from leaderboard.pipeline import Looked
from leaderboard.rendering.columns import attempt_fields, diagnosis_fields, step_texts
from leaderboard.rendering.matches import PARTS, Matches, find_in, parts_to_search
from leaderboard.rendering.model import OutlineItem, Page, Rendering
from leaderboard.rendering.text_pages import TextPage, only_page, page_with_line, stored_page
from leaderboard.scoring.contract import Metric, Scoring
from leaderboard.scoring.usage import USAGE, Amount, amounts_used

LARGE: Final = ("query", "prompt", "answer", "patch", "warnings", "diagnosis")
"""What a row of the list does without: it grows with the trajectory."""
COLUMN_OF: Final = {"thought": "thought", "action": "action", "output": "observation"}


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent as far as the file names it: ``scaffold`` and ``model``; without either, by the file."""

    scaffold: str
    model: str
    file: str

    @property
    def is_named(self) -> bool:
        return bool(self.scaffold or self.model)

    @property
    def name(self) -> str:
        return self.scaffold or self.model or self.file

    def __str__(self) -> str:
        return " · ".join(part for part in (self.scaffold, self.model) if part) or self.file


@dataclass(frozen=True, slots=True)
class Entry:
    """Stands for the entry, of which templates ask whether it is a draft or withdrawn."""

    agent: Agent
    is_draft: bool = False
    is_open: bool = True
    is_ranked: bool = True
    state: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score of one metric by one scorer."""

    value: float | None
    reason: str
    scorer: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A metric, and the score in it if there is one."""

    metric: Metric
    row: ScoreRow | None

    @property
    def value(self) -> float | None:
        return self.row.value if self.row else None


@dataclass(frozen=True, slots=True)
class CardRow:
    """A scorer's scores, as `attempts.selectors.ScoreRow` has them."""

    scorer: str
    label: str
    scores: list[Cell]


class ViewedAttempt(SimpleNamespace):
    """The columns of `rendering.columns.attempt_fields`, and what names the attempt.

    ``source`` is the name of its file, ``sample`` its key in a file with several.
    """

    def get_absolute_url(self) -> str:
        return f"/a/{self.pk}/"

    @property
    def ending_words(self) -> str:
        return ending_words(self.ending, self.ending_detail)

    @property
    def warning_texts(self) -> list[str]:
        """The warnings about its file, as sentences."""
        return [str(problem_from_data(data)) for data in self.warnings]


@dataclass(frozen=True, slots=True)
class ViewedStep(OutlineItem):
    """A line of the outline with the step's texts as shown."""

    thought: str = ""
    action: str = ""
    observation: str = ""


def viewed_attempt(
    pk: int, *, source: str, sample: str, task: TaskSpec, number: int, looked: Looked
) -> ViewedAttempt:
    """The attempt with this key."""
    trajectory = looked.shown
    columns = attempt_fields(trajectory, ()) | diagnosis_fields(looked.diagnosis)
    # What it can't be told of is no secret to the owner of the file, and the original stays where it is.
    return ViewedAttempt(
        pk=pk,
        source=source,
        sample=sample,
        task=task,
        number=number,
        entry=Entry(Agent(trajectory.agent, trajectory.model, "/".join(source.split("/")[-2:]))),
        secrets=looked.secrets,
        **columns,
    )


def row_of(attempt: ViewedAttempt) -> ViewedAttempt:
    """The same for a list, without what grows with the trajectory."""
    return ViewedAttempt(**{name: value for name, value in vars(attempt).items() if name not in LARGE})


def score_rows(cards: Sequence[ScoreCard], scoring: Scoring) -> list[CardRow]:
    """Every scorer's scores of an attempt."""
    return [
        CardRow(
            card.scorer,
            scoring.by_scorer[card.scorer].label,
            [_cell(card, metric) for metric in scoring.scored],
        )
        for card in cards
    ]


def _cell(card: ScoreCard, metric: Metric) -> Cell:
    score = card.scores.get(metric.key)
    return Cell(metric, ScoreRow(score.value, score.reason, card.scorer) if score else None)


def decisive_value(cards: Sequence[ScoreCard], scoring: Scoring) -> float | None:
    """The decisive metric's value by the scorer that counts; None where nothing is computed."""
    score = cards[0].scores.get(scoring.decisive.key) if cards else None
    return score.value if score else None


@dataclass(frozen=True, slots=True)
class Side:
    """An attempt in a table of a few, as `attempts.selectors.ScoredAttempt`."""

    attempt: ViewedAttempt
    used: Sequence[Amount]
    cells: Sequence[Cell] = ()
    outcomes: Sequence[LandmarkResult | None] = ()

    @property
    def finding(self) -> str:
        return str(self.attempt.finding)


@dataclass(frozen=True)
class Viewed:
    """An attempt, rendered: everything that its pages show."""

    attempt: ViewedAttempt
    looked: Looked
    scoring: Scoring
    rendering: Rendering
    is_bundle: bool = False
    """Whether its original is an archive of several files."""

    @cached_property
    def steps(self) -> list[ViewedStep]:
        names = [each.name for each in fields(OutlineItem)]
        found = step_texts(self.rendering)
        columns = ({name: getattr(item, name) for name in names} | texts for item, texts in found)
        return [ViewedStep(**each) for each in columns]

    @property
    def score_rows(self) -> list[CardRow]:
        return score_rows(self.looked.scored.cards, self.scoring)

    @property
    def landmarks(self) -> list[tuple[LandmarkResult, int, str]]:
        """Each landmark's result, its number, and its pattern unless that spells out the gold answer."""
        gold = self.attempt.task.gold
        return [
            (each, each.number, shown_pattern(each.pattern, gold)) for each in self.looked.scored.landmarks
        ]

    @property
    def diagnosis(self) -> ShownDiagnosis:
        value = decisive_value(self.looked.scored.cards, self.scoring)
        solved = None if value is None else value == self.scoring.decisive.best
        return self.looked.diagnosis.shown(is_solved=solved)

    def side(self, metrics: Sequence[Metric], landmarks: int) -> Side:
        """The attempt in a table with these metrics and so many landmarks."""
        rows = self.score_rows
        scored = {cell.metric.key: cell for cell in (rows[0].scores if rows else ())}
        results = {number: result for result, number, _pattern in self.landmarks}
        return Side(
            self.attempt,
            amounts_used(self.attempt, USAGE),
            [scored.get(metric.key, Cell(metric, None)) for metric in metrics],
            [results.get(number) for number in range(1, landmarks + 1)],
        )

    def read_page(self, step: int, part: str, number: int) -> TextPage | None:
        """A page of a text; a text that is not long has one. None if there is none."""
        pages = self._pages.get((step, part), [])
        page = next((page for page in pages if page.number == number), None)
        if page:
            return stored_page(page, len(pages))
        return only_page(self.text(step, part), step, part) if number == 1 else None

    def page_of_line(self, step: int, part: str, line: int) -> tuple[int, str] | None:
        """The number of the first page that has a line, and the line's address on it."""
        pages = [(page.number, page.last_line) for page in self._pages.get((step, part), [])]
        if not pages and (text := self.text(step, part)):
            pages = [(1, text.count("\n") + 1)]
        return page_with_line(pages, step, part, line)

    def text(self, step: int, part: str) -> str:
        """The text of a part of a step as shown; empty if there is none."""
        found = self.step(step)
        return str(getattr(found, COLUMN_OF[part])) if found and part in COLUMN_OF else ""

    def step(self, number: int) -> ViewedStep | None:
        return next((step for step in self.steps if step.number == number), None)

    def media_of(self, step: int, number: int) -> tuple[bytes, str] | None:
        """An output that is no text, and its suffix; None if there is none."""
        found: Step | None = next((each for each in self.looked.shown.steps if each.number == step), None)
        media = found.media[number - 1 : number] if found and number else ()
        return (media[0].content, media[0].suffix) if media and media[0].content else None

    def find(self, text: str, part: str) -> Matches:
        """Search in every step as shown, folded parts included."""
        parts = parts_to_search(part)
        texts = ((step.number, each, getattr(step, COLUMN_OF[each])) for step in self.steps for each in parts)
        starts = {key: [page.start for page in pages] for key, pages in self._pages.items()}
        return find_in(texts, text, starts) if text.strip() else Matches([], 0)

    @cached_property
    def _pages(self) -> Mapping[tuple[int, str], list[Page]]:
        found: defaultdict[tuple[int, str], list[Page]] = defaultdict(list)
        for page in self.rendering.pages:
            found[page.step, page.part].append(page)
        return dict(found)


def texts_of(steps: Iterable[Step]) -> Iterator[tuple[int, str, str]]:
    """What a search in all attempts looks at: step, part and text, as the file has it, masked."""
    for step in steps:
        texts = (step.thought, step.action, step.observation or "")
        yield from ((step.number, part, text) for part, text in zip(PARTS, texts, strict=True) if text)
