"""The words of the domain as people read them, translated: a metric has one name everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from leaderboard import offers
from leaderboard.budgets import BUDGETS
from leaderboard.domain.access import Scope
from leaderboard.domain.entries import RUN_HERE, UPLOADED, EntryState
from leaderboard.domain.errors import InputError
from leaderboard.domain.scores import Metric
from leaderboard.domain.states import UnitState
from leaderboard.domain.texts import VERBATIM, Text
from leaderboard.domain.uploads import UploadState
from leaderboard.rendering.words import WORDS
from leaderboard.services.figures import BOARD, REPORTED

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

SOURCES: dict[str, _StrPromise] = {RUN_HERE: _("run here"), UPLOADED: _("uploaded by its team")}
METRICS: dict[str, _StrPromise] = {
    Metric.ACCURACY: _("Accuracy"),
    Metric.LANDMARKS: _("Landmarks"),
    Metric.SCRIPT: _("Script executed"),
    Metric.SUBMITTED: _("Submitted"),
}
SCORERS: dict[str, _StrPromise] = {
    BOARD: _("Best available"),
    REPORTED: _("As reported"),
    "super-strict": _("Computed, strict"),
    "super-paper": _("Computed, as in the paper"),
}
ENDINGS: dict[str, _StrPromise] = {
    "submitted": _("Submitted an answer"),
    "exception": _("Ended by an exception"),
    "context": _("Ran out of context"),
    "cost": _("Ran out of money"),
    "time": _("Ran out of time"),
    "steps": _("Ran out of steps"),
    "unknown": _("Stopped without an ending on record"),
}
UNIT_STATES: dict[str, _StrPromise] = {
    UnitState.QUEUED: _("queued"),
    UnitState.RUNNING: _("running"),
    UnitState.CANCELLING: _("cancelling"),
    UnitState.FINISHED: _("finished"),
    UnitState.FAILED: _("failed of us"),
    UnitState.CANCELLED: _("cancelled"),
}
FACTS: dict[str, _StrPromise] = {
    "agent": _("Agent"),
    "script": _("Script"),
    "kind": _("Sandbox"),
    "image": _("Image"),
    "digest": _("Digest of the image"),
    "limits": _("Limits of the sandbox"),
    "hardware": _("Hardware"),
    "budget": _("Limits of an attempt"),
    "kept": _("characters of an output kept"),
    "piece": _("characters streamed at once"),
    "whole": _("bytes of an output in a file"),
    "file": _("bytes of the largest file read"),
    "stream_seconds": _("seconds between two pieces"),
    "silence_seconds": _("seconds of silence at a cell's end"),
    "interrupt_seconds": _("seconds to stop after an interrupt"),
    "start_seconds": _("seconds to start"),
    "memory": _("bytes of memory"),
    "cpus": _("processors"),
    "pids": _("processes"),
    "network": _("network"),
    "capabilities": _("capabilities"),
    "architecture": _("architecture"),
    "system": _("system"),
    "processor": _("processor"),
    "engine": _("engine"),
}
"""What a sandbox says of itself, by the names that `runner.sandbox` gives it; names of programs stay."""
ENTRY_STATES: dict[str, _StrPromise] = {
    EntryState.DRAFT: _("draft"),
    EntryState.PUBLISHED: _("published"),
    EntryState.SUPERSEDED: _("replaced by a newer version"),
    EntryState.WITHDRAWN: _("withdrawn"),
    EntryState.HIDDEN: _("hidden by an operator"),
}
ROLES: dict[str, _StrPromise] = {"member": _("member"), "owner": _("owner")}
SCOPES: dict[str, _StrPromise] = {
    Scope.READ: _("reading what you can see, drafts included"),
    Scope.SUBMIT: _("submitting: uploading, publishing and withdrawing for your teams"),
    Scope.OPERATE: _("operating: what operators do, runs included"),
}
UPLOAD_STATES: dict[str, _StrPromise] = {
    UploadState.RECEIVING: _("arriving"),
    UploadState.QUEUED: _("waiting to be checked"),
    UploadState.CHECKING: _("being checked"),
    UploadState.INCOMPLETE: _("lacks something"),
    UploadState.CHECKED: _("checked"),
    UploadState.REFUSED: _("refused"),
    UploadState.FAILED: _("failed of us"),
}
UPLOAD_PHASES: dict[str, _StrPromise] = {
    "unpacking": _("unpacking"),
    "looking": _("looking through the files"),
    "preparing": _("reading, scoring and rendering"),
    "concluding": _("writing the report"),
}
VERDICTS: dict[str, _StrPromise] = {
    "used": _("used"),
    "passed over": _("passed over"),
    "refused": _("refused"),
}
MATCHED_BY: dict[str, _StrPromise] = {
    "id": _("by the id in it"),
    "folder": _("by its folder"),
    "name": _("by its name"),
    "metadata": _("by metadata.json"),
}
SEVERITIES: dict[str, _StrPromise] = {"error": _("error"), "warning": _("warning"), "note": _("note")}
PHASES: dict[str, _StrPromise] = {
    "starting": _("starting its sandbox"),
    "pre-executing": _("running the cells given to it"),
    "executing": _("running a cell"),
    "thinking": _("waiting for the agent"),
    "scoring": _("scoring"),
    "cancelling": _("its sandbox is being removed"),
}


def word(key: str, *args: str) -> str:
    """A text of `rendering.words` in the reader's language, whole numbers grouped as they write them.

    Raises:
        KeyError: there is no such text.
    """
    entry = WORDS[key]
    text = ngettext(entry.one, entry.many, int(args[0])) if entry.many else gettext(entry.one)
    return text.format(
        *(number_format(int(arg), force_grouping=True) if arg.isdecimal() else arg for arg in args)
    )


def fact(name: str) -> str:
    """What something is called that is told of how a run was made: a fact, a limit, an agent's setting."""
    if name in BUDGETS:
        return str(BUDGETS[name].asked)
    settings = (agent.labels[name] for agent in offers.agents() if name in agent.labels)
    return str(FACTS.get(name) or next(settings, name))


def fact_text(value: Any) -> str:
    """The value of such a thing, numbers as the reader writes them."""
    if isinstance(value, dict):
        known = ((fact(name), each) for name, each in value.items() if each not in (None, "", []))
        return ", ".join(f"{name} {fact_text(each)}" for name, each in known)
    if isinstance(value, list):
        return ", ".join(map(fact_text, value))
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return number_format(value, force_grouping=True) if isinstance(value, int | float) else str(value)


def told(error: InputError) -> str:
    """Why an input was refused, in the reader's language."""
    return translated(error.problem.sentence)


def translated(text: Text) -> str:
    """A sentence of the pure code in the reader's language, its whole numbers grouped as they write them."""
    values = {
        name: translated(value)
        if isinstance(value, Text)
        else number_format(value, force_grouping=True)
        if isinstance(value, int) and not isinstance(value, bool)
        else value
        for name, value in text.values.items()
    }
    if text.template == VERBATIM:
        return str(text)
    if text.many:
        wanted = ngettext(text.template, text.many, int(text.values["n"]))
    else:
        wanted = gettext(text.template)
    return wanted.format(**values) if values else wanted
