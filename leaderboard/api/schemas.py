"""What answers look like. Addresses are paths on this host; times are in UTC; shares are in [0, 1]."""

from __future__ import annotations

from datetime import datetime

from ninja import Field, Schema


class ProblemItem(Schema):
    """One thing that is wrong with what was sent."""

    file: str = Field(description="The file's name as its owner knows it, or the part of the request.")
    place: str = Field(
        description="Where in it: `line 12`, `$.history[3].action`, `cell 7`; empty for all of it."
    )
    reason: str
    remedy: str


class ProblemDetails(Schema):
    """Why a request was refused (RFC 9457)."""

    type: str = Field(description="Names the kind of problem, and leads to what is said about it.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The address that was asked for.")
    problems: list[ProblemItem]


class CategoryOut(Schema):
    """What a task is hard for."""

    slug: str
    name: str


class TaskSetOut(Schema):
    """A list of tasks that agents are ranked on."""

    slug: str
    name: str
    summary: str
    tasks: int
    is_default: bool
    board: str
    page: str


class BenchmarkOut(Schema):
    """A family of task sets scored the same way."""

    slug: str
    name: str
    summary: str
    url: str
    task_sets: list[TaskSetOut]


class TaskSetDetail(TaskSetOut):
    """A task set, and what its board can be sorted by."""

    benchmark: str
    categories: list[CategoryOut]
    sort_keys: list[str]
    scorers: list[str]


class FigureOut(Schema):
    """A mean over an entry's tasks: a cell of a board."""

    value: float | None = Field(
        description="A task without an attempt counts as failed; null where it is missing."
    )
    percent: str | None = Field(description="`value` as the pages show it.")
    tasks: int = Field(description="Tasks that `value` is the mean over.")
    scored: int = Field(description="Tasks that have a score.")
    mean_of_scored: float | None
    source: str = Field(description="The scorer whose figure it is.")
    stale: bool = Field(description="What it was computed from has changed since.")


class BoardRowOut(Schema):
    """An entry on a board; `figures` by column."""

    rank: int | None
    entry: str
    agent: str
    model: str
    attempted: int
    figures: dict[str, FigureOut]


class BoardOut(Schema):
    """A part of a board, ranked among all of its entries."""

    benchmark: str
    task_set: str
    scorer: str
    sort: str
    total: int
    items: list[BoardRowOut]
    next: str | None


class TaskOut(Schema):
    """A task, without its gold answer."""

    task_id: str
    title: str
    categories: list[str]
    landmarks: int
    url: str
    page: str


class LandmarkOut(Schema):
    """A landmark of a task."""

    number: int
    pattern: str | None = Field(description="Null where it is withheld: it spells out the gold answer.")


class TaskDetail(Schema):
    """A task with what an agent is told of it; its gold answer is nowhere."""

    task_id: str
    title: str
    query: str
    repository: str
    commit: str
    entrypoint: str
    categories: list[str]
    landmarks: list[LandmarkOut]
    attempts: str
    url: str
    page: str


class ScoreOut(Schema):
    """One metric of one attempt by one scorer; `reported` is whoever ran the agent."""

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
    """What became of a landmark in an attempt; `status` is null where nobody looked."""

    status: str | None
    first_step: int | None
    hits: list[HitOut]


class FileOut(Schema):
    """A file to download.

    Of kind `output` it is all that the cell of a `step` said; `cut` where even that lacks the end.
    """

    kind: str
    step: int | None
    cut: bool
    name: str
    size: int
    sha256: str
    url: str


class AttemptDetail(AttemptOut):
    """An attempt with its landmarks and files. Its steps have an address of their own."""

    task_set: str
    format: str
    query: str
    answer: str | None = Field(
        description="The submitted answer as JSON in a text; null where there is none."
    )
    warnings: list[ProblemItem] = Field(description="What was odd but readable in its file.")
    landmarks: list[OutcomeOut]
    files: list[FileOut]
    steps_url: str


class StepOut(Schema):
    """One step, its texts as the viewer shows them: a terminal's controls applied."""

    number: int
    kind: str
    title: str
    duration: float | None
    marks: list[str]
    landmarks: list[int] = Field(description="Numbers of the landmarks that were hit in it.")
    thought: str
    action: str
    observation: str


class LinkOut(Schema):
    """A link that an entry's owners give."""

    label: str
    url: str


class VerifiedOut(Schema):
    """That an operator has verified an entry."""

    at: datetime
    how: str


class EntryOut(Schema):
    """One agent's results on one task set."""

    slug: str
    agent: str
    model: str
    task_set: str
    state: str
    version: int
    previous: str | None = Field(description="The version before it.")
    next: str | None = Field(description="The version after it.")
    team: str | None
    run_here: bool
    source: str
    source_url: str
    attempted: int = Field(description="Tasks with at least one attempt.")
    cost: float | None = Field(description="US dollars for all of it, as reported.")
    created: datetime
    published: datetime | None
    verified: VerifiedOut | None
    url: str
    page: str


class EntryFigure(FigureOut):
    """A figure with what it is a figure of; `category` is empty for the overall one."""

    scorer: str
    metric: str
    category: str


class EntryDetail(EntryOut):
    """An entry with its figures by scorer, metric and category."""

    badges: list[str] = Field(
        description="`reported`, `computed`, `run-here`, `verified`: see the about page."
    )
    notes: str
    links: list[LinkOut]
    figures: list[EntryFigure]
    attempts: str
