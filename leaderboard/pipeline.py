"""Prepare an attempt: from a file's bytes to everything that is stored, without a database.

An import or a check runs it in several processes, so arguments and results can be pickled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

from backports import zstd

from leaderboard import formats, rendering
from leaderboard.diagnosis import Diagnosis, diagnose
from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.masking import Masking
from leaderboard.domain.media import Media, limited
from leaderboard.domain.scores import LandmarkResult, Scored
from leaderboard.domain.suspicions import Suspicion, find_suspicions
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.bundles import Bundle
from leaderboard.formats.documents import MAX_BYTES, read_file
from leaderboard.formats.run_folder import AttemptFiles, read_metrics
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.examine import examine
from leaderboard.intake.findings import Finding
from leaderboard.intake.pool import Limits, Loss, process_all
from leaderboard.rendering.model import Rendering, Whole
from leaderboard.scoring.contract import Scoring

_MAX_NAME = 255
"""Characters of the longest name of a file."""

VERSION = "4"
"""Part of an attempt's digest: increase it to record unchanged files again on the next import."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Content ready for the blob store, named by its SHA-256; ``size`` is in bytes before compression."""

    digest: str
    size: int
    compressed: bytes


@dataclass(frozen=True, slots=True)
class StepOutput:
    """The whole output of a step whose observation omits some of it.

    ``digest`` and ``size`` are as in ``Packed``; ``cut`` says that its end is missing. ``path`` is a file
    with the compressed output; None if the blob store already has it.
    """

    step: int
    digest: str
    size: int
    cut: bool
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class MediaFile:
    """An output that is no text: the ``number``-th of its step, from 1; ``suffix`` is without a dot."""

    step: int
    number: int
    suffix: str
    packed: Packed


