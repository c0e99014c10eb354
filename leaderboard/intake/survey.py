"""The attempts in a candidate file: one, or as many as the file lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from leaderboard import formats
from leaderboard.domain.errors import InputError, InputErrors, Problem, UnknownFormatError
from leaderboard.formats import Sample
from leaderboard.formats.documents import MAX_BYTES, check_size
from leaderboard.intake.archives import HEAD, is_archive
from leaderboard.intake.conflicts import apart
from leaderboard.intake.description import Description, merge, read_description
from leaderboard.intake.findings import Finding, Severity, Verdict, error, note, warning
from leaderboard.intake.found_files import FoundAttempt, OtherFile, Survey
from leaderboard.intake.known_tasks import Catalogue
from leaderboard.intake.layout import (
    DESCRIPTION_NAMES,
    Candidate,
    FoundFile,
    candidates_in,
    is_several,
)
from leaderboard.intake.matching import (
    Match,
    UnmatchedError,
    match_id,
    match_path,
    task_in_metadata,
    words_of,
)


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


def survey(
    listed: Iterable[FoundFile],
    *,
    name: str,
    catalogue: Catalogue,
    benchmark: str = "",
    task_set: str = "",
    defaults: Description | None = None,
    max_bytes: int = MAX_BYTES,
) -> Survey:
    """Find the attempts among files; a file is opened only to learn what it holds.

    Args:
        listed: the files, from `layout.list_files`.
        name: of the upload, as its owner knows it.
        catalogue: the tasks that there are.
        benchmark: slug; where empty, entry.yaml or the tasks' ids tell.
        task_set: slug; likewise.
        defaults: what is known where entry.yaml is silent.
        max_bytes: of one trajectory file.
    """
    findings: list[Finding] = []
    others: list[OtherFile] = []
    files = refuse_links(listed, others)
    description = merge(defaults or Description(), take_description(files, others))
    candidates = _candidates(files, others)
    wanted = (_pair(benchmark, task_set), _pair(description.benchmark, description.task_set))
    benchmark, task_set = benchmark or description.benchmark, task_set or description.task_set
    keys = catalogue.find_sets(benchmark=benchmark, task_set=task_set)
    if not files and not others:
        reason, remedy = "there is no file in it", "put in a folder or a file for each task"
        return Survey((), (), "", description, (error(Problem(name, "", reason, remedy)),))
    parts = _parts(candidates, catalogue, keys, others, max_bytes=max_bytes)
    key = _choose_set(parts, catalogue, keys, name=name, wanted=wanted, findings=findings)
    found = _match(parts, catalogue, key, others) if key else []
    attempts, rivals = apart(
        [_attempt(part, match) for part, match in _count_trials(found)], max_bytes=max_bytes
    )
    findings.extend(_runs(rivals, name=name, wrapping=_wrapping(candidates)))
    others.extend(rivals)
    others.sort(key=lambda other: other.name)
    if not attempts and not _has_error(findings, others):
        reason = "there is no attempt in it"
        remedy = "put in .json, .jsonl, .ipynb, .traj or .eval files in one of the formats that are read"
        findings.append(error(Problem(name, "", reason, remedy)))
    return Survey(tuple(attempts), tuple(others), key, description, tuple(findings))


def _pair(benchmark: str, task_set: str) -> str:
    return f"{benchmark or '…'}/{task_set or '…'}"


def _has_error(findings: list[Finding], others: list[OtherFile]) -> bool:
    found = (*findings, *(finding for other in others for finding in other.findings))
    return any(finding.severity is Severity.ERROR for finding in found)


def refuse_links(listed: Iterable[FoundFile], others: list[OtherFile]) -> list[FoundFile]:
    """The files of ``listed`` that can be opened; the rest goes to ``others``."""
    files: list[FoundFile] = []
    for file in listed:
        if file.is_link:
            problem = Problem(file.name, "", "it is a link, or no file", "put the file in its place")
            others.append(OtherFile(file.name, 0, Verdict.REFUSED, (error(problem),)))
        else:
            files.append(file)
    return files


def take_description(files: list[FoundFile], others: list[OtherFile]) -> Description:
    """The description in the outermost entry.yaml; all that there are go from ``files`` to ``others``."""
    named = sorted(
        (file for file in files if file.parts[-1] in DESCRIPTION_NAMES),
        key=lambda file: (len(file.parts), DESCRIPTION_NAMES.index(file.parts[-1])),
    )
    if not named:
        return Description()
    first, *rest = named
    for file in named:
        files.remove(file)
    for file in rest:
        reason = f"there is another description, {first.name}"
        others.append(
            OtherFile(file.name, file.size, Verdict.PASSED_OVER, (note(Problem(file.name, "", reason)),))
        )
    try:
        description = read_description(first.path, name=first.name)
    except InputErrors as refused:
        found = tuple(error(problem) for problem in refused.problems)
        others.append(OtherFile(first.name, first.size, Verdict.REFUSED, found))
        return Description()
    others.append(OtherFile(first.name, first.size, Verdict.USED))
    return description


def _candidates(files: list[FoundFile], others: list[OtherFile]) -> list[Candidate]:
    candidates: list[Candidate] = []
    for _folder, group in groupby(files, key=lambda file: file.parts[:-1]):
        inside = list(group)
        found = candidates_in(inside)
        used = {
            file.name
            for candidate in found
            for file in (candidate.file, candidate.metrics, candidate.metadata)
            if file
        }
        candidates.extend(found)
        others.extend(pass_over(file) for file in inside if file.name not in used)
    return candidates


def pass_over(file: FoundFile) -> OtherFile:
    """A file that can be no attempt; with a warning where there may be some packed in it."""
    with file.path.open("rb") as content:
        inner = is_archive(content.read(HEAD))
    why: tuple[Finding, ...] = ()
    if inner:
        reason = "an archive inside the upload is not unpacked"
        problem = Problem(file.name, "", reason, "if there are results in it, put them in as files")
        why = (warning(problem),)
    return OtherFile(file.name, file.size, Verdict.PASSED_OVER, why)


def _parts(
    candidates: list[Candidate],
    catalogue: Catalogue,
    keys: tuple[str, ...],
    others: list[OtherFile],
    *,
    max_bytes: int,
) -> list[Part]:
    parts: list[Part] = []
    for candidate in candidates:
        held = parts_of(candidate, catalogue, keys, max_bytes=max_bytes)
        if isinstance(held, OtherFile):
            others.append(held)
        else:
            parts.extend(held)
    return parts


def _choose_set(
    parts: list[Part],
    catalogue: Catalogue,
    keys: tuple[str, ...],
    *,
    name: str,
    wanted: tuple[str, str],
    findings: list[Finding],
) -> str:
    """The one set that was named or that the files' names mean; empty, with an error, where that fails."""
    known = ", ".join(catalogue.sets)
    if not keys:
        form, file = wanted
        reason = "there is no such benchmark or task set"
        if _pair("", "") not in wanted and form != file:
            reason = f"no task set is both {form} (said by form or option) and {file} (by entry.yaml)"
        findings.append(error(Problem(name, "", reason, f"the task sets are {known}")))
        return ""
    if len(keys) > 1:
        keys = catalogue.guess([set(part.words()) for part in parts], keys)
    if len(keys) == 1:
        return keys[0]
    reason = f"its files can belong to {', '.join(keys)}" if keys else "no file in it is named after a task"
    remedy = f"name the benchmark and the set in entry.yaml; the task sets are {known}"
    findings.append(error(Problem(name, "", reason, remedy)))
    return ""


