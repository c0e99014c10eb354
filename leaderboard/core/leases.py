"""Rows that a worker holds: taken by a conditional update, under a lease, each write fenced by the claim.

A job of a run and an upload that is checked are both such rows: they have ``state``, ``claim_number``,
``claims_left`` and ``lease_until``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db.models import F, Manager, Model, QuerySet
from django.utils import timezone

MOST_CLAIMS = 2
"""How often a row is taken before it counts as failed of us."""
Row = TypeVar("Row", bound=Model)


class LostLease(Exception):
    """Another worker has the row by now, or nobody: this one must stop and write nothing."""


@dataclass(frozen=True, slots=True)
class Leased(Generic[Row]):
    """One table of such rows; a row in a state of ``claimed`` is held by a worker."""

    rows: Manager[Row]
    claimed: Collection[str]

    def claim(self, row: Row, **changes: Any) -> int:
        """Take a row that nobody has taken since it was read; returns the number of the claim, or 0."""
        state, claim_number = row.state, row.claim_number  # type: ignore[attr-defined]
        untouched = self.rows.filter(pk=row.pk, state=state, claim_number=claim_number)
        now = timezone.now()
        taken = untouched.update(
            claim_number=claim_number + 1,
            claims_left=F("claims_left") - 1,
            lease_until=lease_end(now),
            **changes,
        )
        return claim_number + 1 if taken else 0

    def held(self, key: Any, claim_number: int) -> QuerySet[Row]:
        """The row, if that claim still holds it."""
        return self.rows.filter(pk=key, claim_number=claim_number, state__in=self.claimed)

    def write(self, key: Any, claim_number: int, **changes: Any) -> None:
        """Change a row that is held.

        Raises:
            LostLease: that take no longer holds it.
        """
        if not self.held(key, claim_number).update(**changes):
            raise LostLease(f"{self.rows.model.__name__} {key}, claim {claim_number}")

    def renew(self, key: Any, claim_number: int) -> None:
        """Say that whoever holds the row lives; raises `LostLease` as `write` does."""
        self.write(key, claim_number, lease_until=lease_end(timezone.now()))

    def lost(self) -> QuerySet[Row]:
        """Rows whose worker was silent for longer than its lease, locked, in the order of their keys."""
        silent = self.rows.filter(state__in=self.claimed, lease_until__lt=timezone.now())
        return silent.select_for_update(of=("self",)).order_by("pk")


def lease_end(now: datetime) -> datetime:
    """When a lease given ``now`` ends."""
    seconds: int = settings.RUNNER_LEASE_SECONDS
    return now + timedelta(seconds=seconds)
