"""The one road that every attempt takes, as far as it needs no database: bytes to all that is stored.

It runs in several processes during an import or a check, so what it takes and gives can be pickled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backports import zstd

from leaderboard import formats, rendering
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.masking import Masking
from leaderboard.domain.scorers import score_trajectory
from leaderboard.domain.scores import Metric, Scoring
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.documents import MAX_BYTES, read_file
from leaderboard.formats.run_folder import AttemptFiles, read_metrics
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.examine import examine
from leaderboard.intake.findings import Finding
from leaderboard.intake.pool import process_all

VERSION = "1"
"""Part of an attempt's digest: raise it when the same bytes are to be recorded anew on the next import."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Content ready for the blob store, named by its SHA-256; ``size`` is in bytes before compression."""

    digest: str
    size: int
    compressed: bytes


@dataclass(frozen=True, slots=True)
class StepOutput:
    """All that a step's cell said, where its observation leaves some out.

    ``digest`` and ``size`` are as in ``Packed``; ``cut`` says that even this lacks its end. ``path`` is a
    file with it, compressed; None where the blob store has it.
    """

    step: int
    digest: str
    size: int
    cut: bool
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that recording an attempt with a trajectory stores.

    ``task`` is what it was scored against: the stored task may be another one by the time it is recorded.
    ``trajectory`` is as pages show it: ``secrets`` places that look like secrets are masked, and ``findings``
    tell where. ``sample`` is the key of the attempt in an original that holds several (`formats.Sample`).
    ``answer`` is what a file of answers says beside the trajectory, as `GivenAnswer.as_bytes` writes it.
    """

    task: TaskSpec
    trajectory: Trajectory
    scoring: Scoring
    rendering: rendering.Rendering
    original: Packed
    original_name: str
    sample: str
    notebook: Packed
    standalone: Packed
    outputs: tuple[StepOutput, ...] = ()
    answer: Packed | None = None
    findings: tuple[Finding, ...] = ()
    secrets: int = 0


def pack(content: bytes) -> Packed:
    """Compress ``content`` and name it by its digest."""
    digest = hashlib.sha256(content).hexdigest()
    return Packed(digest, len(content), zstd.compress(content, level=3))


def source_digest(files: Mapping[str, bytes], *, sample: str = "") -> str:
    """Recognise what an attempt is recorded from: the same files by the same names give the same digest.

    ``sample`` is the attempt's key in a file of several.
    """
    whole = hashlib.sha256(VERSION.encode())
    if sample:
        whole.update(f"\0{sample}".encode("utf-8", "surrogatepass"))
    for name in sorted(files):
        whole.update(f"\0{name}\0{len(files[name])}\0".encode())
        whole.update(files[name])
    return whole.hexdigest()


def prepare(
    data: bytes,
    *,
    name: str,
    task: TaskSpec,
    title: str,
    sample: str = "",
    max_bytes: int = MAX_BYTES,
    outputs: tuple[StepOutput, ...] = (),
    answer: GivenAnswer | None = None,
) -> Prepared:
    """Read, score and render one attempt.

    Args:
        data: the trajectory file as it was uploaded.
        name: its name as its owner knows it; messages name it, its last part names the download.
        task: what to score against.
        title: heads the self-contained page, e.g. ``conv_graph · ReAct-SUPER · GPT-4o``.
        sample: the key of the attempt in a file of several (`formats.Sample`).
        max_bytes: how much of an archive may be unpacked, if that is more than the file has.
        outputs: whole outputs of steps, to be stored and linked where they are cut.
        answer: what a file of answers says; it counts where the trajectory has no answer.

    Raises:
        InputError: the file can't be read; the problem says where and why.
    """
    # Whoever read the file looked at its size first.
    trajectory = formats.read(data, name=name, max_bytes=max(len(data), max_bytes), sample=sample)
    trajectory, compared = with_answer(trajectory, answer, name=name)
    scoring = score_trajectory(task, trajectory)
    masking = Masking()
    # Character for character: the landmarks' spans, found in what was there, hold in what is shown.
    shown = masking.trajectory(trajectory)
    whole = {output.step: rendering.Whole(output.size, output.cut) for output in outputs}
    rendered = rendering.render_attempt(shown, scoring.landmarks, outputs=whole)
    return Prepared(
        task=task,
        trajectory=shown,
        scoring=scoring,
        rendering=rendered,
        original=pack(data),
        original_name=name.rsplit("/", 1)[-1],
        sample=sample,
        notebook=pack(rendering.notebook_bytes(rendered.notebook)),
        standalone=pack(rendering.standalone_html(rendered.notebook, scoring.landmarks, title).encode()),
        outputs=outputs,
        answer=pack(answer.as_bytes()) if answer else None,
        findings=(*compared, *examine(trajectory, name=name)),
        secrets=masking.secrets,
    )


@dataclass(frozen=True, slots=True)
class Source:
    """Where one attempt comes from.

    Attributes:
        files: where to read it.
        spec: the task to score it against.
        title: heads its self-contained page.
        known_digest: of what is recorded already: the same is not prepared again.
        limit: the largest trajectory, in bytes.
    """

    files: AttemptFiles
    spec: TaskSpec
    title: str
    known_digest: str
    limit: int


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What came of a source: ``prepared`` is None without a trajectory, and where nothing changed."""

    digest: str
    reported: dict[Metric, float | None]
    prepared: Prepared | None


def prepare_all(
    sources: Sequence[Source], workers: int | None = None, *, isolated: bool = False
) -> Iterator[tuple[Source, SourceResult | Problem]]:
    """Prepare every source in several processes, as `intake.pool.process_all` does."""
    return process_all(_prepare_source, sources, killed=_killed, workers=workers, isolated=isolated)


def _prepare_source(source: Source) -> SourceResult | Problem:
    files = source.files
    try:
        contents = {
            path.name: read_file(path, name=f"{files.name}/{path.name}", max_bytes=source.limit)
            for path in (files.trajectory, files.metrics, files.metadata)
            if path is not None
        }
        metrics = files.metrics.name if files.metrics else None
        reported = read_metrics(contents[metrics], name=f"{files.name}/{metrics}") if metrics else {}
        if files.answer:
            # No file has a name with a NUL.
            contents["\0answer"] = files.answer.as_bytes()
        digest = source_digest(contents, sample=files.sample)
        if files.trajectory is None or digest == source.known_digest:
            return SourceResult(digest, reported, None)
        prepared = prepare(
            contents[files.trajectory.name],
            name=f"{files.name}/{files.trajectory.name}",
            task=source.spec,
            title=source.title,
            sample=files.sample,
            max_bytes=source.limit,
            answer=files.answer,
        )
        return SourceResult(digest, reported, prepared)
    except InputError as error:
        return error.problem
    except Exception as error:  # noqa: BLE001 - one odd file must not keep the others out
        reason = f"could not be prepared: {type(error).__name__}: {error}"
        return Problem(files.name, "", reason, "this is a bug: report it with the file")


def _killed(source: Source) -> SourceResult | Problem:
    reason = "the process that prepared it was killed, most likely for the memory it took"
    return Problem(source.files.name, "", reason, "try again on a machine with more memory")
