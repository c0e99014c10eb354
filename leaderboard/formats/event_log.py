"""Logs of agents' own tools: JSON Lines with an event on each line, all lines of a session one attempt.

Such a file may hold several sessions, one after another or mixed; each is a sample then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import Notes, kind_of_json
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Sample

MAX_BAD_LINES: Final = 50
"""Lines that can't be read, beyond which a file is refused as a whole."""

_STILL_WRITING: Final = "read it again when the run is over"


class Event(NamedTuple):
    """One line: its number in the file, and its object."""

    line: int
    fields: dict[str, JsonValue]


@dataclass(slots=True)
class Session:
    """The events of one session; ``tool`` is the name of the format that reads them.

    ``faults`` are the lines of the file that can't be read.
    """

    tool: str
    key: str = ""
    events: list[Event] = field(default_factory=list)
    faults: list[Problem] = field(default_factory=list)

    def notes(self, name: str) -> Notes:
        """Warnings on this file, those on its lines first."""
        notes = Notes(name)
        for fault in self.faults:
            notes.add(fault.place, fault.reason, fault.remedy)
        return notes


def events_of(content: Lines, *, name: str) -> tuple[list[Event], list[Problem]]:
    """The objects among the lines, and a problem for each other line.

    A last line that is cut off is no fault of the file: a run that goes on writes it.

    Raises:
        InputError: more than `MAX_BAD_LINES` lines can't be read.
    """
    events: list[Event] = []
    faults: list[Problem] = []
    read = content.documents
    for number, document in read:
        if isinstance(document, dict):
            events.append(Event(number, document))
        elif not isinstance(document, Problem):
            faults.append(Problem(name, f"line {number}", f"{kind_of_json(document)}, no event; left out"))
        elif number == read[-1][0]:
            faults.append(Problem(name, f"line {number}", "the last line is cut off", _STILL_WRITING))
        else:
            faults.append(replace(document, reason=f"{document.reason}; the line is left out"))
        if len(faults) > MAX_BAD_LINES:
            reason = f"more than {MAX_BAD_LINES:,} lines can't be read, this one first: {faults[0].reason}"
            raise InputError(replace(faults[0], reason=reason))
    return events, faults


def split(
    content: Lines, session_of: Callable[[dict[str, JsonValue]], JsonValue], *, tool: str, name: str
) -> list[Session]:
    """The sessions in a file, in order of their first lines; a file without a session's id has one.

    Args:
        content: the file.
        session_of: the id of an event's session; a line without one is of the session before it.
        tool: the name of the format.
        name: the file's name, for problems.
    """
    events, faults = events_of(content, name=name)
    found: dict[str, Session] = {}
    waiting: list[Event] = []
    now: Session | None = None
    lines = waiting
    for event in events:
        key = session_of(event.fields)
        if key and isinstance(key, str) and (now is None or key != now.key):
            now = found.get(key)
            if now is None:
                now = found[key] = Session(tool, key, faults=faults)
            lines = now.events
        lines.append(event)
    sessions = list(found.values()) or [Session(tool, faults=faults)]
    sessions[0].events[:0] = waiting
    return sessions


def samples_of(sessions: list[Session]) -> tuple[Sample, ...]:
    """A sample for each session; of a file with one, the key is empty."""
    if len(sessions) < 2:
        return (Sample(),)
    return tuple(Sample(f"session {number}") for number in range(1, len(sessions) + 1))
