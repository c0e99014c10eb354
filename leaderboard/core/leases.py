"""Rows that a worker claims under a lease, and that only the current claim can change.

The jobs of runs and the uploads are such rows: they have ``state``, ``claim_number``, ``claims_left`` and
``lease_until``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db.models import F, Manager, Model, QuerySet
from django.utils import timezone

MAX_CLAIMS = 2
"""How often a row is claimed before it fails."""
Row = TypeVar("Row", bound=Model)


class LostLease(Exception):
    """The worker's claim is over: it must stop and write nothing."""


@dataclass(frozen=True, slots=True)
class LeasedTable(Generic[Row]):
    """A table of such rows; a worker holds the rows in the states ``claimed``."""

    rows: Manager[Row]
    claimed: Collection[str]

    def claim(self, row: Row, **changes: Any) -> int:
        """Claim a row; returns the claim's number, or 0 if another worker claimed it since it was read."""
        state, claim_number = row.state, row.claim_number  # type: ignore[attr-defined]
        untouched = self.rows.filter(pk=row.pk, state=state, claim_number=claim_number)
        now = timezone.now()
        claimed = untouched.update(
            claim_number=claim_number + 1,
            claims_left=F("claims_left") - 1,
            lease_until=lease_end(now),
            **changes,
        )
        return claim_number + 1 if claimed else 0

    def held_row(self, key: Any, claim_number: int) -> QuerySet[Row]:
        """The row, if the claim is still valid."""
        return self.rows.filter(pk=key, claim_number=claim_number, state__in=self.claimed)

    def write(self, key: Any, claim_number: int, **changes: Any) -> None:
        """Change a row that is held.

        Raises:
            LostLease: the claim is over.
        """
        if not self.held_row(key, claim_number).update(**changes):
            raise LostLease(self._claim_name(key, claim_number))

    def lock(self, key: Any, claim_number: int) -> Row:
        """The row that is held, locked until the transaction ends; raises `LostLease` as `write` does."""
        # Ordered by its key: a default order may join another table, whose row would be locked too.
        row = self.held_row(key, claim_number).select_for_update(of=("self",)).order_by("pk").first()
        if row is None:
            raise LostLease(self._claim_name(key, claim_number))
        return row

    def renew(self, key: Any, claim_number: int) -> None:
        """Extend the lease; raises `LostLease` as `write` does."""
        self.write(key, claim_number, lease_until=lease_end(timezone.now()))

    def expired(self) -> QuerySet[Row]:
        """Rows whose lease has expired, locked, ordered by primary key."""
        rows = self.rows.filter(state__in=self.claimed, lease_until__lt=timezone.now())
        return rows.select_for_update(of=("self",)).order_by("pk")

    def _claim_name(self, key: Any, claim_number: int) -> str:
        return f"{self.rows.model.__name__} {key}, claim {claim_number}"


def lease_end(now: datetime) -> datetime:
    """When a lease that begins ``now`` ends."""
    seconds: int = settings.RUNNER_LEASE_SECONDS
    return now + timedelta(seconds=seconds)
