"""Finds the attempts among the files of an upload, and their tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import Final

from leaderboard.domain.errors import InputError, Problem, UnknownFormatError
from leaderboard.formats import Sample
from leaderboard.formats.inspect_log import starts_log
from leaderboard.intake.archives import HEAD, is_archive, is_bundle
from leaderboard.intake.attempt_limit import within_limit
from leaderboard.intake.conflicts import separate_conflicts
from leaderboard.intake.description import Description, merge, read_description
from leaderboard.intake.findings import FileReport, Finding, Severity, Verdict, error, note, warning
from leaderboard.intake.found_files import FoundAttempt, Survey
from leaderboard.intake.groups import Grouped, join_groups
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.layout import (
    BUNDLE_SUFFIX,
    DESCRIPTION_NAMES,
    Candidate,
    ListedFile,
    can_hold_several,
    candidates_in,
)
from leaderboard.intake.matching import (
    Match,
    UnmatchedError,
    match_id,
    match_path,
    task_in_metadata,
    words_of,
)
from leaderboard.intake.pool import unexpected
from leaderboard.intake.reader import Listing, Reader
from leaderboard.scoring.contract import Metric

MAX_ATTEMPTS: Final = 5_000
"""The default limit for the attempts of one entry."""

_ATTEMPT_KEY = b'"attempt"'
# So many bytes of a log say that it is one.
_BEGINNING: Final = 1_000


@dataclass(frozen=True, slots=True)
class CandidateAttempt:
    """One attempt of a candidate.

    Attributes:
        only_one: it is the only attempt in its file.
        metadata_task: the task that the metadata file beside it names, if its path names none.
        is_answer: its file was opened, and has answers without trajectories.
    """

    candidate: Candidate
    sample: Sample
    only_one: bool = True
    metadata_task: str = ""
    is_answer: bool = False

    def words(self) -> Iterator[str]:
        """The words that may be a task's id."""
        if self.sample.task_id:
            yield self.sample.task_id
        if self.metadata_task:
            yield self.metadata_task
        if self.only_one and not (self.sample.is_trial and self.sample.task_id):
            yield from words_of(self.candidate)

    def match(self, known_tasks: KnownTasks, key: str, *, wrapping: int) -> Match:
        """The task of this attempt; an id inside the file takes precedence over folders and names.

        Raises:
            UnmatchedError: nothing names a task of the set, or the names fit several; or what the file has as
                the attempt's number is none.
        """
        sample, file = self.sample, self.candidate.main.name
        if sample.problem:
            raise UnmatchedError(sample.problem)
        if sample.is_trial and sample.task_id:
            # The folder of a trial has a part of the task's name, which may be another task's.
            match = match_id(sample.task_id, known_tasks, key, file=file, place=sample.key)
            return replace(match, is_trial=True)
        if not sample.task_id:
            found = match_path(self.candidate, known_tasks, key, wrapping=wrapping)
            return found.numbered(sample.attempt)
        try:
            by_path = match_path(self.candidate, known_tasks, key, wrapping=wrapping)
        except UnmatchedError:
            by_path = None
        try:
            match = match_id(sample.task_id, known_tasks, key, file=file, place=sample.key)
        except UnmatchedError:
            if by_path is None or not self.only_one:
                raise
            return by_path.numbered(sample.attempt)
        number = by_path.number if by_path and by_path.task_id == match.task_id else None
        return Match(match.task_id, match.matched_by, sample.attempt or number)


def _named_by_path(
    candidate: Candidate, known_tasks: KnownTasks, keys: tuple[str, ...]
) -> CandidateAttempt | None:
    """The attempt of a candidate whose path names its task; None if its file has to be opened.

    A bundle, and a file that can hold several attempts, judged by its name or its beginning, is always
    opened.
    """
    file = candidate.file
    if file is not None and (file.bundle or can_hold_several(file.name) or _is_log(file)):
        return None
    if any(known_tasks.find_tasks(word, keys) for word in words_of(candidate)):
        return CandidateAttempt(candidate, Sample())
    named = task_in_metadata(candidate)
    if file is None or (named and known_tasks.find_tasks(named, keys)):
        return CandidateAttempt(candidate, Sample(), metadata_task=named)
    return None


