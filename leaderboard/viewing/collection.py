"""All attempts below the command's paths: read one after the other, and again when their files change."""

from __future__ import annotations

import hashlib
import logging
import pickle
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from backports import zstd

from leaderboard import rendering
from leaderboard.domain.errors import Problem
from leaderboard.rendering.matches import Matches, find_in
from leaderboard.scoring.contract import Scoring
from leaderboard.viewing.attempts import (
    Viewed,
    ViewedAttempt,
    decisive_value,
    row_of,
    texts_of,
    viewed_attempt,
)
from leaderboard.viewing.reading import ReadAttempt, Reader
from leaderboard.viewing.sources import Found, Root, Source, find_sources

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS: Final = 1.0
SHARE_OF_LOOKING: Final = 4
"""So many times as long as a look took, at least, is until the next."""
KEPT: Final = 4
"""Rendered attempts that are kept: the next page of one is often asked for."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list: the attempt without its large texts, and the decisive score if it was scored."""

    attempt: ViewedAttempt
    value: float | None
    is_numbered: bool = False
    """Whether its file says which attempt of its agent at the task it is."""

    @property
    def time(self) -> float | None:
        """Seconds from its start to its end, or else those in which something was executed."""
        wall: float | None = self.attempt.wall_time
        return self.attempt.duration if wall is None else wall

    @property
    def tokens(self) -> int | None:
        """All tokens, sent and received; None where neither is known."""
        known = [
            each for each in (self.attempt.prompt_tokens, self.attempt.response_tokens) if each is not None
        ]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class State:
    """What was read so far, for one page: it does not change while the page is made."""

    revision: int
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    waiting: int
    sources: int
    passed_over: int

    @property
    def read(self) -> int:
        return self.sources - self.waiting


