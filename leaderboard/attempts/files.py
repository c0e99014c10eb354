"""An attempt's files: blobs are stored in one transaction with their rows, and deleted with the last row."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.db import connection, transaction

from leaderboard.core import blobs
from leaderboard.domain.text import storable
from leaderboard.models import Attempt, AttemptFile
from leaderboard.pipeline import Packed, Prepared, pack
from leaderboard.rendering.title import with_title

BLOB_STORE_LOCK = 0x5B_10B5
"""The key of PostgreSQL's advisory lock on the blob store: an arbitrary number that nothing else uses."""


@contextmanager
def recording(prepared: Prepared | None) -> Iterator[None]:
    """A transaction that deletes the blobs it stored if it fails.

    ``replace_files`` stores the files inside it. Only one recording runs at a time: otherwise one that fails
    could delete a blob that another, with the same content, relies on.
    """
    try:
        with transaction.atomic():
            _lock_blob_store()
            yield
    except BaseException:
        if prepared is not None:
            digests = [packed.digest for _, packed in _files_to_store(prepared)]
            delete_unreferenced_blobs([*digests, *(output.digest for output in prepared.outputs)])
        raise


def replace_files(attempt: Attempt, prepared: Prepared) -> list[AttemptFile]:
    """Store the files of ``prepared`` and return unsaved rows; the former files are deleted on commit."""
    files = []
    for row, packed in _files_to_store(prepared):
        blobs.store(packed)
        row.blob, row.size = packed.digest, packed.size
        files.append(row)
    files += _store_outputs(prepared)
    _delete_blobs_on_commit(attempt)
    return files


def remove_files(attempt: Attempt) -> None:
    """Delete an attempt's file rows, and on commit the blobs that no other row refers to."""
    _delete_blobs_on_commit(attempt)
    attempt.files.all().delete()


def retitle_page(attempt: Attempt, title: str) -> None:
    """Change the title of an attempt's self-contained page, if it has one."""
    with transaction.atomic():
        _lock_blob_store()
        file = attempt.files.filter(kind=AttemptFile.Kind.HTML).first()
        if file is None:
            return
        former = file.blob
        packed = pack(with_title(blobs.read(former).decode(), title).encode())
        blobs.store(packed)
        file.blob, file.size = packed.digest, packed.size
        file.save(update_fields=("blob", "size"))
        transaction.on_commit(partial(delete_unreferenced_blobs, [former]))


def delete_unreferenced_blobs(digests: Collection[str]) -> None:
    """Delete those of the given blobs that no row refers to."""
    with transaction.atomic():
        _lock_blob_store()
        named = AttemptFile.objects.filter(blob__in=digests).values_list("blob", flat=True)
        for digest in set(digests) - set(named):
            blobs.delete(digest)


def _delete_blobs_on_commit(attempt: Attempt) -> None:
    former = list(attempt.files.values_list("blob", flat=True))
    transaction.on_commit(partial(delete_unreferenced_blobs, former))


def _lock_blob_store() -> None:
    """Keep other transactions from storing or deleting blobs until this one ends.

    SQLite's write lock does this by itself; PostgreSQL needs an advisory lock.
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


def _files_to_store(prepared: Prepared) -> Iterator[tuple[AttemptFile, Packed]]:
    """Unsaved rows, which lack their blob, each with its content."""
    stem, kinds = _stem(prepared), AttemptFile.Kind

    def row(kind: str, name: str, **fields: Any) -> AttemptFile:
        return AttemptFile(kind=kind, name=storable(name)[-255:], **fields)

    yield row(kinds.ORIGINAL, prepared.original_name, sample=prepared.sample), prepared.original
    if prepared.made:
        yield row(kinds.NOTEBOOK, f"{stem}.superboard.ipynb"), prepared.made.notebook
        yield row(kinds.HTML, f"{stem}.html"), prepared.made.standalone
    if prepared.answer:
        yield row(kinds.ANSWER, f"{stem}.answer.json"), prepared.answer
    for media in prepared.media:
        name = f"{stem}.step-{media.step}.{media.number}.{media.suffix}"
        yield row(kinds.MEDIA, name, step=media.step, number=media.number), media.packed
