"""One claim from the queue to its end: executed, scored by the one road, recorded; or given back."""

from __future__ import annotations

import logging
import shutil
from dataclasses import asdict

from leaderboard import pipeline
from leaderboard.budgets import BUDGETS
from leaderboard.domain.states import UnitState
from leaderboard.domain.texts import Text
from leaderboard.domain.texts import gettext as _
from leaderboard.models import Unit
from leaderboard.selectors.catalogue import task_spec
from leaderboard.selectors.runs import BUDGET
from leaderboard.services.attempts import attempt_title
from leaderboard.services.leases import LostLease
from leaderboard.services.units import (
    Claim,
    claim_unit,
    confirm_cancelled,
    finish_unit,
    give_back,
    note_progress,
    renew_lease,
    unit_state,
)
from runner.execution import Limits, Outcome, OutcomeKind, execute_attempt, history_json
from runner.provision import (
    agent_of,
    furniture_of,
    limits_of,
    local_folder,
    outputs_folder,
    outputs_of,
    sandbox_of,
)
from runner.resources import shortage
from runner.watching import Pulse, UnitRecorder, persistently

logger = logging.getLogger(__name__)


def work_on_next(worker: str) -> bool:
    """Claim a unit and work on it to its end; False where there was none to claim, or no room to run it."""
    if shortage():
        return False
    claim = claim_unit(worker)
    if claim is None:
        return False
    try:
        _work(claim)
    except LostLease:
        logger.warning("unit %s, take %s, went to somebody else", claim.unit_id, claim.take)
    except Exception as error:
        # Whatever it is, it is ours and not the agent's: the unit must not wait for its lease to end.
        logger.exception("unit %s, take %s, broke down", claim.unit_id, claim.take)
        detail = f"{type(error).__name__}: {error}"
        _give_back(claim, _("The runner broke down: {detail}", detail=detail))
    finally:
        for folder in (local_folder(claim), outputs_folder(claim)):
            shutil.rmtree(folder, ignore_errors=True)
    return True


def _work(claim: Claim) -> None:
    unit = Unit.objects.select_related("task", "run__task_set__benchmark", "run__entry__agent").get(
        pk=claim.unit_id
    )
    spec = task_spec(unit.task)
    agent = agent_of(unit.run.agent, unit.run.agent_settings)
    limits = limits_of(unit, spec, agent)
    persistently(lambda: note_progress(claim, environment={BUDGET: _budget(limits)}))
    with _pulse(claim) as pulse:
        outcome = execute_attempt(
            spec,
            agent,
            sandbox_of(unit, claim),
            limits,
            UnitRecorder(claim, spec),
            cancelled=pulse.cancelled,
            prepare=furniture_of(unit),
            outputs=outputs_of(claim),
        )
        _conclude(claim, unit, outcome)


def _pulse(claim: Claim) -> Pulse:
    return Pulse(
        f"unit {claim.unit_id}",
        renew=lambda: renew_lease(claim),
        is_cancelled=lambda: unit_state(claim) is UnitState.CANCELLING,
    )


def _conclude(claim: Claim, unit: Unit, outcome: Outcome) -> None:
    match outcome.kind:
        case OutcomeKind.FENCED:
            raise LostLease(claim)
        case OutcomeKind.CANCELLED:
            persistently(lambda: confirm_cancelled(claim))
        case OutcomeKind.INFRASTRUCTURE:
            _give_back(claim, outcome.reason, again=outcome.retry)
        case _:
            _record(claim, unit, outcome)


def _record(claim: Claim, unit: Unit, outcome: Outcome) -> None:
    """Send the attempt down the one road, as if it had been imported."""
    environment = {**outcome.sandbox, BUDGET: _budget(outcome.limits)}
    persistently(lambda: note_progress(claim, phase="scoring", environment=environment))
    data = history_json(outcome)
    name = f"{unit.task.task_id}/history.json"
    prepared = pipeline.prepare(
        data,
        name=name,
        task=task_spec(unit.task),
        title=attempt_title(unit.task.task_id, unit.run.entry.agent),
        outputs=tuple(
            pipeline.StepOutput(step.number, whole.digest, whole.size, whole.cut, whole.path)
            for step in outcome.steps
            if (whole := step.whole)
        ),
    )
    digest = pipeline.source_digest({"history.json": data})
    used = asdict(outcome.used)
    persistently(lambda: finish_unit(claim, prepared=prepared, digest=digest, used=used))


def _budget(limits: Limits) -> dict[str, float | None]:
    return {name: getattr(limits, name) for name in BUDGETS}


def _give_back(claim: Claim, reason: Text, *, again: bool = True) -> None:
    try:
        state = persistently(lambda: give_back(claim, reason, again=again))
    except LostLease:
        return
    logger.warning("unit %s, take %s: %s; it is %s now", claim.unit_id, claim.take, reason, state)
