"""The attempts in a candidate file: one, or as many as the file lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard import formats
from leaderboard.checking.catalogue import Catalogue
from leaderboard.checking.findings import Verdict, error, note, warning
from leaderboard.checking.found import OtherFile
from leaderboard.checking.layout import Candidate, is_several
from leaderboard.checking.matching import (
    Match,
    UnmatchedError,
    match_id,
    match_path,
    task_in_metadata,
    words_of,
)
from leaderboard.domain.errors import InputError, Problem, UnknownFormatError
from leaderboard.formats import Sample
from leaderboard.formats.documents import check_size


@dataclass(frozen=True, slots=True)
class Part:
    """One attempt of a candidate.

    ``alone``: it is the only attempt in its file. ``named``: the task that the metadata file beside it names,
    if its path names none. ``is_answer``: its file was opened, and has answers without trajectories.
    """

    candidate: Candidate
    sample: Sample
    alone: bool = True
    named: str = ""
    is_answer: bool = False

    def words(self) -> Iterator[str]:
        """The words that may be a task's id."""
        if self.sample.task_id:
            yield self.sample.task_id
        if self.named:
            yield self.named
        if self.alone:
            yield from words_of(self.candidate)

    def match(self, catalogue: Catalogue, key: str, *, wrapping: int) -> Match:
        """The task of this part; an id inside the file takes precedence over folders and names.

        Raises:
            UnmatchedError: nothing names a task of the set, or the names fit several.
        """
        sample, file = self.sample, self.candidate.main.name
        if not sample.task_id:
            return match_path(self.candidate, catalogue, key, wrapping=wrapping)
        try:
            by_path = match_path(self.candidate, catalogue, key, wrapping=wrapping)
        except UnmatchedError:
            by_path = None
        try:
            match = match_id(sample.task_id, catalogue, key, file=file, place=sample.key)
        except UnmatchedError:
            if by_path is None or not self.alone:
                raise
            return by_path
        number = by_path.number if by_path and by_path.task_id == match.task_id else None
        return Match(match.task_id, match.matched_by, sample.attempt or number)


def parts_of(
    candidate: Candidate, catalogue: Catalogue, keys: tuple[str, ...], *, max_bytes: int
) -> list[Part] | OtherFile:
    """The attempts in a candidate, or why it has none.

    A file is opened only if its path names no task, or if a file of its name can hold several attempts.
    """
    file = candidate.file
    try:
        if file is None or not is_several(file.name):
            if any(catalogue.find_tasks(word, keys) for word in words_of(candidate)):
                return [Part(candidate, Sample())]
            named = task_in_metadata(candidate)
            if file is None or (named and catalogue.find_tasks(named, keys)):
                return [Part(candidate, Sample(), named=named)]
        check_size(file.size, name=file.name, max_bytes=max_bytes)
        opened = formats.open_file(file.path.read_bytes(), name=file.name, max_bytes=max_bytes)
        samples = opened.samples
    except UnknownFormatError as unknown:
        main = candidate.main
        return OtherFile(main.name, main.size, Verdict.PASSED_OVER, (note(unknown.problem),))
    except InputError as refused:
        main = candidate.main
        return OtherFile(main.name, main.size, Verdict.REFUSED, (error(refused.problem),))
    if not samples:
        problem = Problem(file.name, "", "there is no attempt in it", "leave it out")
        return OtherFile(file.name, file.size, Verdict.PASSED_OVER, (warning(problem),))
    alone, is_answer = len(samples) == 1, opened.holds_answers
    return [Part(candidate, sample, alone=alone, is_answer=is_answer) for sample in samples]