def _find_attempts(
    candidates: list[Candidate],
    known_tasks: KnownTasks,
    keys: tuple[str, ...],
    others: list[FileReport],
    reader: Reader,
) -> Iterator[CandidateAttempt]:
    """The attempts in the candidates, in order; ``others`` gets the reason for each without one."""
    found: list[CandidateAttempt | Candidate] = []
    for candidate in candidates:
        try:
            found.append(_named_by_path(candidate, known_tasks, keys) or candidate)
        except InputError as refused:
            others.append(candidate.main.line(Verdict.REFUSED, error(refused.problem)))
    to_open = [each.file for each in found if isinstance(each, Candidate) and each.file]
    named = [each.candidate.file for each in found if isinstance(each, CandidateAttempt)]
    to_open += [file for file in named if file and _may_number(file, reader.max_bytes)]
    opened = reader.list_attempts(to_open)
    for each in found:
        if isinstance(each, CandidateAttempt):
            yield _numbered(each, opened)
        elif each.file:
            yield from _attempts_in(each, each.file, opened[each.file.name], others)


def _is_log(file: ListedFile) -> bool:
    if not file.name.lower().endswith(".json"):
        return False
    with file.path.open("rb") as content:
        return starts_log(content.read(_BEGINNING))


def _may_number(file: ListedFile, max_bytes: int) -> bool:
    """Whether a file has a key with the attempt's number; only such a file is parsed for it."""
    return file.size <= max_bytes and _ATTEMPT_KEY in file.path.read_bytes()


def _numbered(attempt: CandidateAttempt, opened: Mapping[str, Listing | InputError]) -> CandidateAttempt:
    """The attempt with its number from its file; if that can't be read, preparing it says why."""
    file = attempt.candidate.file
    listing = opened.get(file.name) if file else None
    if not isinstance(listing, Listing) or len(listing.samples) != 1:
        return attempt
    inside = listing.samples[0]
    return replace(attempt, sample=Sample(attempt=inside.attempt, problem=inside.problem))


def _attempts_in(
    candidate: Candidate, file: ListedFile, listing: Listing | InputError, others: list[FileReport]
) -> Iterator[CandidateAttempt]:
    if isinstance(listing, UnknownFormatError):
        others.append(file.line(Verdict.PASSED_OVER, note(listing.problem)))
    elif isinstance(listing, InputError):
        others.append(file.line(Verdict.REFUSED, error(listing.problem)))
    else:
        samples = listing.samples
        if not samples:
            problem = Problem(file.name, "", "there is no attempt in it", "leave it out")
            others.append(file.line(Verdict.PASSED_OVER, warning(problem)))
        for sample in samples:
            yield CandidateAttempt(
                candidate, sample, only_one=len(samples) == 1, is_answer=listing.holds_answers
            )


def survey(
    listed: Iterable[ListedFile],
    *,
    name: str,
    known_tasks: KnownTasks,
    benchmark: str = "",
    task_set: str = "",
    defaults: Description | None = None,
    reader: Reader | None = None,
    max_attempts: int = MAX_ATTEMPTS,
) -> Survey:
    """Find the attempts among files; ``reader`` opens a file only if its name does not say enough.

    If the slugs of benchmark and task set are empty, they are taken from entry.yaml or found by the tasks'
    ids; ``defaults`` is for what entry.yaml leaves out. ``name`` is the upload's, as its owner knows it.
    """
    findings: list[Finding] = []
    others: list[FileReport] = []
    files = refuse_links(listed, others)
    description = merge(defaults or Description(), extract_description(files, others))
    candidates = _candidates(join_groups(files, name=name), others)
    wanted = (_pair(benchmark, task_set), _pair(description.benchmark, description.task_set))
    benchmark, task_set = benchmark or description.benchmark, task_set or description.task_set
    keys = known_tasks.find_sets(benchmark=benchmark, task_set=task_set)
    if not files and not others:
        reason, remedy = "there is no file in it", "add a folder or a file for each task"
        return Survey((), (), "", description, (error(Problem(name, "", reason, remedy)),))
    reader = reader or Reader()
    sources = list(_find_attempts(candidates, known_tasks, keys, others, reader))
    if len(sources) > max_attempts:
        return Survey((), (), "", description, (error(_too_many(len(sources), max_attempts, name)),))
    key = _choose_set(sources, known_tasks, keys, name=name, wanted=wanted, findings=findings)
    found = _match(sources, known_tasks, key, others) if key else []
    most = known_tasks.attempts_allowed(key)
    # Before conflicts are looked for, which compares each attempt with the others at its task.
    found = within_limit(found, most=most, others=others)
    attempts, conflicting = separate_conflicts(found, reader)
    attempts = within_limit(attempts, most=most, others=others)
    findings.extend(_conflicting_folders(conflicting, name=name, wrapping=_wrapping(candidates)))
    others.extend(conflicting)
    others.sort(key=lambda other: other.name)
    known = (*findings, *(finding for other in others for finding in other.findings))
    if not attempts and all(finding.severity is not Severity.ERROR for finding in known):
        reason = "there is no attempt in it"
        remedy = "add .json, .jsonl, .ipynb, .traj or .eval files in one of the supported formats"
        findings.append(error(Problem(name, "", reason, remedy)))
    return Survey(tuple(attempts), tuple(others), key, description, tuple(findings))


