"""Work on many files in several processes, from any process, so that no file can take the caller down.

A helper process stands between: it has no threads and no database connection, so its workers are forked
from it and start at once; and Celery's processes, which may not have children of `multiprocessing`, can use
it. A worker that is killed, most often for the memory it took, costs only the file it was at.
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
"""Starting processes takes a moment: below this many items one process is quicker."""
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
    """Call ``work`` on each item; yields items with their results as they are ready, in any order.

    Args:
        work: a function of a module, which can be pickled by its name. What it raises ends everything.
        items: what can be pickled.
        killed: makes the result of an item whose process was killed.
        workers: processes; all cores where None.
        isolated: use another process even for few items, so that one can't take this process down.
    """
    workers = workers or os.cpu_count() or 1
    if not isolated and (workers == 1 or len(items) < ITEMS_WORTH_PROCESSES):
        for item in items:
            yield item, work(item)
        return
    left = dict(enumerate(items))
    while left:
        suspects = yield from _run(work, left, workers)
        # One at a time, to tell which of them kills its process.
        for number in suspects:
            alone = {number: left.pop(number)}
            yield from _run(work, alone, 1)
            for item in alone.values():
                yield item, killed(item)


def _run(
    work: Callable[[Item], Result], items: dict[int, Item], workers: int
) -> Generator[tuple[Item, Result], None, list[int]]:
    """Process items in a helper and remove those that are done; returns which may have killed a process."""
    command = [sys.executable, "-m", "leaderboard.intake.pool"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:  # noqa: S603 - ours
        requests, answers = cast("BinaryIO", helper.stdin), cast("BinaryIO", helper.stdout)
        try:
            with contextlib.suppress(BrokenPipeError):
                packed = {number: pickle.dumps(item) for number, item in items.items()}
                pickle.dump((work, packed, workers), requests)
                requests.flush()
            while items:
                try:
                    number, result = pickle.load(answers)  # noqa: S301 - from a process of ours
                except (EOFError, pickle.UnpicklingError):
                    return list(items)
                if number is None:
                    return [number for number in result if number in items]
                if isinstance(result, BaseException):
                    raise result
                yield items.pop(number), result
            # Its workers end in order; the pipe to it stays open so long.
            with contextlib.suppress(subprocess.TimeoutExpired):
                helper.wait(SECONDS_TO_END)
        finally:
            # Its workers end with it, as they do where this process is killed before it gets here.
            helper.kill()
    return []


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Run in the helper: read one request, then write ``(number, result)`` for each of its items.

    ``(None, numbers)`` ends the answers early: one of these items killed its worker.
    """
    work, items, workers = pickle.load(requests)  # noqa: S301 - from the process that started us

    def answer(number: int | None, result: Any) -> None:
        pickle.dump((number, result), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()

    if workers == 1 or len(items) == 1:
        _watch(requests)
        for number, packed in items.items():
            answer(number, _call(work, packed))
        return
    waiting = list(reversed(items.items()))
    running: dict[Future[Any], int] = {}
    watching = False
    with ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("fork"), initializer=_end_with_parent
    ) as pool:
        try:
            while waiting or running:
                # A few ahead and no more: results wait in memory until they are taken.
                while waiting and len(running) < workers * 2:
                    number, packed = waiting.pop()
                    running[pool.submit(_call, work, packed)] = number
                    if watching:
                        continue
                    # Not before: the first call forks all workers, and a fork copies no other thread.
                    watching = True
                    _watch(requests)
                finished, _pending = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    answer(running[future], future.result())
                    del running[future]
        except BrokenProcessPool:
            answer(None, list(running.values()))


def _call(work: Callable[[Any], Any], packed: bytes) -> Any:
    try:
        return work(pickle.loads(packed))  # noqa: S301 - from a process of ours
    except Exception as error:  # noqa: BLE001 - raised again by whoever asked
        return error


def _watch(requests: BinaryIO) -> None:
    """End this process at once when whoever started it is gone: nobody wants its answers."""

    def watch() -> None:
        # Not through the reader, whose lock would be held when this process ends in order.
        while os.read(requests.fileno(), 1):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _end_with_parent() -> None:
    """End a worker with its helper, which can't tell it to when it is killed."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _main() -> None:
    # Whatever prints, here or in a worker, must not print into our answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
