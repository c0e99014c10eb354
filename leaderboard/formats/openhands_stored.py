"""OpenHands V1 conversations as they are stored: a file for each event, and the state of the conversation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.archives import Archive
from leaderboard.formats.bundles import Group, only_group
from leaderboard.formats.documents import Notes, json_text, kind_of_json
from leaderboard.formats.opening import Lines
from leaderboard.formats.shapes import as_object

STATE: Final = "base_state.json"
LINES: Final = "events.jsonl"
_EVENT: Final = re.compile(r"(?:(?P<folder>.*)/)?event-(?P<number>[0-9]{5,9})-[^/]*\.json", re.DOTALL)
# Files that somebody put into the folder of a conversation.
_GIVEN: Final = frozenset({"metrics.json", "metadata.json", "answers.json", "answers.jsonl"})
_WHOLE: Final = "copy the conversation's folder again"


class Conversation(NamedTuple):
    """The events of a conversation, in order, and its state; empty where there is none."""

    events: list[dict[str, JsonValue]]
    state: dict[str, JsonValue]


def group(names: Sequence[str]) -> Iterator[Group]:
    """A group for each folder of events, with the state beside or above it."""
    events: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for name in names:
        if "event-" in name and (found := _EVENT.fullmatch(name)):
            events[found["folder"] or ""].append((int(found["number"]), name))
    known = set(names)
    roots: dict[str, list[str]] = {}
    for folder, numbered in events.items():
        above, _slash, last = folder.rpartition("/")
        root = above if last == "events" else folder
        roots.setdefault(root, []).extend(name for _number, name in sorted(numbered))
    for name in names:
        if name.rpartition("/")[2] == LINES and _inside(root := name.rpartition("/")[0], STATE) in known:
            roots.setdefault(root, [name])
    for root in sorted(roots):
        yield _group(root, roots[root], names, known)


def _group(root: str, events: list[str], names: Sequence[str], known: set[str]) -> Group:
    state = _inside(root, STATE)
    kept = {*events, state, *(_inside(root, given) for given in _GIVEN)}
    # What else lies in the folder of a conversation, such as logs of the model's calls, is its own.
    within = f"{root}/" if root and state in known else _inside(root, "events/")
    beside = tuple(name for name in names if name.startswith(within) and name not in kept)
    return Group(root, (*((state,) if state in known else ()), *events), beside)


def _inside(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name


@lru_cache(maxsize=4)
def _only_group(names: tuple[str, ...]) -> Group | None:
    """As `only_group`: an archive of thousands of names is asked about several times."""
    return only_group(names, group)


def is_event(document: JsonValue) -> bool:
    """Whether a document is one event of V1."""
    return isinstance(document, dict) and isinstance(document.get("kind"), str) and "source" in document


def is_state(document: JsonValue) -> bool:
    """Whether a document is the state of a conversation, without its events."""
    return isinstance(document, dict) and "agent" in document and "execution_status" in document


def is_stored(content: object) -> bool:
    """Whether a file's content is a conversation as it is stored, or a part of one."""
    if isinstance(content, Archive):
        return _only_group(content.names) is not None
    if isinstance(content, Lines):
        return bool(content.head) and all(is_event(event) for event in content.head)
    return is_event(content) or is_state(content)


def conversation_in(content: Archive | Lines | JsonValue, *, notes: Notes) -> Conversation:
    """The conversation in a content that `is_stored`.

    Raises:
        InputError: there is no event in it, or only one.
    """
    if isinstance(content, Lines):
        return Conversation(list(_unique(_of_lines(content, "", notes), notes)), {})
    if not isinstance(content, Archive):
        if is_state(content):
            reason = "the state of a conversation: there are no steps in it"
            raise InputError(Problem(notes.name, "", reason, "give its folder, with the events beside it"))
        reason = "one event of a conversation, not all of it"
        raise InputError(Problem(notes.name, "", reason, "give the folder of the conversation"))
    found = _only_group(content.names)
    assert found is not None  # noqa: S101 - only such archives are stored conversations
    events: list[tuple[str, JsonValue]] = []
    state: dict[str, JsonValue] = {}
    content.start()
    for name in found.names:
        try:
            if found.inside(name) == STATE:
                state = as_object(content.json(name))
            elif name.endswith(LINES):
                events += _of_lines(Lines(content.text(name), name=notes.name), LINES, notes)
            else:
                events.append((found.inside(name), content.json(name)))
        except InputError as error:
            notes.add(error.problem.place, f"{error.problem.reason}; left out", _WHOLE)
    _note_gaps(found, notes)
    _note_keys(state, notes)
    return Conversation(list(_unique(events, notes)), state)


def _of_lines(lines: Lines, file: str, notes: Notes) -> Iterator[tuple[str, JsonValue]]:
    for number, read in lines.readings():
        place = f"{file}, line {number}" if file else f"line {number}"
        if isinstance(read, Problem):
            notes.add(place, f"{read.reason}; left out", read.remedy)
        else:
            yield place, read


def _unique(events: Iterable[tuple[str, JsonValue]], notes: Notes) -> Iterator[dict[str, JsonValue]]:
    """The events that are objects, each id once."""
    seen: set[str] = set()
    for place, event in events:
        if not isinstance(event, dict):
            notes.add(place, f"{kind_of_json(event)} where an event was expected; left out")
            continue
        key = event.get("id")
        if isinstance(key, str):
            if key in seen:
                notes.add(place, "this event is there twice; left out")
                continue
            seen.add(key)
        yield event


def _note_gaps(found: Group, notes: Notes) -> None:
    numbers = sorted(int(match["number"]) for name in found.names if (match := _EVENT.fullmatch(name)))
    missing = numbers[-1] + 1 - len(set(numbers)) if numbers else 0
    if missing > 0:
        first = next(n for n, number in enumerate(sorted(set(numbers))) if n != number)
        one, several = f"event {first:,} is missing", f"{{n}} events are missing, {first:,} first"
        notes.add("events", plural(missing, one, several), _WHOLE)


def _note_keys(state: dict[str, JsonValue], notes: Notes) -> None:
    """A warning where the state has a key in the clear: it is shown nowhere, but is in the original."""
    key = json_text(as_object(as_object(state.get("agent")).get("llm")).get("api_key"))
    if key.strip("*"):
        reason = "a model's API key is in it, and would be in the original that others download"
        notes.add(f"{STATE}, $.agent.llm.api_key", reason, "revoke it, and take it out of the file")