def _too_many(count: int, most: int, name: str) -> Problem:
    reason = f"there are {count:,} attempts in it, more than the limit of {most:,}"
    remedy = "send fewer attempts at once, or ask the operators to raise SUPERBOARD_MAX_UPLOAD_ATTEMPTS"
    return Problem(name, "", reason, remedy)


def _pair(benchmark: str, task_set: str) -> str:
    return f"{benchmark or '…'}/{task_set or '…'}"


def refuse_links(listed: Iterable[ListedFile], others: list[FileReport]) -> list[ListedFile]:
    """The files of ``listed`` that are regular files; links and the like are added to ``others``."""
    files: list[ListedFile] = []
    for file in listed:
        if file.is_link:
            reason = "it is a link or a special file"
            problem = Problem(file.name, "", reason, "replace it with the file itself")
            others.append(FileReport(file.name, 0, Verdict.REFUSED, (error(problem),)))
        else:
            files.append(file)
    return files


def extract_description(files: list[ListedFile], others: list[FileReport]) -> Description:
    """The description in the outermost entry.yaml; moves every entry.yaml from ``files`` to ``others``."""
    descriptions = sorted(
        (file for file in files if file.parts[-1] in DESCRIPTION_NAMES),
        key=lambda file: (len(file.parts), DESCRIPTION_NAMES.index(file.parts[-1])),
    )
    if not descriptions:
        return Description()
    first, *rest = descriptions
    for file in descriptions:
        files.remove(file)
    reason = f"the description in {first.name} is used instead"
    others.extend(file.line(Verdict.PASSED_OVER, note(Problem(file.name, "", reason))) for file in rest)
    try:
        description = read_description(first.path, name=first.name)
    except InputError as refused:
        others.append(first.line(Verdict.REFUSED, *map(error, refused.problems)))
        return Description()
    except Exception as fault:  # noqa: BLE001 - one bad file must not stop the check of the others
        others.append(first.line(Verdict.REFUSED, error(unexpected(fault).problem(first.name))))
        return Description()
    others.append(first.line(Verdict.USED))
    return description


def _candidates(grouped: Grouped, others: list[FileReport]) -> list[Candidate]:
    candidates = grouped.candidates
    for _folder, group in groupby(grouped.files, key=lambda file: file.parts[:-1]):
        inside = list(group)
        # Other archives are no results, whatever task their names may have.
        found = candidates_in([file for file in inside if not _is_other_archive(file)])
        used = {
            file.name
            for candidate in found
            for file in (candidate.file, candidate.metrics, candidate.metadata)
            if file
        }
        candidates.extend(found)
        others.extend(passed_over_file(file) for file in inside if file.name not in used)
    return candidates


def _is_other_archive(file: ListedFile) -> bool:
    return file.name.lower().endswith(BUNDLE_SUFFIX) and not is_bundle(file.path)