@dataclass(slots=True)
class _Known:
    """A source that was read: how its files were then, its attempts' keys, and what was not read."""

    source: Source
    keys: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Collection:
    """The attempts, by keys from 1 that stay theirs as long as the command runs.

    Only the thread that calls `update` changes them; pages are made in others. ``folder`` is a temporary one.
    """

    def __init__(self, roots: Sequence[Root], reader: Reader, *, folder: Path) -> None:
        self.is_copied = False
        self._roots = roots
        self._reader = reader
        self._folder = folder
        self._lock = threading.Condition()
        self._known: dict[str, _Known] = {}
        self._rows: dict[int, Row] = {}
        self._sources: dict[int, Source] = {}
        self._found = Found()
        self._waiting = 0
        self._last_key = 0
        self._revision = 0
        self._looked_once = False
        self._viewed: OrderedDict[int, Viewed] = OrderedDict()
        self._fresh: tuple[int, ReadAttempt] | None = None
        """The attempt that was read last, not to read it twice where it is the only one."""

    def follow(self, stopped: threading.Event) -> None:
        """Update again and again."""
        while not stopped.is_set():
            began = time.monotonic()
            try:
                self.update(stopped)
            except Exception:
                # Such as a full disk: what was read stays to be read.
                logger.exception("the files could not be looked at")
            # A large folder takes long to look at: most of the time is for pages.
            stopped.wait(max(SECONDS_BETWEEN_LOOKS, SHARE_OF_LOOKING * (time.monotonic() - began)))

    def update(
        self, stopped: threading.Event | None = None, on_progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Look at all files, and read those that are new or have changed."""
        found = find_sources(self._roots)
        changed = [
            source
            for source in found.sources.values()
            if source.name not in self._known or self._known[source.name].source.stamp != source.stamp
        ]
        with self._lock:
            if not self._looked_once or changed or found.problems != self._found.problems:
                self._revision += 1
            self._found, self._waiting, self._looked_once = found, len(changed), True
            for name in self._known.keys() - found.sources.keys():
                self._forget(self._known.pop(name))
            self._lock.notify_all()
        for done, source in enumerate(changed, start=1):
            if stopped is not None and stopped.is_set():
                return
            self._read(source)
            if on_progress:
                on_progress(done, len(changed))

    def _forget(self, known: _Known) -> None:
        for key in known.keys.values():
            del self._rows[key], self._sources[key]
            self._viewed.pop(key, None)
        self._revision += 1

    def _read(self, source: Source) -> None:
        before = self._known.get(source.name)
        now = _Known(source)
        rows: dict[int, Row] = {}
        for each in self._reader.read(source):
            if isinstance(each, Problem):
                now.problems.append(each)
                continue
            key = before.keys.get(each.sample.key) if before else None
            if key is None:
                self._last_key += 1
                key = self._last_key
            now.keys[each.sample.key] = key
            attempt = _attempt(key, source, each)
            value = decisive_value(each.looked.scored.cards, each.scoring)
            rows[key] = Row(row_of(attempt), value, is_numbered=each.sample.attempt is not None)
            packed = zstd.compress(pickle.dumps(list(texts_of(each.looked.shown.steps))), level=1)
            (self._folder / f"{key}.texts").write_bytes(packed)
            self._fresh = (key, each)
        if before and before.keys and not now.keys:
            # A file that is written anew is not whole for a moment: what was read of it stays until it is.
            now, rows = _Known(source, before.keys), {key: self._rows[key] for key in before.keys.values()}
        if not now.keys and len(now.problems) > 1:
            # Of a file that is no trajectory, not every line is to be told.
            now.problems = now.problems[:1]
        with self._lock:
            for key in set(before.keys.values()) - rows.keys() if before else ():
                del self._rows[key], self._sources[key]
            for key, row in rows.items():
                self._rows[key], self._sources[key] = row, source
                self._viewed.pop(key, None)
            self._known[source.name] = now
            self._waiting -= 1
            self._revision += 1
            self._lock.notify_all()

    def state(self) -> State:
        """What was read so far, in the order of the files' names."""
        with self._lock:
            rows = sorted(self._rows.values(), key=lambda row: (row.attempt.source, row.attempt.pk))
            _number(rows)
            problems = [each for known in self._known.values() for each in known.problems]
            return State(
                self._revision,
                tuple(rows),
                (*self._found.problems, *sorted(problems, key=lambda problem: problem.file)),
                self._waiting if self._looked_once else 1,
                len(self._found.sources) if self._looked_once else 1,
                self._found.passed_over,
            )

    def wait(self, ready: Callable[[State], bool], seconds: float) -> State:
        """The state once ``ready`` says so, or after so many seconds."""
        with self._lock:
            self._lock.wait_for(lambda: ready(self.state()), timeout=seconds)
            return self.state()

    @property
    def scoring(self) -> Scoring:
        """How attempts at known tasks are scored."""
        return self._reader.tasks.scoring

    def version(self, key: int) -> str | None:
        """What changes when an attempt's files do; None if there is none with this key."""
        with self._lock:
            source = self._sources.get(key)
        if source is None:
            return None
        return hashlib.sha256(repr(source.stamp).encode()).hexdigest()[:16]

    def view(self, key: int) -> Viewed | Problem | None:
        """An attempt, rendered; its problem if it can't be read any more; None if there is none."""
        with self._lock:
            row, source, fresh = self._rows.get(key), self._sources.get(key), self._fresh
            if key in self._viewed:
                self._viewed.move_to_end(key)
                return self._viewed[key]
        if row is None or source is None:
            return None
        if fresh is not None and fresh[0] == key:
            read: ReadAttempt | Problem = fresh[1]
        else:
            read = self._reader.read_sample(source, row.attempt.sample)
        if isinstance(read, Problem):
            return read
        landmarks = read.looked.scored.landmarks
        rendered = rendering.render_attempt(read.looked.shown, landmarks)
        attempt = _attempt(key, source, read)
        attempt.number = row.attempt.number
        viewed = Viewed(attempt, read.looked, read.scoring, rendered, is_bundle=source.is_bundle)
        with self._lock:
            # Of a file that has grown meanwhile, the next page shows more.
            if self._sources.get(key) is source:
                self._viewed[key] = viewed
                while len(self._viewed) > KEPT:
                    self._viewed.popitem(last=False)
        return viewed

    def original(self, key: int) -> bytes | None:
        """An attempt's file, or the archive of its files; `InputError` if it can't be read."""
        with self._lock:
            source = self._sources.get(key)
        return self._reader.data(source) if source else None

    def search(self, text: str) -> Iterator[tuple[Row, Matches]]:
        """The attempts that have a text, with its places in each; case is ignored. Linear in all texts."""
        for row in self.state().rows:
            try:
                packed = (self._folder / f"{row.attempt.pk}.texts").read_bytes()
            except OSError:
                # Its file is gone since.
                continue
            matches = find_in(pickle.loads(zstd.decompress(packed)), text, {})  # noqa: S301 - written above
            if matches.total:
                yield row, matches


def _number(rows: Iterable[Row]) -> None:
    """Number the attempts of one agent at one task, where their files don't."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if not row.is_numbered:
            whose = (row.attempt.task.task_id, str(row.attempt.entry.agent))
            counts[whose] += 1
            row.attempt.number = counts[whose]


def _attempt(key: int, source: Source, read: ReadAttempt) -> ViewedAttempt:
    attempt = viewed_attempt(
        key,
        source=source.name,
        sample=read.sample.key,
        task=read.task,
        number=read.sample.attempt or 1,
        looked=read.looked,
    )
    value = decisive_value(read.looked.scored.cards, read.scoring)
    if value is not None and value == read.scoring.decisive.best:
        # Of a solved attempt nothing is said of a failure.
        attempt.finding = ""
    return attempt
