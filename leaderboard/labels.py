"""The words of the domain as people read them, translated: a metric has one name everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from leaderboard.domain.scores import Metric
from leaderboard.domain.states import UnitState
from leaderboard.domain.texts import Text
from leaderboard.rendering.words import WORDS
from leaderboard.services.figures import BOARD, REPORTED

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

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
    if text.many:
        wanted = ngettext(text.template, text.many, int(text.values["n"]))
    else:
        wanted = gettext(text.template)
    return wanted.format(**values) if values else wanted