def passed_over_file(file: ListedFile) -> FileReport:
    """The report line of a file that can't be an attempt, with a warning if it is an archive."""
    with file.path.open("rb") as content:
        if not is_archive(content.read(HEAD)):
            return file.line(Verdict.PASSED_OVER)
    reason = "an archive inside the upload is not unpacked"
    problem = Problem(file.name, "", reason, "if it contains results, add them as files")
    return file.line(Verdict.PASSED_OVER, warning(problem))


def _choose_set(
    attempts: list[CandidateAttempt],
    known_tasks: KnownTasks,
    keys: tuple[str, ...],
    *,
    name: str,
    wanted: tuple[str, str],
    findings: list[Finding],
) -> str:
    """The key of the task set that was named or that the files' names match; else empty, with an error."""
    known = ", ".join(known_tasks.sets)
    if not keys:
        form, file = wanted
        reason = "there is no such benchmark or task set"
        if _pair("", "") not in wanted and form != file:
            reason = f"no task set is both {form} (from the form or option) and {file} (from entry.yaml)"
        findings.append(error(Problem(name, "", reason, f"the task sets are {known}")))
        return ""
    if len(keys) > 1:
        keys = known_tasks.guess([set(attempt.words()) for attempt in attempts], keys)
    if len(keys) == 1:
        return keys[0]
    reason = f"its files may belong to {', '.join(keys)}" if keys else "no file in it is named after a task"
    remedy = f"name the benchmark and the set in entry.yaml; the task sets are {known}"
    findings.append(error(Problem(name, "", reason, remedy)))
    return ""


def _match(
    attempts: list[CandidateAttempt], known_tasks: KnownTasks, key: str, others: list[FileReport]
) -> list[FoundAttempt]:
    """The attempts whose task is known; the trials at each task are numbered in the order of their names."""
    # Not the files of answers: one beside a run's folder must not make that folder's name an attempt number.
    around = [attempt.candidate for attempt in attempts if not attempt.is_answer]
    wrapping = _wrapping(around or [attempt.candidate for attempt in attempts])
    found: list[FoundAttempt] = []
    trials: Counter[str] = Counter()
    for attempt in attempts:
        try:
            match = attempt.match(known_tasks, key, wrapping=wrapping)
        except UnmatchedError as unmatched:
            file, why = attempt.candidate.main, error(unmatched.problem)
            others.append(file.line(Verdict.REFUSED, why, sample=attempt.sample.key))
            continue
        if match.is_trial:
            trials[match.task_id] += 1
            match = replace(match, number=trials[match.task_id])
        found.append(_found_attempt(attempt, match, known_tasks.reported_metrics(key)))
    return found


def _wrapping(candidates: list[Candidate]) -> int:
    """How many of the outermost folders contain every candidate."""
    levels = zip(*(candidate.folders for candidate in candidates), strict=False)
    return sum(1 for _same in takewhile(lambda names: len(set(names)) == 1, levels))


def _found_attempt(
    attempt: CandidateAttempt, match: Match, known_metrics: tuple[Metric, ...]
) -> FoundAttempt:
    candidate = attempt.candidate
    main, metrics, metadata = candidate.main, candidate.metrics, candidate.metadata
    return FoundAttempt(
        task_id=match.task_id,
        number=match.number if match.number is not None else 1,
        matched_by=match.matched_by,
        name=main.name,
        size=main.size,
        trajectory=candidate.file.source if candidate.file else None,
        metrics=metrics.path if metrics else None,
        metadata=metadata.path if metadata else None,
        sample=attempt.sample.key,
        counts_in_file=attempt.sample.counts_in_file,
        is_answer=attempt.is_answer,
        known_metrics=known_metrics,
    )


def _conflicting_folders(refused: list[FileReport], *, name: str, wrapping: int) -> list[Finding]:
    """One error if whole folders conflict: results of several agents, or attempts without a number."""
    folders = {
        parts[wrapping]
        for other in refused
        if other.task_id and len(parts := other.name.split("/")) > wrapping + 1
    }
    conflicts = sum(bool(other.task_id) for other in refused)
    if len(folders) < 2 or conflicts < 2 * len(folders):
        return []
    reason = f"these folders contain attempts at the same tasks: {', '.join(sorted(folders))}"
    remedy = "upload each agent's results separately; name attempts' folders attempt_1, attempt_2"
    return [error(Problem(name, "", reason, remedy))]
