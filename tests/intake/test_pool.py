"""Work on many items in processes: what is killed costs one item, and nothing outlives the caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import cast

import pytest

from leaderboard.intake.pool import ITEMS_WORTH_PROCESSES, HelperKilled, Limits, process_all
from tests.intake.pool_work import (
    DEADLY,
    answer_with_a_riddle,
    die_at_three,
    die_once,
    grow_and_keep,
    kill_the_helper,
    kill_the_helper_once,
    lost,
    refuse,
    square,
    stay_at_three,
    take_memory,
)
from tests.runs.workers import SECONDS, processes_with

NUMBERS = range(ITEMS_WORTH_PROCESSES * 2)

IN_A_CELERY_PROCESS = """
import billiard
from leaderboard.intake.pool import process_all
from tests.intake.pool_work import lost, square

def work():
    print(sum(1 for _ in process_all(square, range(16), lost=lost, workers=2)), flush=True)

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
    assert dict(process_all(square, NUMBERS, lost=lost, workers=2)) == {n: n * n for n in NUMBERS}


def test_a_process_that_is_killed_costs_only_the_item_it_was_at() -> None:
    results = dict(process_all(die_at_three, NUMBERS, lost=lost, workers=2))

    assert results.pop(DEADLY) == "the process that read it was killed"
    assert results == {n: n * n for n in NUMBERS if n != DEADLY}


def test_an_item_that_kills_the_process_which_opens_it_costs_itself_alone() -> None:
    items = [KillsWhoeverOpensIt(n) if n == DEADLY else n for n in NUMBERS]

    assert (
        dict(process_all(square, items, lost=lost, workers=2))[DEADLY]
        == "the process that read it was killed"
    )


def test_few_items_are_isolated_where_that_is_asked_for() -> None:
    assert list(process_all(die_at_three, [DEADLY], lost=lost, isolated=True)) == [
        (DEADLY, "the process that read it was killed")
    ]


@pytest.mark.parametrize("isolated", [False, True])
def test_what_the_work_raises_is_that_item_s_loss(isolated: bool) -> None:
    results = list(process_all(refuse, [1, 2], lost=lost, workers=1, isolated=isolated))

    assert sorted(results) == [(number, "reading it failed unexpectedly (LookupError)") for number in (1, 2)]


def test_a_result_that_cannot_be_sent_is_that_item_s_loss() -> None:
    results = dict(process_all(answer_with_a_riddle, [2, DEADLY], lost=lost, isolated=True))

    assert results[2] == 4
    assert str(results[DEADLY]).startswith("reading it failed unexpectedly (")


def test_a_file_that_takes_too_long_ends_alone() -> None:
    limits = Limits(seconds=1)

    results = dict(process_all(stay_at_three, NUMBERS, lost=lost, workers=2, limits=limits))

    assert results.pop(DEADLY) == "reading it takes more of the processor's time than the limit of 1 s"
    assert results == {n: n * n for n in NUMBERS if n != DEADLY}


def test_when_the_time_for_all_is_over_what_was_done_stays() -> None:
    limits = Limits(total_seconds=2)

    results = dict(
        process_all(stay_at_three, [1, DEADLY, 5], lost=lost, workers=1, isolated=True, limits=limits)
    )

    over = "it was not read: the whole check takes longer than the limit of 2 s"
    assert results == {1: 1, DEADLY: over, 5: over}


def test_a_file_that_takes_too_much_memory_ends_alone() -> None:
    limits = Limits(memory_mb=200)

    results = dict(process_all(take_memory, [1, 300, 2], lost=lost, isolated=True, workers=1, limits=limits))

    assert results.pop(300) == "reading it takes more memory than the limit of 200 MB"
    assert results == {1: 1 << 20, 2: 2 << 20}


def test_a_process_that_has_grown_is_replaced_and_loses_nothing() -> None:
    limits = Limits(memory_mb=250)

    results = dict(process_all(grow_and_keep, NUMBERS, lost=lost, workers=2, limits=limits))

    assert results == {n: n * n for n in NUMBERS}


@pytest.mark.parametrize("work", [die_once, kill_the_helper_once])
def test_a_process_killed_by_others_costs_nothing(work: Callable[[str], int | str], tmp_path: Path) -> None:
    assert list(process_all(work, [str(tmp_path)], lost=lost, isolated=True)) == [(str(tmp_path), "done")]


def test_no_item_is_blamed_where_the_helper_is_killed_each_time() -> None:
    with pytest.raises(HelperKilled, match="was killed 3 times"):
        list(process_all(kill_the_helper, [1], lost=lost, isolated=True))


def test_a_process_of_celery_s_can_use_it() -> None:
    command = [sys.executable, "-c", IN_A_CELERY_PROCESS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(len(NUMBERS)), done.stderr


WHO_ASKS = """
import sys
from leaderboard.intake.pool import process_all
from tests.intake.pool_work import lost, never_return

list(process_all(never_return, [sys.argv[1]], lost=lost, isolated=True))
"""


def ends(mark: str) -> None:
    deadline = time.monotonic() + SECONDS
    while processes_with(mark):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.02)


def test_nothing_of_it_outlives_whoever_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARK_OF_THIS_TEST", str(tmp_path))
    results = cast("Generator[tuple[int, int | str]]", process_all(square, NUMBERS, lost=lost, workers=2))
    next(results)
    results.close()

    ends(str(tmp_path))


def test_nothing_of_it_outlives_whoever_asked_and_was_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "MARK_OF_THIS_TEST": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", WHO_ASKS, str(tmp_path)], env=environment) as who:
        while not (tmp_path / "begun").exists():
            time.sleep(0.02)
        assert len(processes_with(str(tmp_path))) == 3
        who.kill()

    ends(str(tmp_path))
