"""An attempt's files: into the blob store together with its rows, out again once no row names them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial

from django.db import connection, transaction

from leaderboard.core import blobs
from leaderboard.domain.text import storable
from leaderboard.models import Attempt, AttemptFile
from leaderboard.pipeline import Packed, Prepared, pack
from leaderboard.rendering import retitled

BLOB_STORE_LOCK = 0x5B_10B5
"""The number that PostgreSQL knows the lock on the blob store by; any would do that nobody else uses."""


@contextmanager
def recording(prepared: Prepared | None) -> Iterator[None]:
    """A transaction that leaves none of a recording's files behind if it fails.

    The files are stored inside it, by ``replace_files``, and one recording at a time: two of the same content
    can't take each other's blobs away.
    """
    try:
        with transaction.atomic():
            _take_turns()
            yield
    except BaseException:
        if prepared is not None:
            digests = [packed.digest for _, _, packed in _wanted(prepared)]
            discard_unnamed([*digests, *(output.digest for output in prepared.outputs)])
        raise


def replace_files(attempt: Attempt, prepared: Prepared) -> list[AttemptFile]:
    """Store a recording's files and give their rows; what was stored for ``attempt`` goes on commit."""
    files = []
    for kind, name, packed in _wanted(prepared):
        blobs.store(packed)
        row = AttemptFile(kind=kind, name=storable(name)[:255], blob=packed.digest, size=packed.size)
        if kind is AttemptFile.Kind.ORIGINAL:
            row.sample = prepared.sample
        files.append(row)
    files += _store_outputs(prepared)
    _discard_on_commit(attempt)
    return files


def remove_files(attempt: Attempt) -> None:
    """Forget an attempt's files; those that no other attempt names go on commit."""
    _discard_on_commit(attempt)
    attempt.files.all().delete()


def retitle_page(attempt: Attempt, title: str) -> None:
    """Put another title over an attempt's self-contained page, where it has one."""
    with transaction.atomic():
        _take_turns()
        file = attempt.files.filter(kind=AttemptFile.Kind.HTML).first()
        if file is None:
            return
        former = file.blob
        packed = pack(retitled(blobs.read(former).decode(), title).encode())
        blobs.store(packed)
        file.blob, file.size = packed.digest, packed.size
        file.save(update_fields=("blob", "size"))
        transaction.on_commit(partial(discard_unnamed, [former]))


def discard_unnamed(digests: Collection[str]) -> None:
    """Remove those of these blobs that no row names."""
    with transaction.atomic():
        _take_turns()
        named = AttemptFile.objects.filter(blob__in=digests).values_list("blob", flat=True)
        for digest in set(digests) - set(named):
            blobs.delete(digest)


def _discard_on_commit(attempt: Attempt) -> None:
    former = list(attempt.files.values_list("blob", flat=True))
    transaction.on_commit(partial(discard_unnamed, former))


def _take_turns() -> None:
    """Wait until no other transaction is between looking at the blob store and naming what it saw there.

    SQLite's write lock does this by itself; PostgreSQL is asked for a lock that ends with the transaction.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [BLOB_STORE_LOCK])


def _store_outputs(prepared: Prepared) -> list[AttemptFile]:
    files = []
    for output in prepared.outputs:
        if output.path:
            blobs.store_file(output.digest, output.path)
        name = f"{_stem(prepared)}.step-{output.step}.txt"
        row = AttemptFile(kind=AttemptFile.Kind.OUTPUT, name=storable(name)[-255:], blob=output.digest)
        row.step, row.size, row.cut = output.step, output.size, output.cut
        files.append(row)
    return files


def _stem(prepared: Prepared) -> str:
    return prepared.original_name.rsplit(".", 1)[0]


def _wanted(prepared: Prepared) -> tuple[tuple[str, str, Packed], ...]:
    stem = _stem(prepared)
    answer = prepared.answer
    return (
        (AttemptFile.Kind.ORIGINAL, prepared.original_name, prepared.original),
        (AttemptFile.Kind.NOTEBOOK, f"{stem}.superboard.ipynb", prepared.notebook),
        (AttemptFile.Kind.HTML, f"{stem}.html", prepared.standalone),
        *([(AttemptFile.Kind.ANSWER, f"{stem}.answer.json", answer)] if answer else []),
    )