@dataclass(frozen=True, slots=True)
class FilesMade:
    """The files made from a trajectory: the notebook, and the self-contained page."""

    notebook: Packed
    standalone: Packed


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that is stored for an attempt with a trajectory.

    ``task`` is the task it was scored against; the stored task may change before the attempt is recorded.
    ``trajectory`` is as pages show it: ``secrets`` places that look like secrets are masked, and ``findings``
    list them; its outputs that are no text are in ``media``. ``sample`` is the key of the attempt in an
    original with several (`formats.Sample`).
    ``answer`` is from a file of answers beside the trajectory, as `GivenAnswer.as_bytes` writes it.
    ``rendering`` and ``made`` are None for an attempt without steps, such as an answer alone. ``diagnosis``
    is of the masked trajectory, so nothing in it looks like a secret. ``suspicions`` are for operators alone.
    """

    task: TaskSpec
    trajectory: Trajectory
    scored: Scored
    diagnosis: Diagnosis
    rendering: Rendering | None
    original: Packed
    original_name: str
    sample: str
    made: FilesMade | None
    outputs: tuple[StepOutput, ...] = ()
    media: tuple[MediaFile, ...] = ()
    answer: Packed | None = None
    findings: tuple[Finding, ...] = ()
    secrets: int = 0
    suspicions: tuple[Suspicion, ...] = ()


def pack(content: bytes) -> Packed:
    """Compress ``content`` and name it by its digest."""
    digest = hashlib.sha256(content).hexdigest()
    return Packed(digest, len(content), zstd.compress(content, level=3))


def source_digest(files: Mapping[str, bytes], *, sample: str = "") -> str:
    """A digest of the files' names and contents, to recognise an attempt that is already recorded.

    ``sample`` is the attempt's key in a file with several.
    """
    digest = hashlib.sha256(VERSION.encode())
    if sample:
        digest.update(f"\0{sample}".encode("utf-8", "surrogatepass"))
    for name in sorted(files):
        digest.update(f"\0{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Original:
    """A trajectory file, opened and packed once for all of its attempts; ``name`` as its owner knows it."""

    name: str
    file: formats.File
    packed: Packed


def open_original(data: bytes, *, name: str, max_bytes: int = MAX_BYTES) -> Original:
    """Open a trajectory file; arguments and errors are those of `prepare`."""
    # The caller has already checked the size of the file.
    file = formats.open_file(data, name=name, max_bytes=max(len(data), max_bytes))
    return Original(name, file, pack(data))


def prepare(
    data: bytes,
    *,
    name: str,
    task: TaskSpec,
    scoring: Scoring,
    title: str,
    sample: str = "",
    max_bytes: int = MAX_BYTES,
    outputs: tuple[StepOutput, ...] = (),
    answer: GivenAnswer | None = None,
) -> Prepared:
    """Read, score and render one attempt.

    Args:
        data: the content of the trajectory file.
        name: its path as its owner knows it, for messages; the last part is the download's name.
        task: the task to score it against.
        scoring: the rules to score it by.
        title: of the self-contained page, e.g. ``conv_graph · ReAct-SUPER · GPT-4o``.
        sample: the key of the attempt in a file with several (`formats.Sample`).
        max_bytes: limit for unpacking an archive, if it is larger than the file.
        outputs: whole outputs of steps whose observations are shortened, to be stored and linked.
        answer: from a file of answers; it counts if the trajectory has no answer.

    Raises:
        InputError: the file can't be read; the problem says where and why.
    """
    original = open_original(data, name=name, max_bytes=max_bytes)
    return prepare_sample(
        original, sample, task=task, scoring=scoring, title=title, outputs=outputs, answer=answer
    )


def prepare_sample(
    original: Original,
    sample: str,
    *,
    task: TaskSpec,
    scoring: Scoring,
    title: str,
    outputs: tuple[StepOutput, ...] = (),
    answer: GivenAnswer | None = None,
) -> Prepared:
    """As `prepare`, of a file that is open. An attempt without steps is not rendered: its row says it all."""
    name = original.name
    trajectory, compared = with_answer(original.file.read(sample), answer, name=name)
    looked = look_at(trajectory, task=task, scoring=scoring)
    trajectory, shown, scored = looked.read, looked.shown, looked.scored
    whole = {output.step: Whole(output.size, output.cut) for output in outputs}
    rendered = None
    if shown.steps:
        rendered = rendering.render_attempt(
            shown, scored.landmarks, outputs=whole, exported=rendering.export_notebook
        )
    return Prepared(
        task=task,
        trajectory=_with_media(shown, repeat(())),
        scored=scored,
        diagnosis=looked.diagnosis,
        rendering=rendered,
        original=original.packed,
        original_name=_original_name(original),
        sample=sample,
        made=_files_made(rendered, open_landmarks(scored, task), title) if rendered else None,
        outputs=outputs,
        media=tuple(_media_files(shown)),
        answer=pack(answer.as_bytes()) if answer else None,
        findings=(*compared, *examine(trajectory, name=name)),
        secrets=looked.secrets,
        suspicions=find_suspicions(task, trajectory),
    )


def _original_name(original: Original) -> str:
    """The name of the download: a bundle has its folder's."""
    last = original.name.rsplit("/", 1)[-1]
    if not original.file.is_bundle or last.lower().endswith(".zip"):
        return last
    return f"{last[: _MAX_NAME - len('.zip')]}.zip"


@dataclass(frozen=True, slots=True)
class Looked:
    """A trajectory as pages show it, scored and diagnosed, before it is rendered.

    Of its outputs that are no text it has those within the limits. ``shown`` is ``read`` with ``secrets``
    places masked.
    """

    read: Trajectory
    shown: Trajectory
    scored: Scored
    diagnosis: Diagnosis
    secrets: int


def look_at(trajectory: Trajectory, *, task: TaskSpec, scoring: Scoring) -> Looked:
    """Score, mask and diagnose a trajectory."""
    trajectory = _with_media(trajectory, limited(step.media for step in trajectory.steps))
    scored = scoring.score(task, trajectory)
    masking = Masking()
    # Masking keeps offsets, so the spans of the landmarks also fit the masked text.
    shown = masking.trajectory(trajectory)
    return Looked(trajectory, shown, scored, diagnose(shown, scored.landmarks), masking.secrets)


def _with_media(trajectory: Trajectory, media: Iterable[tuple[Media, ...]]) -> Trajectory:
    """The trajectory with the media of each step replaced."""
    if not any(step.media for step in trajectory.steps):
        return trajectory
    steps = (replace(step, media=new) for step, new in zip(trajectory.steps, media, strict=False))
    return replace(trajectory, steps=tuple(steps))


