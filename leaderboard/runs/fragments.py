"""A step of a running attempt as HTML."""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe

from leaderboard.attempts.fragments import attempt_html
from leaderboard.models import Unit, UnitStep

_TAG = re.compile(r"<[a-z][^<>]*>")
_NAME = re.compile(r"""\b((?:id|aria-labelledby)="|href="#)(?=(?:step|hit)-)""")


def unit_step_html(unit: Unit, step: UnitStep) -> SafeString:
    """A step of a running unit. Takes number their steps alike: the names of later ones bear their take."""
    # Long outputs of the take that was finished are in the attempt, those of the others nowhere.
    html = attempt_html(step.html, unit.attempt_id if step.take == unit.take else None)
    if step.take == 1:
        return html
    named = _TAG.sub(lambda tag: _NAME.sub(rf"\1take-{step.take}-", tag[0]), html)
    return mark_safe(named)  # noqa: S308 - only names within our own markup have changed
