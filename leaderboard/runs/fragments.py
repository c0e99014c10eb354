"""A step of a running attempt as HTML."""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe

from leaderboard.attempts.fragments import attempt_html
from leaderboard.models import Job, JobStep

_TAG = re.compile(r"<[a-z][^<>]*>")
_NAME = re.compile(r"""\b((?:id|aria-labelledby)="|href="#)(?=(?:step|hit)-)""")


def job_step_html(job: Job, step: JobStep) -> SafeString:
    """A step of a running job. Claims number their steps alike: the names of later ones bear their take."""
    # Long outputs of the claim that was finished are in the attempt, those of the others nowhere.
    html = attempt_html(step.html, job.attempt_id if step.claim_number == job.claim_number else None)
    if step.claim_number == 1:
        return html
    named = _TAG.sub(lambda tag: _NAME.sub(rf"\1take-{step.claim_number}-", tag[0]), html)
    return mark_safe(named)  # noqa: S308 - only names within our own markup have changed