def _media_files(trajectory: Trajectory) -> Iterator[MediaFile]:
    for step in trajectory.steps:
        for number, one in enumerate(step.media, start=1):
            if one.content:
                yield MediaFile(step.number, number, one.suffix, pack(one.content))


def _files_made(rendered: Rendering, landmarks: Sequence[LandmarkResult], title: str) -> FilesMade:
    page = rendering.standalone_html(rendered.notebook, landmarks, title, rendering.export_notebook)
    return FilesMade(pack(rendering.notebook_bytes(rendered.notebook, landmarks)), pack(page.encode()))


def open_landmarks(scored: Scored, task: TaskSpec) -> list[LandmarkResult]:
    """The landmarks of a self-contained page, without those whose pattern reveals the gold answer.

    The page is made once, for drafts too, where their results are withheld.
    """
    return [found for found in scored.landmarks if shown_pattern(found.pattern, task.gold)]


@dataclass(frozen=True, slots=True)
class Source:
    """The source of one attempt.

    ``title`` is that of its self-contained page. If the files have ``known_digest``, that of the recorded
    attempt, they are not prepared again. ``limit`` is the largest trajectory, in bytes.
    """

    files: AttemptFiles
    spec: TaskSpec
    scoring: Scoring
    title: str
    known_digest: str
    limit: int


@dataclass(frozen=True, slots=True)
class SourceResult:
    """The result for a source; ``prepared`` is None if it has no trajectory or nothing changed."""

    digest: str
    reported: dict[str, float | None]
    prepared: Prepared | None


def prepare_all(
    sources: Sequence[Source],
    workers: int | None = None,
    *,
    isolated: bool = False,
    limits: Limits | None = None,
) -> Iterator[tuple[Source, SourceResult | Problem]]:
    """Prepare all sources in several processes with `intake.pool.process_all`."""
    return process_all(
        _prepare_source, sources, lost=_lost, workers=workers, isolated=isolated, limits=limits
    )


def warm_up() -> None:
    """Import what rendering needs, before `intake.pool` forks processes that each would."""
    _ = (
        rendering.export_notebook,
        rendering.render_attempt,
        rendering.notebook_bytes,
        rendering.standalone_html,
    )


def _prepare_source(source: Source) -> SourceResult | Problem:
    files = source.files
    try:
        contents = {
            path.name: read_file(path, name=files.shown(path), max_bytes=source.limit)
            for path in (files.trajectory, files.metrics, files.metadata)
            if path is not None
        }
        metrics = files.metrics
        reported: dict[str, float | None] = {}
        if metrics:
            reported = read_metrics(
                contents[metrics.name], name=files.shown(metrics), known=source.scoring.scored
            )
        if files.answer:
            # The NUL avoids a conflict: no file's name contains one.
            contents["\0answer"] = files.answer.as_bytes()
        digest = source_digest(contents, sample=files.sample)
        if files.trajectory is None or digest == source.known_digest:
            return SourceResult(digest, reported, None)
        prepared = prepare_sample(
            _open(source, files.trajectory, contents[files.trajectory.name]),
            files.sample,
            task=source.spec,
            scoring=source.scoring,
            title=source.title,
            answer=files.answer,
        )
        return SourceResult(digest, reported, prepared)
    except InputError as error:
        return error.problem


def _lost(source: Source, loss: Loss) -> SourceResult | Problem:
    files = source.files
    main = files.trajectory or files.metrics
    return loss.problem(files.shown(main) if main else files.name, files.sample)


_last_opened: dict[Path | Bundle, Original] = {}
"""The file with several attempts that this process opened last: the next attempt is often in it, too."""


def _open(source: Source, path: Path | Bundle, data: bytes) -> Original:
    name = source.files.shown(path)
    if not source.files.sample:
        return open_original(data, name=name, max_bytes=source.limit)
    if path not in _last_opened:
        _last_opened.clear()
        _last_opened[path] = open_original(data, name=name, max_bytes=source.limit)
    return _last_opened[path]
