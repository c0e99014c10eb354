"""Import the folder of a run, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.conf import settings

from leaderboard.attempts.services import Outcome, attempt_title, record_attempt
from leaderboard.catalogue.selectors import task_spec
from leaderboard.core.figures import refresh_figures
from leaderboard.core.limits import reading_limits
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.entries.editing import describe_import
from leaderboard.entries.names import ensure_entry
from leaderboard.formats.run_folder import AttemptFiles, scan_run
from leaderboard.intake.description import Description, read_description
from leaderboard.intake.findings import Severity
from leaderboard.intake.groups import join_groups
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.layout import DESCRIPTION_NAMES, list_files
from leaderboard.intake.reader import Reader
from leaderboard.intake.survey import survey
from leaderboard.models import Attempt, Entry, Task, TaskSet
from leaderboard.pipeline import Source, SourceResult, prepare_all

SAY_THE_SAME = "let both say the same"


@dataclass(slots=True)
class RunImport:
    """The result of an import: task ids by outcome, and a problem for each file that was not imported."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def note(self, task_id: str, outcome: Outcome) -> None:
        {"added": self.added, "changed": self.changed, "unchanged": self.unchanged}[outcome].append(task_id)


def import_run(
    root: Path,
    *,
    task_set: TaskSet,
    agent: str,
    model: str,
    number: int = 1,
    origin: str = "",
    workers: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunImport:
    """Record every attempt of a folder for ``agent`` with ``model``. Idempotent.

    The folder is in the layout of SUPER's authors, or has attempts of several files each. A file that can't
    be read is listed with the reason and stores nothing. The entry is added with its first attempt, and
    described by the folder's entry.yaml if it is an import.

    ``number`` says which try these attempts are, from 1; of several at a task, the first. ``origin`` says
    where the operator has them from: by default from the folder, by its name. It is public. ``workers`` is
    the number of processes, None for all cores. ``on_progress`` is called with the files done and the total.

    Raises:
        InputError: ``root`` is not the folder of a run, its entry.yaml is wrong, or ``number`` too high.
    """
    _check_number(number, task_set)
    description = _read_description(root, agent=agent, model=model, task_set=task_set)
    report = RunImport()
    found = _find(root, task_set, number, report)
    tasks = {task.task_id: task for task in task_set.tasks.all()}
    published = Entry.objects.filter(state=EntryState.PUBLISHED, task_set=task_set)
    entry = published.filter(agent__name=agent, agent__model=model).first()
    sources = list(_sources(found, tasks, f"{agent} · {model}", _known_digests(entry), report))
    prepared = prepare_all(sources, workers, limits=reading_limits())
    try:
        for done, (source, result) in enumerate(prepared, start=1):
            if isinstance(result, Problem):
                report.problems.append(result)
            else:
                entry = entry or ensure_entry(
                    task_set=task_set, agent=agent, model=model, origin=origin or root.resolve().name
                )
                _record(entry, tasks[source.spec.task_id], source, result, report)
            on_progress(done, len(sources))
    finally:
        # Also when interrupted, and when nothing changed: an earlier import may have been killed before this.
        if entry:
            describe_import(entry, description)
            refresh_figures(task_set, [entry])
    report.problems.sort(key=lambda problem: problem.file)
    return report


def _read_description(root: Path, *, agent: str, model: str, task_set: TaskSet) -> Description:
    """The description in a run's folder; an empty one without a file."""
    path = next((root / name for name in DESCRIPTION_NAMES if (root / name).is_file()), None)
    if path is None:
        return Description()
    description = read_description(path, name=path.name)
    told = (
        ("benchmark", description.benchmark, task_set.benchmark.slug),
        ("set", description.task_set, task_set.slug),
        ("agent", description.agent, agent),
        ("model", description.model, model),
    )
    if problems := [
        Problem(path.name, f"$.{key}", f"it is “{said}”, but the import is for “{asked}”", SAY_THE_SAME)
        for key, said, asked in told
        if said and said != asked
    ]:
        raise InputError(*problems)
    return description


def _find(root: Path, task_set: TaskSet, number: int, report: RunImport) -> list[AttemptFiles]:
    """The attempts in a folder, numbered from ``number``; ``report`` gets the problems of what is none."""
    files = list(list_files(root)) if root.is_dir() else []
    if not join_groups(files, name=root.resolve().name).candidates:
        folder = scan_run(root)
        report.problems += folder.problems
        return [replace(attempt, number=number) for attempt in folder.attempts]
    key = f"{task_set.benchmark.slug}/{task_set.slug}"
    ids = tuple(task_set.tasks.values_list("task_id", flat=True))
    left = task_set.benchmark.max_attempts - number + 1
    known = KnownTasks({key: ids}, {key: left}, {key: task_set.benchmark.scoring})
    reader = Reader(max_bytes=settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20, limits=reading_limits())
    found = survey(files, name=root.resolve().name, known_tasks=known, reader=reader)
    findings = [*found.findings, *(each for other in found.others for each in other.findings)]
    report.problems += [each.problem for each in findings if each.severity is Severity.ERROR]
    return [replace(attempt.files, number=attempt.number + number - 1) for attempt in found.attempts]


def _known_digests(entry: Entry | None) -> dict[tuple[str, int], str]:
    """What an entry's attempts were made of, by task and number."""
    attempts = Attempt.objects.filter(entry=entry) if entry else Attempt.objects.none()
    rows = attempts.values_list("task__task_id", "number", "source_digest")
    return {(task_id, number): digest for task_id, number, digest in rows}


def _check_number(number: int, task_set: TaskSet) -> None:
    most = task_set.benchmark.max_attempts
    if number > most:
        reason = f"it is attempt {number:,}, and {task_set.benchmark} allows an entry {most:,} (max_attempts)"
        remedy = "import it under a lower number, or raise the limit in the benchmark's data"
        raise InputError(Problem(str(task_set), "", reason, remedy))


def _record(entry: Entry, task: Task, source: Source, result: SourceResult, report: RunImport) -> None:
    try:
        outcome = record_attempt(
            entry=entry,
            task=task,
            number=source.files.number,
            digest=result.digest,
            prepared=result.prepared,
            reported=result.reported,
        )
    except OSError as error:
        reason = f"its files could not be stored: {error}"
        remedy = "check the disk of the media folder"
        report.problems.append(Problem(source.files.name, "", reason, remedy))
    else:
        report.note(task.task_id, outcome)


def _sources(
    attempts: list[AttemptFiles],
    tasks: Mapping[str, Task],
    agent: str,
    known: Mapping[tuple[str, int], str],
    report: RunImport,
) -> Iterator[Source]:
    for files in attempts:
        task = tasks.get(files.task_id)
        if task is None:
            reason = f"“{files.task_id}” is not a task of this task set"
            remedy = "import its tasks first, or check --set"
            report.problems.append(Problem(files.name, "", reason, remedy))
            continue
        yield Source(
            files=files,
            spec=task_spec(task),
            scoring=task.scoring,
            title=attempt_title(files.task_id, agent),
            known_digest=known.get((files.task_id, files.number), ""),
            limit=settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20,
        )
