"""A stored step of a job as HTML."""

from __future__ import annotations

import re

from django.utils.safestring import SafeString, mark_safe

from leaderboard.attempts.fragments import attempt_html
from leaderboard.models import Job, JobStep

_TAG = re.compile(r"<[a-z][^<>]*>")
_ANCHOR = re.compile(r"""\b((?:id|aria-labelledby)="|href="#)(?=(?:step|hit)-)""")


def job_step_html(job: Job, step: JobStep) -> SafeString:
    """A step of a job. Every claim numbers its steps from 1: anchors of later claims get a prefix."""
    # Only the claim that finished has its long outputs stored, with the attempt.
    html = attempt_html(step.html, job.attempt_id if step.claim_number == job.claim_number else None)
    if step.claim_number == 1:
        return html
    prefixed = _TAG.sub(lambda tag: _ANCHOR.sub(rf"\1claim-{step.claim_number}-", tag[0]), html)
    return mark_safe(prefixed)  # noqa: S308 - only anchors within our own markup have changed
