"""Checks uploads from the queue."""

from __future__ import annotations

import logging

from leaderboard.core.leases import LostLease
from leaderboard.domain.text import storable
from leaderboard.uploads.check_writes import Claim, claim_upload, give_back_check, renew_check
from leaderboard.uploads.checking import check_upload
from runner.worker.recorder import Heartbeat, write_with_retries

logger = logging.getLogger(__name__)


def check_next() -> bool:
    """Claim an upload and check it; False if there was none."""
    claim = claim_upload()
    if claim is None:
        return False
    try:
        with Heartbeat(f"upload {claim.upload_id}", renew=lambda: renew_check(claim)):
            state = check_upload(claim)
        logger.info("upload %s, claim %s: it is now %s", claim.upload_id, claim.number, state)
    except LostLease:
        logger.warning(
            "upload %s, claim %s: claimed by another worker, or discarded", claim.upload_id, claim.number
        )
    except Exception as error:
        # An infrastructure error: give the upload back at once instead of when its lease ends.
        logger.exception("upload %s, claim %s: checking failed", claim.upload_id, claim.number)
        _give_back(claim, f"checking broke down: {storable(f'{type(error).__name__}: {error}')}")
    return True


def _give_back(claim: Claim, reason: str) -> None:
    try:
        write_with_retries(lambda: give_back_check(claim, reason))
    except LostLease:
        logger.warning("upload %s, claim %s: claimed by another worker", claim.upload_id, claim.number)