def _match(
    parts: list[Part], catalogue: Catalogue, key: str, others: list[OtherFile]
) -> list[tuple[Part, Match]]:
    # A file of answers beside a run's folder is no reason to take that folder's name for a word on attempts.
    around = [part.candidate for part in parts if not part.is_answer]
    wrapping = _wrapping(around or [part.candidate for part in parts])
    found = []
    for part in parts:
        try:
            found.append((part, part.match(catalogue, key, wrapping=wrapping)))
        except UnmatchedError as unmatched:
            file = part.candidate.main
            why = (error(unmatched.problem),)
            others.append(OtherFile(file.name, file.size, Verdict.REFUSED, why, sample=part.sample.key))
    return found


def _wrapping(candidates: list[Candidate]) -> int:
    """How many of the outermost folders hold every candidate."""
    first, *rest = [candidate.folders for candidate in candidates] or [()]
    count = len(first)
    for folders in rest:
        while first[:count] != folders[:count]:
            count -= 1
    return count


def _count_trials(found: list[tuple[Part, Match]]) -> Iterator[tuple[Part, Match]]:
    """Number the trials at each task, in the order of their names, where nothing else does."""
    seen: Counter[str] = Counter()
    for part, match in found:
        if match.is_trial:
            seen[match.task_id] += 1
            yield part, replace(match, number=seen[match.task_id])
        else:
            yield part, match


def _attempt(part: Part, match: Match) -> FoundAttempt:
    candidate = part.candidate
    main, metrics, metadata = candidate.main, candidate.metrics, candidate.metadata
    return FoundAttempt(
        task_id=match.task_id,
        number=match.number if match.number is not None else 1,
        matched_by=match.matched_by,
        name=main.name,
        size=main.size,
        trajectory=candidate.file.path if candidate.file else None,
        metrics=metrics.path if metrics else None,
        metadata=metadata.path if metadata else None,
        sample=part.sample.key,
        is_answer=part.is_answer,
    )


def _runs(refused: list[OtherFile], *, name: str, wrapping: int) -> list[Finding]:
    """Say it once where whole folders are rivals: results of several agents, or attempts without a number."""
    folders = {
        parts[wrapping]
        for other in refused
        if other.attempt and len(parts := other.name.split("/")) > wrapping + 1
    }
    contested = [other for other in refused if other.attempt]
    if len(folders) < 2 or len(contested) < 2 * len(folders):
        return []
    reason = f"these folders hold attempts at the same tasks: {', '.join(sorted(folders))}"
    remedy = "upload each agent's results by themselves; name attempts' folders attempt_1, attempt_2"
    return [error(Problem(name, "", reason, remedy))]
