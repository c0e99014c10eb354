"""Work on many items in processes: what is killed costs one item, and nothing outlives the caller."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from leaderboard.intake.pool import ITEMS_WORTH_PROCESSES, process_all
from tests.intake.pool_work import DEADLY, die_at_three, refuse, square
from tests.runs.workers import SECONDS, processes_with

NUMBERS = range(ITEMS_WORTH_PROCESSES * 2)

IN_A_CELERY_PROCESS = """
import billiard
from leaderboard.intake.pool import process_all
from tests.intake.pool_work import square

def work():
    print(sum(1 for _ in process_all(square, range(16), killed=str, workers=2)), flush=True)

child = billiard.Process(target=work)
child.daemon = True
child.start()
child.join()
"""


class KillsWhoeverOpensIt(int):
    """A number that can't be sent to a process without it being killed."""

    def __reduce__(self) -> tuple[object, ...]:
        return (signal.raise_signal, (signal.SIGKILL.value,))


def test_every_item_has_its_result() -> None:
    assert dict(process_all(square, NUMBERS, killed=str, workers=2)) == {n: n * n for n in NUMBERS}


def test_a_process_that_is_killed_costs_only_the_item_it_was_at() -> None:
    results = dict(process_all(die_at_three, NUMBERS, killed=str, workers=2))

    assert results.pop(DEADLY) == "3"
    assert results == {n: n * n for n in NUMBERS if n != DEADLY}


def test_an_item_that_kills_the_process_which_opens_it_costs_itself_alone() -> None:
    items = [KillsWhoeverOpensIt(n) if n == DEADLY else n for n in NUMBERS]

    assert dict(process_all(square, items, killed=str, workers=2))[DEADLY] == "3"


def test_few_items_are_isolated_where_that_is_asked_for() -> None:
    assert list(process_all(die_at_three, [DEADLY], killed=str, isolated=True)) == [(DEADLY, "3")]


def test_what_the_work_raises_is_raised_here() -> None:
    with pytest.raises(LookupError, match="no"):
        list(process_all(refuse, NUMBERS, killed=str, workers=2))


def test_a_process_of_celery_s_can_use_it() -> None:
    command = [sys.executable, "-c", IN_A_CELERY_PROCESS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(len(NUMBERS)), done.stderr


def test_nothing_of_it_outlives_whoever_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARK_OF_THIS_TEST", str(tmp_path))
    results = cast("Generator[tuple[int, int | str]]", process_all(square, NUMBERS, killed=str, workers=2))
    next(results)
    results.close()

    deadline = time.monotonic() + SECONDS
    while processes_with(str(tmp_path)):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.02)
