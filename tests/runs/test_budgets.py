"""A budget has one name from the form to the runner, and its limit arrives there."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from leaderboard.domain.budgets import BUDGETS
from leaderboard.models import Job
from runner.agents.scripted import ScriptedAgent
from runner.execution.limits import Limits
from runner.execution.records import Used
from runner.worker.provision import limits_of
from tests.cast import PET
from tests.runs.cast import make_run


@pytest.mark.parametrize("kind", [Limits, Used])
def test_the_runner_knows_every_budget_by_its_name(kind: type) -> None:
    assert set(BUDGETS) <= set(get_type_hints(kind))


@pytest.mark.django_db
def test_a_limit_of_a_run_is_what_its_jobs_are_held_to() -> None:
    asked = {"execution_seconds": "60.5", "steps": "7", "prompt_tokens": 1000, "cost": 0}
    make_run(PET, limits=asked)

    limits = limits_of(Job.objects.get(), PET, ScriptedAgent("Solver", "script", None, 300.0, {}))

    assert {name: getattr(limits, name) for name in asked} == {
        "execution_seconds": 60.5,
        "steps": 7,
        "prompt_tokens": 1000,
        "cost": 0,
    }
