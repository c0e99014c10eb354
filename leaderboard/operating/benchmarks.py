"""Adding benchmarks and tasks on the operators' page, as `manage.py add_benchmark` and `import_tasks` do."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, Q

from leaderboard.catalogue.services import save_benchmark
from leaderboard.domain.entries import OPEN
from leaderboard.domain.errors import InputError
from leaderboard.domain.text import plural
from leaderboard.intake.yaml_files import Document, parse_document
from leaderboard.models import Benchmark
from leaderboard.operating.task_files import bad_landmarks, import_task_file, read_task_file


@dataclass(frozen=True, slots=True)
class Done:
    """What an import did, or would do, and what is odd in its file: a sentence each."""

    changes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def list_benchmarks() -> list[Benchmark]:
    """Every benchmark with the numbers of its sets, tasks and published entries (``sets`` and so on)."""
    published = Q(task_sets__entries__state__in=OPEN)
    return list(
        Benchmark.objects.annotate(
            sets=Count("task_sets", distinct=True),
            tasks=Count("task_sets__tasks", distinct=True),
            published_entries=Count("task_sets__entries", filter=published, distinct=True),
        )
    )


def save_description(text: str, *, name: str, user: User, preview: bool) -> Done:
    """Add or change a benchmark from the text of its file; with ``preview``, only say what would change.

    Raises:
        InputError: with everything that is wrong, by line; ``name`` is the file's.
    """
    document, changes = Document(None), list[str]()
    try:
        document = parse_document(text, name=name)
        with transaction.atomic():
            save_benchmark(document.value, file=name, say=changes.append, actor=user)
            transaction.set_rollback(preview)
    except InputError as error:
        raise InputError(*map(document.with_line, error.problems)) from error
    return Done(tuple(changes))


def import_uploaded_tasks(upload: UploadedFile[Any], *, task_set: str, user: User) -> Done:
    """Import an uploaded file of tasks into a set, ``benchmark/set``; all of its tasks or none.

    Raises:
        InputError: with every problem of the file.
    """
    name = Path(upload.name or "tasks.jsonl").name
    benchmark, _slash, slug = task_set.partition("/")
    with tempfile.TemporaryDirectory() as folder:
        # Under its own name, which messages quote; Django has made it one that a disk can store.
        path = Path(folder, name)
        path.write_bytes(b"".join(upload.chunks()))
        file = read_task_file(path, benchmark=benchmark, slug=slug)
    done = import_task_file(file, name=name, benchmark=benchmark, actor=user)
    changes = [
        f"{key}: {each.added:,} added, {each.changed:,} changed, {each.unchanged:,} unchanged"
        + (plural(each.stale, "; {n} score is stale", "; {n} scores are stale") if each.stale else "")
        for key, each in done
    ]
    warnings = (*file.warnings, *bad_landmarks(file, name=name))
    return Done(tuple(changes), tuple(map(str, warnings)))
