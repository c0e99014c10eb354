"""Inspect's ``.eval`` log: a zip archive, finished or not, with samples in one entry or in chunks."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.archives import Archive
from leaderboard.formats.documents import kind_of_json
from leaderboard.formats.inspect_sample import InspectSample
from leaderboard.formats.samples import MAX_NUMBER, Picked, Sample, with_outer_place

NAME: Final = "Inspect .eval"

# Inspect writes the journal's start first, the header last.
_HEADER: Final = "header.json"
SIGNS: Final = (_HEADER, "_journal/start.json")
# A task's id may contain slashes.
_ENTRY: Final = re.compile(
    r"samples/(?P<key>(?P<id>.+)_epoch_(?P<epoch>[0-9]{1,6}))(\.json|/sample\.json)", re.DOTALL
)
# There are other files beside the chunks (events/stats.json).
_CHUNK: Final = re.compile(r"(0|[1-9][0-9]{0,11})\.json")
# A message may occur several times in a conversation; many repetitions are an attack on memory.
_MAX_REPETITIONS: Final = 10


class _Chunks(NamedTuple):
    """A sample's sequences, each joined from the chunks in the folder with its name."""

    messages: list[JsonValue]
    events: list[JsonValue]
    attachments: list[JsonValue]


def detect(content: object) -> bool:
    return isinstance(content, Archive) and any(sign in content for sign in SIGNS)


def samples(content: Archive, *, name: str) -> tuple[Sample, ...]:
    """The log's samples, from its entries' names; nothing is unpacked."""
    found: dict[str, Sample] = {}
    for entry in content.names:
        match = _ENTRY.fullmatch(entry)
        if match:
            epoch = int(match["epoch"])
            attempt = epoch if 1 <= epoch <= MAX_NUMBER else None
            found[match["key"]] = Sample(match["key"], match["id"], attempt)
    return tuple(found.values())


def pick(content: Archive, index: int, sample: Sample, *, name: str) -> Picked:
    """A sample's document, joined from its chunks if there are any."""
    content.start()
    finished = _HEADER in content
    whole = f"samples/{sample.key}.json"
    if whole in content:
        return Picked(InspectSample(content.json(whole), finished=finished), whole)
    prefix = f"samples/{sample.key}/"
    shell = content.json(f"{prefix}sample.json")
    if not isinstance(shell, dict):
        return Picked(InspectSample(shell), f"{prefix}sample.json")
    chunks = _chunks(content, prefix, name=name)
    try:
        messages = _conversation(shell, chunks.messages, name=name)
    except InputError as error:
        raise InputError(with_outer_place(error.problem, f"{prefix}sample.json")) from None
    document = {**shell, "messages": messages, "events": chunks.events}
    picked = InspectSample(document, tuple(chunks.attachments), finished)
    return Picked(picked, prefix.removesuffix("/"))


def _chunks(content: Archive, prefix: str, *, name: str) -> _Chunks:
    """The content of ``messages/0.json``, ``messages/1000.json``, …; the number is the first item's index."""
    return _Chunks(*(_sequence(content, f"{prefix}{sequence}", name=name) for sequence in _Chunks._fields))


def _sequence(content: Archive, folder: str, *, name: str) -> list[JsonValue]:
    chunks = (entry.rpartition("/")[2] for entry in content.folders.get(folder, ()))
    starts = sorted(int(match[1]) for chunk in chunks if (match := _CHUNK.fullmatch(chunk)))
    items: list[JsonValue] = []
    for start in starts:
        entry = f"{folder}/{start}.json"
        chunk = content.json(entry)
        if isinstance(chunk, list) and start == len(items):
            items += chunk
            continue
        if isinstance(chunk, list):
            reason = "a chunk before this one is missing"
        else:
            reason = f"the chunk is {kind_of_json(chunk)}, not a list"
        raise InputError(Problem(name, entry[:200], reason, "write the log again with Inspect"))
    return items


def _conversation(shell: dict[str, JsonValue], pool: list[JsonValue], *, name: str) -> list[JsonValue]:
    """The final conversation, from the ranges of the message pool that the sample refers to."""
    ranges = shell.get("message_refs")
    if ranges is None:
        return pool
    messages: list[JsonValue] = []
    for index, span in enumerate(ranges if isinstance(ranges, list) else [ranges]):
        ends = span if isinstance(span, list) else [span, span + 1] if type(span) is int else []
        if len(ends) != 2 or any(type(end) is not int or not 0 <= end <= len(pool) for end in ends):
            reason = f"not a range within the {len(pool):,} messages"
        elif len(messages) + ends[1] - ends[0] > _MAX_REPETITIONS * len(pool):
            reason = f"the conversation repeats its messages more than {_MAX_REPETITIONS:,} times"
        else:
            messages += pool[ends[0] : ends[1]]
            continue
        remedy = "write the log again with Inspect"
        raise InputError(Problem(name, f"$.message_refs[{index}]", reason, remedy))
    return messages
