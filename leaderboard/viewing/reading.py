"""From a source's files to its attempts; a file that is still being written is read as far as it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import JsonValue, Trajectory
from leaderboard.formats.bundles import pack
from leaderboard.formats.documents import as_number, check_size, read_file
from leaderboard.formats.run_folder import read_metrics
from leaderboard.formats.samples import Sample
from leaderboard.intake.pool import unexpected
from leaderboard.pipeline import Looked, look_at
from leaderboard.scoring import scoring_of
from leaderboard.scoring.contract import Scoring
from leaderboard.viewing.sources import Source
from leaderboard.viewing.tasks import Tasks

_UNSCORED: Final = scoring_of("")


@dataclass(frozen=True, slots=True)
class ReadAttempt:
    """One attempt of a source, scored by ``scoring`` against ``task``."""

    sample: Sample
    task: TaskSpec
    scoring: Scoring
    looked: Looked


class Reader:
    """Reads sources; ``max_bytes`` is the limit of one attempt's files together."""

    def __init__(self, tasks: Tasks, max_bytes: int) -> None:
        self.tasks = tasks
        self._max_bytes = max_bytes

    def data(self, source: Source) -> bytes:
        """The original: the file's bytes, or the archive of a bundle's files.

        Raises:
            InputError: it is too large, or can't be read.
        """
        if not source.is_bundle:
            return read_file(source.files[0][1], name=source.name, max_bytes=self._max_bytes)
        check_size(source.size, name=source.name, max_bytes=self._max_bytes)
        left, contents = self._max_bytes, {}
        for name, path in source.files:
            # Some of a bundle's files may be empty: the format knows which matter.
            contents[name] = read_file(path, name=source.name, max_bytes=left) if path.stat().st_size else b""
            left -= len(contents[name])
        return pack(contents)

    def read(self, source: Source) -> Iterator[ReadAttempt | Problem]:
        """Every attempt of a source, or what is wrong with it; nothing is raised."""
        try:
            file, samples = self._open(source)
        except InputError as error:
            yield error.problem
            return
        except Exception as fault:  # noqa: BLE001 - one bad file must not stop the others
            yield unexpected(fault).problem(source.name)
            return
        for sample in samples:
            yield sample.problem or self._read(source, file, sample)

    def read_sample(self, source: Source, key: str) -> ReadAttempt | Problem:
        """One attempt again."""
        try:
            file, samples = self._open(source)
        except InputError as error:
            return error.problem
        except Exception as fault:  # noqa: BLE001 - as above
            return unexpected(fault).problem(source.name)
        sample = next((each for each in samples if each.key == key), None)
        return (
            self._read(source, file, sample) if sample else Problem(source.name, key, "it is no longer there")
        )

    def _open(self, source: Source) -> tuple[formats.File, tuple[Sample, ...]]:
        data = self.data(source)
        name = source.name
        try:
            file = formats.open_file(data, name=name, max_bytes=max(len(data), self._max_bytes))
            _check_not_answers(file, name)
            samples = file.samples
        except InputError:
            whole = _whole_lines(data)
            if len(whole) in (0, len(data)):
                raise
            file = formats.open_file(whole, name=name, max_bytes=max(len(data), self._max_bytes))
            samples = file.samples
        if len(samples) > 1 and samples[-1].problem and len(_whole_lines(data)) < len(data):
            samples = samples[:-1]
        return file, samples

    def _read(self, source: Source, file: formats.File, sample: Sample) -> ReadAttempt | Problem:
        try:
            trajectory = _with_reported(file.read(sample.key), source)
            words = [sample.task_id, *reversed(source.words)]
            known = self.tasks.find(words)
            task = known or TaskSpec(sample.task_id or source.label)
            scoring = self.tasks.scoring if known else _UNSCORED
            return ReadAttempt(sample, task, scoring, look_at(trajectory, task=task, scoring=scoring))
        except InputError as error:
            return error.problem
        except Exception as fault:  # noqa: BLE001 - as above
            return unexpected(fault).problem(source.name, sample.key)


def _check_not_answers(file: formats.File, name: str) -> None:
    if file.holds_answers:
        reason = "it has answers alone, and no step of an agent"
        raise InputError(Problem(name, "", reason, "give the trajectories that they are from"))


def _whole_lines(data: bytes) -> bytes:
    """What a program that writes line by line has finished."""
    return data[: data.rfind(b"\n") + 1]


def _with_reported(trajectory: Trajectory, source: Source) -> Trajectory:
    """The trajectory with the scores of a metrics.json beside it among those that its tool gave."""
    if source.metrics is None:
        return trajectory
    try:
        data = read_file(source.metrics, name=source.metrics.name)
        scores = read_metrics(data, name=source.metrics.name, known=())
    except InputError:
        return trajectory
    known = {name for name, _value in trajectory.rewards}
    new = tuple((name, value) for name, value in scores.items() if value is not None and name not in known)
    return replace(trajectory, rewards=(*trajectory.rewards, *new))


def reward_number(text: str) -> float | None:
    """A score that a tool gave, from its text in `attempt_fields`, as a number; None if it is none."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return float(value) if isinstance(value, bool) else as_number(value)
