"""A process pool that can be used from any process, and in which no file can crash the caller.

The caller starts a helper process, which forks the workers: it has no threads and no database connection, so
forking is safe and fast. Celery's processes, which may not start `multiprocessing` children, can use it too.
If a worker is killed, usually because it used too much memory, only the file it worked on is lost.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

Item = TypeVar("Item")
Result = TypeVar("Result")

ITEMS_WORTH_PROCESSES: Final = 8
"""With fewer items, one process is faster, because starting processes is slow."""
SECONDS_TO_END: Final = 10
ROOT: Final = Path(__file__).resolve().parents[2]


def process_all(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    killed: Callable[[Item], Result],
    workers: int | None = None,
    isolated: bool = False,
) -> Iterator[tuple[Item, Result]]:
    """Call ``work`` on each item and yield (item, result) as results arrive, in any order.

    Args:
        work: a module-level function, so that it can be pickled. Its first exception is raised here.
        items: they must be picklable.
        killed: makes the result of an item whose process was killed.
        workers: number of processes; None for one per core.
        isolated: use another process even for few items, so that none can crash this process.
    """
    workers = workers or os.cpu_count() or 1
    if not isolated and (workers == 1 or len(items) < ITEMS_WORTH_PROCESSES):
        for item in items:
            yield item, work(item)
        return
    left = dict(enumerate(items))
    while left:
        suspects = yield from _run(work, left, workers)
        # Run each alone to find which one kills its process.
        for number in suspects:
            alone = {number: left.pop(number)}
            yield from _run(work, alone, 1)
            for item in alone.values():
                yield item, killed(item)


def _run(
    work: Callable[[Item], Result], items: dict[int, Item], workers: int
) -> Generator[tuple[Item, Result], None, list[int]]:
    """Process items in a helper and remove the finished ones; return those that may have killed a process."""
    command = [sys.executable, "-m", "leaderboard.intake.pool"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:  # noqa: S603 - a constant command
        requests, answers = cast("BinaryIO", helper.stdin), cast("BinaryIO", helper.stdout)
        try:
            with contextlib.suppress(BrokenPipeError):
                packed = {number: pickle.dumps(item) for number, item in items.items()}
                pickle.dump((work, packed, workers), requests)
                requests.flush()
            while items:
                try:
                    number, result = pickle.load(answers)  # noqa: S301 - from our own process
                except (EOFError, pickle.UnpicklingError):
                    return list(items)
                if number is None:
                    return [number for number in result if number in items]
                if isinstance(result, BaseException):
                    raise result
                yield items.pop(number), result
            # Keep the pipe open until its workers have exited normally.
            with contextlib.suppress(subprocess.TimeoutExpired):
                helper.wait(SECONDS_TO_END)
        finally:
            # Its workers exit with it, also if this process is killed before this line.
            helper.kill()
    return []


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Run in the helper: read one request, then write ``(number, result)`` for each of its items.

    ``(None, numbers)`` ends the answers early: one of these items killed its worker.
    """
    work, items, workers = pickle.load(requests)  # noqa: S301 - from the parent process

    def answer(number: int | None, result: Any) -> None:
        pickle.dump((number, result), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()

    if workers == 1 or len(items) == 1:
        _exit_when_closed(requests)
        for number, packed in items.items():
            answer(number, _call(work, packed))
        return
    waiting = list(reversed(items.items()))
    running: dict[Future[Any], int] = {}
    watching_parent = False
    with ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("fork"), initializer=_exit_with_parent
    ) as pool:
        try:
            while waiting or running:
                # Only a few ahead: finished results wait in memory until the caller reads them.
                while waiting and len(running) < workers * 2:
                    number, packed = waiting.pop()
                    running[pool.submit(_call, work, packed)] = number
                    if not watching_parent:
                        # Only after the first submit, which forks all workers: forking needs a single thread.
                        watching_parent = True
                        _exit_when_closed(requests)
                finished, _pending = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    answer(running[future], future.result())
                    del running[future]
        except BrokenProcessPool:
            answer(None, list(running.values()))


def _call(work: Callable[[Any], Any], packed: bytes) -> Any:
    try:
        return work(pickle.loads(packed))  # noqa: S301 - from our own process
    except Exception as error:  # noqa: BLE001 - the caller raises it again
        return error


def _exit_when_closed(requests: BinaryIO) -> None:
    """Exit this process as soon as the process that started it closes the pipe or dies."""

    def read_to_end() -> None:
        # Not through the buffered reader: its lock would be held when this process exits normally.
        while os.read(requests.fileno(), 1):
            pass

    _exit_after(read_to_end)


def _exit_with_parent() -> None:
    """Exit a worker when its helper exits, also when the helper was killed."""
    if parent := multiprocessing.parent_process():
        _exit_after(parent.join)


def _exit_after(wait_for_end: Callable[[], None]) -> None:
    def watch() -> None:
        wait_for_end()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    # Redirect stdout to stderr, so that a print in a worker can't corrupt the answers.
    original_stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, original_stdout)
