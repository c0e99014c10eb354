"""The one road that every attempt takes, as far as it needs no database: bytes to all that is stored.

``prepare`` runs in worker processes during an import, so what it takes and gives can be pickled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backports import zstd

from leaderboard import formats, rendering
from leaderboard.domain.masking import Masking
from leaderboard.domain.scorers import score_trajectory
from leaderboard.domain.scores import Scoring
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.documents import MAX_BYTES
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.examine import examine
from leaderboard.intake.findings import Finding

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
