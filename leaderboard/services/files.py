"""An attempt's files: into the blob store together with its rows, out again once no row names them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial

from django.db import transaction

from leaderboard import blobs
from leaderboard.domain.text import storable
from leaderboard.models import Attempt, AttemptFile
from leaderboard.pipeline import Packed, Prepared


@contextmanager
def recording(prepared: Prepared | None) -> Iterator[None]:
    """A transaction that leaves none of a recording's files behind if it fails.

    The files are stored inside it, by ``replace_files``: on SQLite two recordings of the same content then
    can't take each other's blobs away.
    """
    try:
        with transaction.atomic():
            yield
    except BaseException:
        if prepared is not None:
            discard_unnamed([packed.digest for _, _, packed in _wanted(prepared)])
        raise


def replace_files(attempt: Attempt, prepared: Prepared) -> list[AttemptFile]:
    """Store a recording's files and give their rows; what was stored for ``attempt`` goes on commit."""
    files = []
    for kind, name, packed in _wanted(prepared):
        blobs.store(packed)
        files.append(AttemptFile(kind=kind, name=storable(name)[:255], blob=packed.digest, size=packed.size))
    former = list(attempt.files.values_list("blob", flat=True))
    transaction.on_commit(partial(discard_unnamed, former))
    return files


def discard_unnamed(digests: Collection[str]) -> None:
    """Remove those of these blobs that no row names."""
    with transaction.atomic():
        named = AttemptFile.objects.filter(blob__in=digests).values_list("blob", flat=True)
        for digest in set(digests) - set(named):
            blobs.delete(digest)


def _wanted(prepared: Prepared) -> tuple[tuple[str, str, Packed], ...]:
    stem = prepared.original_name.rsplit(".", 1)[0]
    return (
        (AttemptFile.Kind.ORIGINAL, prepared.original_name, prepared.original),
        (AttemptFile.Kind.NOTEBOOK, f"{stem}.superboard.ipynb", prepared.notebook),
        (AttemptFile.Kind.HTML, f"{stem}.html", prepared.standalone),
    )
