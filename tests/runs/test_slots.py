"""A worker's slots: runs and checks never wait for each other, and nothing that is asked for is missed."""

from __future__ import annotations

import threading

import pytest

from runner.worker.slots import Slots
from tests.runs.workers import SECONDS

pytestmark = pytest.mark.django_db(transaction=True)


class Work:
    """Work that waits to be let go, so many pieces of it."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces
        self.done = 0
        self.begun = threading.Semaphore(0)
        self.let_go = threading.Semaphore(0)

    def on_next(self) -> bool:
        if not self.left:
            return False
        self.left -= 1
        self.begun.release()
        assert self.let_go.acquire(timeout=SECONDS)
        self.done += 1
        return True


def test_checks_begin_while_every_slot_for_runs_is_taken() -> None:
    runs, checks = Work(2), Work(1)
    for_runs, for_checks = Slots("runs", 2, runs.on_next), Slots("checks", 1, checks.on_next)
    for_runs.wake(5)
    assert all(runs.begun.acquire(timeout=SECONDS) for _ in range(2))

    for_checks.wake()
    checks.let_go.release()
    for_checks.join()

    assert (runs.done, checks.done) == (0, 1)
    runs.let_go.release(2)
    for_runs.join()


def test_one_slot_does_all_there_is_and_then_rests() -> None:
    work = Work(3)
    work.let_go.release(3)
    slots = Slots("runs", 1, work.on_next)

    slots.wake()
    slots.join()
    assert work.done == 3

    work.left = 1
    work.let_go.release()
    slots.wake()
    slots.join()
    assert work.done == 4


def test_work_that_comes_while_a_slot_looks_for_the_last_time_is_not_missed() -> None:
    looking, go_on = threading.Event(), threading.Event()
    found: list[bool] = [False, True, False]
    all_found = threading.Event()

    def look() -> bool:
        looking.set()
        assert go_on.wait(SECONDS)
        answer = found.pop(0)
        if not found:
            all_found.set()
        return answer

    slots = Slots("checks", 1, look)
    slots.wake()
    assert looking.wait(SECONDS)

    slots.wake()
    go_on.set()

    assert all_found.wait(SECONDS)
    slots.join()


def test_a_slot_that_breaks_down_works_again_when_it_is_woken() -> None:
    answers: list[bool | Exception] = [RuntimeError("the database is away"), True, False]

    def work() -> bool:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    slots = Slots("runs", 1, work)
    slots.wake()
    slots.join()
    slots.wake()
    slots.join()

    assert not answers


def test_a_worker_that_stops_finishes_what_it_has_begun_and_begins_nothing() -> None:
    work = Work(2)
    slots = Slots("runs", 1, work.on_next)
    slots.wake()
    assert work.begun.acquire(timeout=SECONDS)

    slots.stop()
    slots.wake()
    work.let_go.release()
    slots.join()

    assert (work.done, work.left) == (1, 1)
