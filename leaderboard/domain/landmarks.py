"""Find a task's landmarks in a trajectory's observations, in bounded time."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import regex

from leaderboard.domain.scores import LandmarkResult, LandmarkStatus, StepHits
from leaderboard.domain.terminal import Shown, shown_text
from leaderboard.domain.trajectory import StepKind, Trajectory

MAX_SPANS = 50
"""Spans kept for one landmark in one step."""

MAX_COUNTED = 10_000
"""Matches counted for one landmark in one step; ``StepHits.more`` stops there."""

_TOKEN = re.compile(r"\\N\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?!(?:\d+(?:,\d*)?|,\d*)\})", re.DOTALL)
_IN_SET = re.compile(r"\\.|\[", re.DOTALL)


class InvalidLandmark(ValueError):
    """A pattern that does not compile; the message is the reason, one clause."""


def landmark_problem(pattern: str) -> str:
    """Why a landmark can't be searched for; empty if it can."""
    try:
        compile_landmark(pattern)
    except InvalidLandmark as error:
        return str(error)
    return ""


@lru_cache(maxsize=2048)
def compile_landmark(pattern: str) -> regex.Pattern[str]:
    """Compile a landmark with ``regex``, which has timeouts, so that it matches as with Python's ``re``.

    Raises:
        InvalidLandmark: the pattern is not a regular expression of ``re``.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": today's meaning counts
            re.compile(pattern)
            return regex.compile(_without_extensions(pattern), regex.V0)
    except (re.error, regex.error) as error:
        raise InvalidLandmark(f"not a regular expression: {error}") from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise InvalidLandmark("the regular expression is too large") from error


def find_landmarks(
    patterns: Sequence[str],
    trajectory: Trajectory,
    *,
    seconds: float = 2.0,
    left: dict[int, float] | None = None,
) -> tuple[LandmarkResult, ...]:
    """Search every landmark in every observation, as printed and as a terminal shows it in the end.

    Each newline is replaced by a space. What is shown is searched only in observations where what was printed
    has no match.

    Exceptions (``StepKind.EXCEPTION``) never entered the history and are not searched. A landmark with a hit
    in a pre-executed step is GIVEN. A landmark that ran out of time is TIMED_OUT if it had no hit by then;
    otherwise its hits count. A match of the empty string is a hit; one empty span a step is stored, if
    nothing else matched in it.

    ``seconds`` is the budget of each landmark over the whole attempt. For an attempt that is searched in
    parts, ``left`` has the seconds left for each landmark by its number: the search updates it, and a
    landmark without time left is TIMED_OUT without a search.
    """
    budgets = {} if left is None else left
    observations = [
        (step.number, step.observation)
        for step in trajectory.steps
        if step.observation is not None and step.kind is not StepKind.EXCEPTION
    ]
    texts = _Texts(observations, frozenset(step.number for step in trajectory.steps if step.pre_executed))
    return tuple(
        _find_one(number, pattern, texts, budgets, seconds)
        for number, pattern in enumerate(patterns, start=1)
    )


class _Texts:
    """The texts that are searched, each with the number of its step."""

    def __init__(self, observations: Sequence[tuple[int, str]], pre_executed: frozenset[int]) -> None:
        self.printed = [(step, text.replace("\n", " ")) for step, text in observations]
        self.pre_executed = pre_executed
        self._observations = observations

    @cached_property
    def shown(self) -> list[tuple[int, str, Shown]]:
        """Those that a terminal shows otherwise than they were printed."""
        found = ((step, shown_text(text)) for step, text in self._observations)
        return [(step, shown.text.replace("\n", " "), shown) for step, shown in found if shown]


def _find_one(
    number: int, pattern: str, texts: _Texts, budgets: dict[int, float], seconds: float
) -> LandmarkResult:
    try:
        compiled = compile_landmark(pattern)
    except InvalidLandmark:
        return LandmarkResult(number, pattern, LandmarkStatus.INVALID)
    seconds = budgets.get(number, seconds)
    if seconds <= 0:
        return LandmarkResult(number, pattern, LandmarkStatus.TIMED_OUT)
    deadline = time.monotonic() + seconds
    hits: dict[int, StepHits] = {}
    in_time = True
    for step, text in texts.printed:
        found, in_time = _find_in_text(compiled, step, text, deadline)
        if found is not None:
            hits[step] = found
        if not in_time:
            break
    printed = _status(hits, texts, in_time=in_time)
    for step, text, shown in texts.shown if in_time else ():
        if step in hits:
            continue
        found, in_time = _find_in_text(compiled, step, text, deadline)
        if found is not None:
            hits[step] = _placed(found, shown)
        if not in_time:
            break
    budgets[number] = max(deadline - time.monotonic(), 0.0) if in_time else 0.0
    status = _status(hits, texts, in_time=in_time)
    in_order = tuple(hits[step] for step in sorted(hits))
    return LandmarkResult(number, pattern, status, in_order, None if printed is status else printed)


def _status(hits: Collection[int], texts: _Texts, *, in_time: bool) -> LandmarkStatus:
    if not texts.pre_executed.isdisjoint(hits):
        return LandmarkStatus.GIVEN
    if hits:
        return LandmarkStatus.HIT
    return LandmarkStatus.MISSED if in_time else LandmarkStatus.TIMED_OUT


def _placed(found: StepHits, shown: Shown) -> StepHits:
    """Hits in what a terminal shows, with their places in the raw observation."""
    spans = {raw for start, end in found.spans for raw in shown.raw_spans(start, end)}
    return replace(found, spans=tuple(sorted(spans)[:MAX_SPANS]))


def _find_in_text(
    compiled: regex.Pattern[str], step: int, text: str, deadline: float
) -> tuple[StepHits | None, bool]:
    """The hits in one observation (None for none), and whether the search ended in time."""
    spans: list[tuple[int, int]] = []
    empty: list[tuple[int, int]] = []
    more = 0
    in_time = True
    try:
        left = max(deadline - time.monotonic(), 0.0)  # no time left: the first check raises
        for counted, match in enumerate(compiled.finditer(text, timeout=left), start=1):
            if match.start() == match.end():
                empty = empty or [match.span()]
            elif len(spans) < MAX_SPANS:
                spans.append(match.span())
            else:
                more += 1
            if counted >= MAX_COUNTED:
                break
    except (TimeoutError, MemoryError):
        in_time = False
    kept = tuple(spans or empty)
    return (StepHits(step, kept, more) if kept else None), in_time


def _without_extensions(pattern: str) -> str:
    """Escape what ``re`` reads literally and ``regex`` as an extension: ``{e<=1}`` and ``[[:alpha:]]``."""

    def escape(token: re.Match[str]) -> str:
        text = token[0]
        if text == "{":
            return r"\{"
        if text.startswith("["):
            return "[" + _IN_SET.sub(lambda inner: r"\[" if inner[0] == "[" else inner[0], text[1:])
        return text

    return _TOKEN.sub(escape, pattern)
