"""Workers are killed wherever it hurts: every job ends once."""

from __future__ import annotations

import pytest

from tests.runs.dying import CANCELLING, die_and_be_made_up_for, die_cancelling
from tests.runs.scripted import check_all_finished_once, scripted_run
from tests.runs.traps import TRAPS
from tests.runs.workers import Workers


@pytest.mark.parametrize("trap", sorted(TRAPS.keys() - {CANCELLING, "waiting for the kernel"}))
def test_a_worker_killed_at_any_point_loses_nothing_and_doubles_nothing(workers: Workers, trap: str) -> None:
    run = scripted_run(workers.var)

    die_and_be_made_up_for(workers, run, trap)

    check_all_finished_once(run, takes={1, 2})


def test_a_worker_killed_while_it_cancels_leaves_the_job_cancelled(workers: Workers) -> None:
    die_cancelling(workers, scripted_run(workers.var, "sleep 600"))
