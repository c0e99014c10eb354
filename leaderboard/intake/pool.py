"""Work on many files in processes with limits, in which no file can harm the caller or another file.

The caller starts a helper process (`intake.pool_helper`), which forks the workers: it has no threads and no
database connection, so forking is safe and fast, from whatever process or thread it is asked for. A file that
takes too long or too much memory, that breaks its worker or that the work raises an error for is *lost*: it
alone has no result, and a `Loss` says why.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, TypeVar, cast

from leaderboard.domain.errors import Problem

Item = TypeVar("Item")
Result = TypeVar("Result")

ITEMS_WORTH_PROCESSES: Final = 8
"""With fewer items, one process is faster, because starting processes is slow."""
TRIES: Final = 3
"""How often an item is given to a process: whatever killed one may have had nothing to do with the item."""
SECONDS_TO_END: Final = 10
ROOT: Final = Path(__file__).resolve().parents[2]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What items may use.

    Each: ``seconds`` of the processor, so that a busy machine refuses nothing, and MB of memory of a process.
    All together: ``total_seconds`` from now.
    """

    seconds: int = 120
    memory_mb: int = 500
    total_seconds: float = 1800
    began: float = field(default_factory=time.monotonic)

    @property
    def ends(self) -> float:
        """When the time for all is over, by `time.monotonic`, which all processes of a machine share."""
        return self.began + self.total_seconds


@dataclass(frozen=True, slots=True)
class Loss:
    """Why an item has no result."""

    reason: str
    remedy: str

    def problem(self, file: str, place: str = "") -> Problem:
        return Problem(file, place, self.reason, self.remedy)


def out_of_seconds(limits: Limits) -> Loss:
    reason = f"reading it takes more of the processor's time than the limit of {limits.seconds:,} s"
    return Loss(reason, "make it smaller, or ask the operators to raise SUPERBOARD_MAX_FILE_SECONDS")


def out_of_memory(limits: Limits) -> Loss:
    reason = f"reading it takes more memory than the limit of {limits.memory_mb:,} MB"
    return Loss(reason, "make it smaller, or ask the operators to raise SUPERBOARD_MAX_FILE_MEMORY_MB")


def out_of_total_seconds(limits: Limits) -> Loss:
    reason = f"it was not read: the whole check takes longer than the limit of {limits.total_seconds:,g} s"
    return Loss(
        reason, "send fewer files at once, or ask the operators to raise SUPERBOARD_MAX_CHECK_SECONDS"
    )


KILLED: Final = Loss("the process that read it was killed", "if this happens again, tell the operators")


class HelperKilled(OSError):
    """The process that starts those that read was killed again and again: no fault of any item."""

    def __init__(self) -> None:
        super().__init__(f"the helper process that reads files was killed {TRIES} times; try again later")


def unexpected(error: BaseException) -> Loss:
    """The loss of an item for which an error was raised that no code expects; logs it for operators."""
    logger.error("reading a file failed unexpectedly", exc_info=error)
    reason = f"reading it failed unexpectedly ({type(error).__name__})"
    return Loss(reason, "this is a bug: report it with the file")


def process_all(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    lost: Callable[[Item, Loss], Result],
    workers: int | None = None,
    isolated: bool = False,
    limits: Limits | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Call ``work`` on each item and yield (item, result) as results arrive, in any order.

    Args:
        work: a module-level function, so that it can be pickled. If its module has a function ``warm_up``,
            that is called once before processes are forked.
        items: they must be picklable.
        lost: makes the result of an item without one.
        workers: number of processes; None for one per core.
        isolated: use other processes even for few items. Only there do the limits of an item hold.
        limits: for each item and for all.

    Raises:
        HelperKilled: something else on the machine keeps killing processes.
    """
    workers, limits = workers or os.cpu_count() or 1, limits or Limits()
    if isolated or (workers > 1 and len(items) >= ITEMS_WORTH_PROCESSES):
        yield from _in_processes(work, items, lost, workers, limits)
        return
    for item in items:
        yield item, _in_this_process(work, item, lost, limits)


def _in_this_process(
    work: Callable[[Item], Result], item: Item, lost: Callable[[Item, Loss], Result], limits: Limits
) -> Result:
    if time.monotonic() > limits.ends:
        return lost(item, out_of_total_seconds(limits))
    try:
        return work(item)
    except Exception as error:  # noqa: BLE001 - one bad file must not stop the others
        return lost(item, unexpected(error))


def _in_processes(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    lost: Callable[[Item, Loss], Result],
    workers: int,
    limits: Limits,
) -> Iterator[tuple[Item, Result]]:
    """Give the items to a helper, and to another one if it is killed; it yields as `process_all` does."""
    left = dict(enumerate(items))
    for _try in range(TRIES):
        if not left:
            return
        for number, result in _ask_helper(work, left, workers, limits):
            item = left.pop(number)
            yield item, lost(item, result) if isinstance(result, Loss) else result
    if left:
        raise HelperKilled


def _ask_helper(
    work: Callable[[Item], Result], items: dict[int, Item], workers: int, limits: Limits
) -> Iterator[tuple[int, Result | Loss]]:
    """Yield the number of each item with its result; ends early if the helper is killed."""
    packed = {number: pickle.dumps(item) for number, item in items.items()}
    command = [sys.executable, "-m", "leaderboard.intake.pool_helper"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:  # noqa: S603 - a constant command
        requests, answers = cast("BinaryIO", helper.stdin), cast("BinaryIO", helper.stdout)
        try:
            with suppress(BrokenPipeError):
                pickle.dump((work, packed, workers, limits), requests)
                requests.flush()
            for _ in packed:
                try:
                    number, result = pickle.load(answers)  # noqa: S301 - from our own process
                except (EOFError, pickle.UnpicklingError):
                    return
                yield number, pickle.loads(result)  # noqa: S301
            with suppress(subprocess.TimeoutExpired):
                helper.wait(SECONDS_TO_END)
        finally:
            # Its workers end with it, also if this process is killed before this line.
            helper.kill()
