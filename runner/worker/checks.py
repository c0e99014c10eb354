"""Checks uploads from the queue."""

from __future__ import annotations

import logging
from functools import partial

from leaderboard.uploads.check_writes import Claim, claim_upload, give_back_check, renew_check
from leaderboard.uploads.checking import check_upload
from runner.worker.recorder import Heartbeat, giving_back, write_with_retries

logger = logging.getLogger(__name__)


def check_next() -> bool:
    """Claim an upload and check it; False if there was none."""
    claim = claim_upload()
    if claim is None:
        return False
    with giving_back(f"upload {claim.upload_id}, claim {claim.number}", partial(_give_back, claim)):
        with Heartbeat(f"upload {claim.upload_id}", renew=lambda: renew_check(claim)):
            state = check_upload(claim)
        logger.info("upload %s, claim %s: it is now %s", claim.upload_id, claim.number, state)
    return True


def _give_back(claim: Claim, error: str) -> None:
    write_with_retries(lambda: give_back_check(claim, f"checking broke down: {error}"))
