"""The words of the domain as people read them, translated: a metric has one name everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from leaderboard.domain.scores import Metric
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
STEP_KINDS: dict[str, _StrPromise] = {
    "execute": _("execute"),
    "edit": _("edit"),
    "create": _("create"),
    "view": _("view"),
    "search": _("search"),
    "submit": _("submit"),
    "interrupt": _("interrupt"),
    "wait": _("wait"),
    "format-error": _("format error"),
    "exception": _("exception"),
    "other": _("other"),
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
LANDMARK_STATUSES: dict[str, _StrPromise] = {
    "hit": _("hit"),
    "given": _("hit before the agent took over"),
    "missed": _("missed"),
    "timed-out": _("timed out"),
    "invalid": _("pattern does not compile"),
}
