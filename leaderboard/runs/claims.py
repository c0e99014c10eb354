"""What workers write. Every write names the take it holds; a worker that lost its lease writes nothing.

The row is the truth, and a message is only a wake-up call: whoever is woken claims what there is, and for a
call that got lost the sweeper makes up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from leaderboard.attempts.services import record_attempt
from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.core.leases import Leased, LostLease
from leaderboard.domain.states import CLAIMED, UNIT_MACHINE, UnitState
from leaderboard.domain.text import storable
from leaderboard.models import Run, Unit, UnitStep, Worker
from leaderboard.pipeline import Prepared

UNITS = Leased(Unit.objects, CLAIMED)
CANDIDATES = 20
"""Queued units looked at in one claim; others have them if none of these can be had."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A unit held by a worker, under the take that fences its writes."""

    unit_id: int
    take: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: numbers of units put back, given up, and seen to be cancelled."""

    requeued: int
    failed: int
    cancelled: int


@transaction.atomic
def claim_unit(worker: str) -> Claim | None:
    """Take a queued unit, or None where none can be had.

    Runs take turns: the one with the fewest units running comes first, then the unit that waited longest. A
    run never has more than its ``max_parallel``.
    """
    for unit in _candidates():
        # Two workers must not both take the last place of a run: they queue for its row, and count again.
        run = Run.objects.select_for_update().get(pk=unit.run_id)
        if run.units.filter(state__in=CLAIMED).count() >= run.max_parallel:
            continue
        take = UNITS.take(
            unit,
            state=UnitState.RUNNING,
            worker=worker,
            phase="starting",
            started=timezone.now(),
            ended=None,
            live_output="",
            used={},
        )
        if take:
            return Claim(unit.pk, take)
    return None


def renew_lease(claim: Claim) -> UnitState:
    """Say that the worker lives, and hear where the unit stands: running, or being cancelled.

    Raises:
        LostLease: the unit is no longer this worker's.
    """
    UNITS.renew(claim.unit_id, claim.take)
    return unit_state(claim)


def unit_state(claim: Claim) -> UnitState:
    """Where the unit stands, without a write.

    Raises:
        LostLease: the unit is no longer this worker's.
    """
    state = _held(claim).values_list("state", flat=True).first()
    if state is None:
        raise LostLease(claim)
    return UnitState(state)


def note_progress(claim: Claim, **changes: Any) -> None:
    """Store ``phase``, ``used``, ``live_output`` or ``environment`` for those who watch.

    Raises:
        LostLease: the unit is no longer this worker's.
    """
    if "live_output" in changes:
        changes["live_output"] = storable(changes["live_output"])
    _write(claim, **changes)


@transaction.atomic
def note_step(claim: Claim, *, number: int, html: str, landmarks: list[int], used: dict[str, Any]) -> None:
    """Store a step that has happened; the same step again replaces it.

    Raises:
        LostLease: the unit is no longer this worker's.
    """
    _write(claim, used=used, live_output="")
    UnitStep.objects.update_or_create(
        unit_id=claim.unit_id,
        take=claim.take,
        number=number,
        defaults={"html": html, "landmarks": landmarks},
    )


@transaction.atomic
def finish_unit(claim: Claim, *, prepared: Prepared, digest: str, used: dict[str, Any]) -> None:
    """Record the attempt and end the unit, both or neither.

    Raises:
        LostLease: the unit is no longer this worker's.
    """
    _write(claim, state=UnitState.FINISHED, phase="", reason="", used=used, live_output="", **_ended())
    unit = Unit.objects.select_related("run__entry__task_set", "task").get(pk=claim.unit_id)
    record_attempt(entry=unit.run.entry, task=unit.task, number=unit.number, digest=digest, prepared=prepared)
    unit.attempt = unit.run.entry.attempts.get(task=unit.task, number=unit.number)
    unit.save(update_fields=("attempt",))
    refresh_figures(unit.run.entry.task_set, [unit.run.entry])


@transaction.atomic
def give_back(claim: Claim, reason: str, *, again: bool = True) -> UnitState:
    """End a take that failed of us: queued again while takes are left, failed then. Returns what it became.

    Args:
        claim: the take.
        reason: why, for the operator.
        again: whether another take may help; a wrong key, say, fails every one.

    Raises:
        LostLease: the unit is no longer this worker's.
    """
    # By its key: in the order of its task the task would be locked as well.
    unit = _held(claim).select_for_update().order_by("pk").first()
    if unit is None:
        raise LostLease(claim)
    return _end_take(unit, reason, again=again)


def confirm_cancelled(claim: Claim) -> None:
    """Say that the sandbox of a unit that is being cancelled is gone.

    Raises:
        LostLease: the unit is no longer this worker's, or nobody has cancelled it.
    """
    cancelled = _held(claim).filter(state=UnitState.CANCELLING)
    if not cancelled.update(state=UnitState.CANCELLED, phase="", live_output="", **_ended()):
        raise LostLease(claim)


@transaction.atomic
def sweep() -> Swept:
    """Take up what dead workers left: every claimed unit whose lease has ended. Idempotent."""
    outcomes = []
    for unit in UNITS.lost():
        reason = f"worker {unit.worker} stopped answering in take {unit.take:,}"
        outcomes.append(_end_take(unit, reason))
    return Swept(
        *(outcomes.count(state) for state in (UnitState.QUEUED, UnitState.FAILED, UnitState.CANCELLED))
    )


def note_worker(name: str, notice: str = "") -> None:
    """Say that a worker lives, and why it takes no unit where it does not."""
    Worker.objects.update_or_create(name=name, defaults={"seen": timezone.now(), "notice": storable(notice)})


def forget_worker(name: str) -> None:
    """Say that a worker has stopped, and was not lost."""
    Worker.objects.filter(name=name).delete()


def live_claims() -> set[Claim]:
    """Every take that a worker holds: sandboxes of others are orphans."""
    held = Unit.objects.filter(state__in=CLAIMED).values_list("pk", "take")
    return {Claim(unit_id, take) for unit_id, take in held}


def claimable_units() -> int:
    """How many units wait whose run has room for them, as far as one look tells."""
    return len(_candidates())


def _candidates() -> list[Unit]:
    running = Count("run__units", filter=Q(run__units__state__in=CLAIMED))
    queued = Unit.objects.filter(state=UnitState.QUEUED).annotate(running=running)
    return list(
        queued.filter(running__lt=F("run__max_parallel")).order_by("running", "queued", "pk")[:CANDIDATES]
    )


def _end_take(unit: Unit, reason: str, *, again: bool = True) -> UnitState:
    """Move a claimed unit on after a take that did not come to an end."""
    if unit.state == UnitState.CANCELLING:
        wanted = UnitState.CANCELLED
    else:
        wanted = UnitState.QUEUED if unit.takes_left and again else UnitState.FAILED
    UNIT_MACHINE.check(UnitState(unit.state), wanted)
    reason = storable(reason)
    Unit.objects.filter(pk=unit.pk, take=unit.take, state=unit.state).update(
        state=wanted, reason=reason, phase="", live_output="", **_ended()
    )
    if wanted is UnitState.FAILED:
        record_event("give up unit", unit, reason=reason)
    return wanted


def _held(claim: Claim) -> QuerySet[Unit]:
    return UNITS.held(claim.unit_id, claim.take)


def _write(claim: Claim, **changes: Any) -> None:
    UNITS.write(claim.unit_id, claim.take, **changes)


def _ended() -> dict[str, Any]:
    return {"lease_until": None, "ended": timezone.now()}
