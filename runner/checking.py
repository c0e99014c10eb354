"""One upload from the queue to its report; or given back."""

from __future__ import annotations

import logging

from leaderboard.domain.text import storable
from leaderboard.domain.texts import Text
from leaderboard.domain.texts import gettext as _
from leaderboard.services.checking import check_upload
from leaderboard.services.checks import Claim, claim_upload, give_back_check, renew_check
from leaderboard.services.leases import LostLease
from runner.watching import Pulse, persistently

logger = logging.getLogger(__name__)


def check_next() -> bool:
    """Claim an upload and check it to its end; False where there was none to claim."""
    claim = claim_upload()
    if claim is None:
        return False
    try:
        with Pulse(f"upload {claim.upload_id}", renew=lambda: renew_check(claim)):
            state = check_upload(claim)
        logger.info("upload %s, take %s: it is %s now", claim.upload_id, claim.take, state)
    except LostLease:
        logger.warning("upload %s, take %s, is somebody else's, or discarded", claim.upload_id, claim.take)
    except Exception as error:
        # Whatever it is, it is ours and not the submitter's: the upload must not wait for its lease to end.
        logger.exception("upload %s, take %s, broke down", claim.upload_id, claim.take)
        _give_back(
            claim, _("checking broke down: {error}", error=storable(f"{type(error).__name__}: {error}"))
        )
    return True


def _give_back(claim: Claim, reason: Text) -> None:
    try:
        persistently(lambda: give_back_check(claim, reason))
    except LostLease:
        logger.warning("upload %s, take %s, went to somebody else", claim.upload_id, claim.take)
