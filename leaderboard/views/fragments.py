"""Stored fragments of rendered steps, with the addresses that they leave open."""

from __future__ import annotations

import re

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from leaderboard.models import Unit, UnitStep
from leaderboard.rendering.addresses import PAGE_URL, fill

_TAG = re.compile(r"<[a-z][^<>]*>")
_NAME = re.compile(r"""\b((?:id|aria-labelledby)="|href="#)(?=(?:step|hit)-)""")


def attempt_html(html: str, attempt_id: int | None) -> SafeString:
    """A stored fragment of an attempt, its long outputs linked.

    Safe because ``rendering`` escaped every text of the agent's, and ``reverse`` quotes what it is given.
    """

    def address(key: str, args: tuple[str, ...]) -> str:
        if key == PAGE_URL:
            # A step of a running unit has no pages yet: they come with the attempt.
            return reverse("output", args=(attempt_id, *args)) if attempt_id else f"#step-{args[0]}"
        return reverse("download-output", args=(attempt_id, *args))

    return mark_safe(fill(html, address))  # noqa: S308 - see the docstring


def unit_step_html(unit: Unit, step: UnitStep) -> SafeString:
    """A step of a running unit. Takes number their steps alike: the names of later ones bear their take."""
    # Long outputs of the take that was finished are in the attempt, those of the others nowhere.
    html = attempt_html(step.html, unit.attempt_id if step.take == unit.take else None)
    if step.take == 1:
        return html
    named = _TAG.sub(lambda tag: _NAME.sub(rf"\1take-{step.take}-", tag[0]), html)
    return mark_safe(named)  # noqa: S308 - only names within our own markup have changed
