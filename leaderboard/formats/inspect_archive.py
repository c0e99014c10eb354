"""Inspect's ``.eval`` log: a zip archive, finished or not, with samples in one entry or in chunks."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.archives import Archive
from leaderboard.formats.inspect_sample import InspectSample
from leaderboard.formats.samples import Picked, Sample, as_attempt, attempt_fault
from leaderboard.formats.shapes import expect

NAME: Final = "Inspect .eval"

# Inspect writes the journal's start first, the header last.
_HEADER: Final = "header.json"
_START: Final = "_journal/start.json"
SIGNS: Final = (_HEADER, _START)
# A task's id may contain slashes.
_ENTRY: Final = re.compile(
    r"samples/(?P<key>(?P<id>.+)_epoch_(?P<epoch>[0-9]{1,6}))(\.json|/sample\.json)", re.DOTALL
)
# There are other files beside the chunks (events/stats.json).
_CHUNK: Final = re.compile(r"(0|[1-9][0-9]{0,11})\.json")
_REMEDY: Final = "write the log again with Inspect"
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
            fault = attempt_fault(epoch, name=name, place=entry[:200])
            found[match["key"]] = Sample(
                match["key"], match["id"], as_attempt(epoch), fault, counts_in_file=True
            )
    return tuple(found.values())


def pick(content: Archive, index: int, sample: Sample, *, name: str) -> Picked:
    """A sample's document, joined from its chunks if there are any."""
    content.start()
    finished = _HEADER in content
    header = _header(content)
    whole = f"samples/{sample.key}.json"
    if whole in content:
        return Picked(InspectSample(content.json(whole), finished=finished, header=header), whole)
    folder = f"samples/{sample.key}"
    place = f"{folder}/sample.json"
    shell = content.json(place)
    if not isinstance(shell, dict):
        return Picked(InspectSample(shell), place)
    chunks = _Chunks(*(_sequence(content, f"{folder}/{part}", name=name) for part in _Chunks._fields))
    messages = _conversation(shell, chunks.messages, name=name, place=place)
    pool = {"messages": chunks.messages}
    document = {**shell, "messages": messages, "events": chunks.events, "events_data": pool}
    return Picked(InspectSample(document, tuple(chunks.attachments), finished, header), folder)


def _header(content: Archive) -> JsonValue:
    """What the log says of the whole run; nothing if that can't be read: the sample still can."""
    try:
        return content.json(_HEADER if _HEADER in content else _START)
    except InputError:
        return None


def _sequence(content: Archive, folder: str, *, name: str) -> list[JsonValue]:
    """The items in the chunks ``0.json``, ``1000.json``, …; the number is the first item's index."""
    chunks = (entry.rpartition("/")[2] for entry in content.folders.get(folder, ()))
    starts = sorted(int(match[1]) for chunk in chunks if (match := _CHUNK.fullmatch(chunk)))
    items: list[JsonValue] = []
    for start in starts:
        entry = f"{folder}/{start}.json"
        chunk, place = content.json(entry), entry[:200]
        chunk = expect(list, chunk, "the chunk is {}, not a list", name=name, place=place, remedy=_REMEDY)
        if start != len(items):
            raise InputError(Problem(name, place, "a chunk before this one is missing", _REMEDY))
        items += chunk
    return items


def _conversation(
    shell: dict[str, JsonValue], pool: list[JsonValue], *, name: str, place: str
) -> list[JsonValue]:
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
        raise InputError(Problem(name, f"{place}, $.message_refs[{index}]", reason, _REMEDY))
    return messages
