"""Reads the files of an upload while its attempts are found: in processes with limits, each file once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from leaderboard import formats
from leaderboard.domain.errors import InputError
from leaderboard.formats.documents import MAX_BYTES, read_file
from leaderboard.intake.found_files import FoundAttempt
from leaderboard.intake.layout import ListedFile
from leaderboard.intake.pool import Limits, Loss, process_all

Item = TypeVar("Item")
Result = TypeVar("Result")

BYTES_WORTH_A_PROCESS = 1 << 20
"""Files that have more bytes together are read in other processes, where the limits hold."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The attempts in a file; ``holds_answers`` if they are answers without trajectories."""

    samples: tuple[formats.Sample, ...]
    holds_answers: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """How files are read: the largest one in bytes, the number of processes (None: one per core), limits.

    ``isolated``: in other processes even if they are few and small, so that no file can harm this one.
    """

    max_bytes: int = MAX_BYTES
    workers: int | None = None
    isolated: bool = False
    limits: Limits = field(default_factory=Limits)

    def list_attempts(self, files: Sequence[ListedFile]) -> dict[str, Listing | InputError]:
        """For each file, by name, the attempts in it, or why there is none."""
        work = partial(_list_attempts, max_bytes=self.max_bytes)
        size = sum(file.size for file in files)
        return {file.name: listing for file, listing in self.process(work, files, lost=_unlisted, size=size)}

    def read_answers(self, answers: Sequence[FoundAttempt]) -> dict[tuple[str, str], str | InputError]:
        """For each answer, by file and sample, its JSON, or why it can't be read."""
        by_file: dict[str, list[FoundAttempt]] = {}
        for answer in answers:
            by_file.setdefault(answer.name, []).append(answer)
        work = partial(_read_answers, max_bytes=self.max_bytes)
        size = sum(group[0].size for group in by_file.values())
        return {
            (answer.name, answer.sample): text
            for group, texts in self.process(work, list(by_file.values()), lost=_unread, size=size)
            for answer, text in zip(group, texts, strict=True)
        }

    def process(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        lost: Callable[[Item, Loss], Result],
        size: int,
    ) -> Iterator[tuple[Item, Result]]:
        """`process_all` of items that have ``size`` bytes together."""
        isolated = bool(items) and (self.isolated or size > BYTES_WORTH_A_PROCESS)
        return process_all(
            work, items, lost=lost, workers=self.workers, isolated=isolated, limits=self.limits
        )


def _list_attempts(file: ListedFile, *, max_bytes: int) -> Listing | InputError:
    try:
        data = read_file(file.source, name=file.name, max_bytes=max_bytes)
        opened = formats.open_file(data, name=file.name, max_bytes=max_bytes)
        return Listing(opened.samples, opened.holds_answers)
    except InputError as refused:
        return refused


def _unlisted(file: ListedFile, loss: Loss) -> Listing | InputError:
    return InputError(loss.problem(file.name))


def _read_answers(answers: list[FoundAttempt], *, max_bytes: int) -> list[str | InputError]:
    name, path = answers[0].name, answers[0].trajectory
    assert path is not None  # noqa: S101 - is_answer is known from its content
    data = read_file(path, name=name, max_bytes=max_bytes)
    file = formats.open_file(data, name=name, max_bytes=max_bytes)
    return [_read_answer(file, answer.sample) for answer in answers]


def _read_answer(file: formats.File, sample: str) -> str | InputError:
    try:
        return json.dumps(file.read(sample).answer)
    except InputError as refused:
        return refused


def _unread(answers: list[FoundAttempt], loss: Loss) -> list[str | InputError]:
    return [InputError(loss.problem(answer.name, answer.sample)) for answer in answers]
