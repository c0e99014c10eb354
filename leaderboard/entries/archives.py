"""The attempts of entries as one archive, which can be uploaded again.

A folder for each entry has entry.json, results.json and, by task and attempt, the originals byte for byte.
docs/sharing.md has the layout.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db.models import Case, F, Max, Sum, When
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render

from leaderboard.attempts.withheld import shown_scores, with_outcomes
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core import blobs
from leaderboard.core.addresses import absolute
from leaderboard.core.permissions import Visitor, readable_entry_files, sees_as_draft
from leaderboard.core.zip_streams import Member, stream_zip
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.scores import REPORTED
from leaderboard.domain.secrets import mask
from leaderboard.domain.text import size_text
from leaderboard.domain.trajectory import JsonValue
from leaderboard.entries.selectors import shown_code, shown_notes
from leaderboard.formats import answers
from leaderboard.formats.run_folder import METADATA_NAME, METRICS_NAME
from leaderboard.intake.layout import ANSWERS_NAMES, DESCRIPTION_NAMES, is_result_name
from leaderboard.intake.member_names import BadNameError, check_name, folded
from leaderboard.models import Attempt, AttemptFile, Entry, Score

Kind = AttemptFile.Kind
ANSWERS_NAME: Final = "answers.jsonl"
RESULTS_NAME: Final = "results.json"
SEVERAL: Final = "_of_several_tasks"
"""The folder of originals that hold several attempts: each is there once, and names its tasks itself."""
SOURCES: Final = "_sources"
"""The folder of files of answers: what they say is in answers.jsonl again."""
ATTEMPTS_AT_ONCE: Final = 200
_SUFFIXES: Final = (".traj.json", ".traj", ".eval", ".ipynb", ".jsonl")
_NOT_EVERYWHERE: Final = re.compile(r'[<>:"|?*]')
"""What Windows has in no name."""


class ArchiveTooLargeError(InputError):
    """The originals have more bytes than one archive may have."""


def originals_size(entries: Iterable[Entry]) -> int:
    """The bytes of the originals of all attempts, one that holds several attempts counted once. One query."""
    files = AttemptFile.objects.filter(kind=Kind.ORIGINAL, attempt__entry__in=[each.pk for each in entries])
    # Of one that holds several attempts each has a row.
    once = Case(When(sample="", then=F("pk")), default=0)
    by_file = files.order_by().values("attempt__entry", "blob", once=once).annotate(bytes=Max("size"))
    return by_file.aggregate(total=Sum("bytes"))["total"] or 0


def fits_archive(size: int) -> bool:
    most: int = settings.SUPERBOARD_MAX_ARCHIVE_MB
    return size <= most << 20


def archive_response(
    request: HttpRequest, entries: Sequence[Entry], user: Visitor, *, name: str
) -> StreamingHttpResponse:
    """The attempts of ``entries``, which ``user`` may see, as ``name``.zip.

    Raises:
        ArchiveTooLargeError: they have too many bytes.
    """
    size = originals_size(entries)
    if not fits_archive(size):
        most = settings.SUPERBOARD_MAX_ARCHIVE_MB
        reason = f"its originals have {size_text(size)}, more than {most:,} MB (SUPERBOARD_MAX_ARCHIVE_MB)"
        remedy = "get them one by one with `superboard download ENTRY`"
        raise ArchiveTooLargeError(Problem(f"{name}.zip", "", reason, remedy))
    # It is compressed already: not to be compressed on its way once more.
    request.META["HTTP_ACCEPT_ENCODING"] = ""
    content = () if request.method == "HEAD" else stream_zip(_members(entries, user))
    response = StreamingHttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


def archive_page(request: HttpRequest, entries: Sequence[Entry], *, name: str) -> HttpResponseBase:
    """An archive of the attempts of visible ``entries``, or a page that says why there is none."""
    try:
        return archive_response(request, entries, request.user, name=name)
    except ArchiveTooLargeError as error:
        context = {"task_sets": all_task_sets(), "problem": error.problem}
        return render(request, "entries/archive_too_large.html", context, status=413)


def archive_context(entries: Iterable[Entry]) -> dict[str, Any]:
    """What a link to an archive says of it. One query."""
    size = originals_size(entries)
    return {"archive_size": size, "archive_fits": fits_archive(size)}


def _members(entries: Sequence[Entry], user: Visitor) -> Iterator[Member]:
    for entry in entries:
        yield from _EntryFolder(entry, user).members()


@dataclass(slots=True)
class _EntryFolder:
    """The folder of one entry: what goes where, read when its turn comes."""

    entry: Entry
    user: Visitor
    files: dict[int, dict[str, AttemptFile]] = field(default_factory=lambda: defaultdict(dict))
    several: set[str] = field(default_factory=set)
    """The blobs of originals that hold several of its attempts."""
    apart: dict[str, str] = field(default_factory=dict)
    """Where an original is that is in no attempt's folder, by its blob."""
    folders: dict[str, str] = field(default_factory=dict)
    """The folder of each task that had its turn, by id."""
    answers: list[str] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)

    def members(self) -> Iterator[Member]:
        """Every file of the folder."""
        yield self._json("entry.json", _description(self.entry))
        kinds = (Kind.ORIGINAL, Kind.ANSWER)
        for file in readable_entry_files(self.user, self.entry).filter(kind__in=kinds):
            self.files[file.attempt_id][file.kind] = file
        found = (each.get(Kind.ORIGINAL) for each in self.files.values())
        holders = Counter(file.blob for file in found if file and file.sample)
        self.several = {blob for blob, attempts in holders.items() if attempts > 1}
        draft = sees_as_draft(self.user, self.entry)
        attempts = with_outcomes(self.entry.attempts.order_by("task__task_id", "number"))
        for attempt in attempts.iterator(chunk_size=ATTEMPTS_AT_ONCE):
            attempt.entry, attempt.task.task_set = self.entry, self.entry.task_set
            yield from self._attempt(attempt, shown_scores(attempt, draft=draft))
        if self.answers:
            yield Member.of(f"{self.entry.slug}/{ANSWERS_NAME}", "".join(self.answers).encode())
        yield self._json(RESULTS_NAME, {"entry": _about(self.entry), "attempts": self.results})

    def _attempt(self, attempt: Attempt, scores: list[Score]) -> Iterator[Member]:
        original = self.files[attempt.pk].get(Kind.ORIGINAL)
        task_id = attempt.task.task_id
        own = f"{self._task_folder(task_id)}/attempt_{attempt.number}"
        is_answer = attempt.format == answers.NAME
        path, beside = "", _reported(attempt, scores)
        if original and (is_answer or original.blob in self.several):
            # Scores beside it would be an attempt of their own.
            beside = {}
            is_first = original.blob not in self.apart
            path = self._path_apart(original, is_source=is_answer)
            if is_first:
                yield self._blob(path, original)
        elif original:
            path = f"{own}/{_original_name(original.name)}"
            yield self._blob(path, original)
        if beside:
            yield self._json(f"{own}/{METRICS_NAME}", beside)
        if (beside or path.startswith(own)) and self.folders[task_id] != task_id:
            yield self._json(f"{own}/{METADATA_NAME}", {"task": task_id})
        if answer := self._answer(attempt, original if is_answer else None):
            line = {"task_id": task_id, "attempt": attempt.number, "answer": answer[0]}
            self.answers.append(f"{json.dumps(line)}\n")
        self.results.append(_result(attempt, path, scores))

    def _answer(self, attempt: Attempt, source: AttemptFile | None) -> tuple[JsonValue] | None:
        """The answer that a file of answers gave to an attempt, if it did and may be read."""
        if given := self.files[attempt.pk].get(Kind.ANSWER):
            return (answers.GivenAnswer.from_bytes(blobs.read(given.blob)).answer(),)
        return (json.loads(attempt.answer),) if source and attempt.answer else None

    def _path_apart(self, original: AttemptFile, *, is_source: bool) -> str:
        if original.blob not in self.apart:
            name = _safe(original.name) or "file"
            # With another ending no file of answers is read a second time, beside answers.jsonl.
            folder, ending = (SOURCES, ".original") if is_source else (SEVERAL, "")
            self.apart[original.blob] = f"{folder}/{len(self.apart) + 1}/{name}{ending}"
        return self.apart[original.blob]

    def _task_folder(self, task_id: str) -> str:
        """A folder's name that tells the task; every system takes it, and keeps it apart from the others."""
        if task_id not in self.folders:
            taken = {folded(each) for each in self.folders.values()} | {SEVERAL, SOURCES}
            name = _safe(task_id)
            if name != task_id or folded(name) in taken:
                digest = hashlib.sha256(task_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
                name = f"task-{digest}"
            self.folders[task_id] = name
        return self.folders[task_id]

    def _json(self, path: str, content: Any) -> Member:
        return Member.of(f"{self.entry.slug}/{path}", f"{json.dumps(content, indent=2)}\n".encode())

    def _blob(self, path: str, file: AttemptFile) -> Member:
        return Member(f"{self.entry.slug}/{path}", file.size, partial(blobs.open_blob, file.blob))


def _safe(name: str) -> str:
    """A name as it is if every system can have a file of it; else empty."""
    try:
        parts = check_name(name, depth=1)
    except BadNameError:
        return ""
    is_plain = parts == (name,) and not name.startswith(".") and name == name.strip(" .")
    return name if is_plain and not _NOT_EVERYWHERE.search(name) else ""


def _original_name(name: str) -> str:
    """The original's own name, unless a check would take a file of that name for something else."""
    special = name.lower() in (*DESCRIPTION_NAMES, *ANSWERS_NAMES)
    if _safe(name) and is_result_name(name) and not special:
        return name
    suffix = next((each for each in _SUFFIXES if name.lower().endswith(each)), ".json")
    return f"trajectory{suffix}"


def _reported(attempt: Attempt, scores: Iterable[Score]) -> dict[str, float | None]:
    """An attempt's reported scores as a metrics.json has them."""
    by_key = attempt.task.scoring.by_key
    return {
        by_key[score.metric].reported_as or score.metric: score.value
        for score in scores
        if score.scorer == REPORTED and score.metric in by_key and not score.reason
    }


def _description(entry: Entry) -> dict[str, Any]:
    """What `intake.description` reads of an entry; what looks like a secret is masked, as on its page."""
    agent = {"name": mask(entry.agent.name), "url": mask(entry.agent_url)}
    described: dict[str, Any] = {
        "benchmark": entry.task_set.benchmark.slug,
        "set": entry.task_set.slug,
        "agent": {name: text for name, text in agent.items() if text},
        "model": mask(entry.agent.model),
        "model_openness": entry.model_openness,
        "scaffold_openness": entry.scaffold_openness,
        "code": shown_code(entry),
        "links": [{name: mask(text) for name, text in link.items() if text} for link in entry.links],
        "cost": entry.cost,
        "evaluated": entry.evaluated and entry.evaluated.isoformat(),
        "released": entry.released and entry.released.isoformat(),
        "notes": shown_notes(entry),
    }
    return {name: value for name, value in described.items() if value not in (None, "", [])}


def _about(entry: Entry) -> dict[str, Any]:
    return {
        "slug": entry.slug,
        "page": absolute(entry.get_absolute_url()),
        "version": entry.version,
        "evidence": entry.evidence,
        "provenance": entry.provenance,
    }


def _result(attempt: Attempt, path: str, scores: Iterable[Score]) -> dict[str, Any]:
    """One attempt in results.json; ``file`` is null where there is no original that the reader may have."""
    return {
        "task_id": attempt.task.task_id,
        "attempt": attempt.number,
        "page": absolute(attempt.get_absolute_url()),
        "file": path or None,
        "ending": attempt.ending if attempt.has_trajectory else None,
        "scores": [
            {"scorer": each.scorer, "version": each.version, "metric": each.metric}
            | {"value": each.value, "reason": each.reason, "stale": each.stale}
            for each in sorted(scores, key=lambda score: (score.scorer, score.metric))
        ],
    }
