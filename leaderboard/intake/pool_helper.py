"""The helper process of `intake.pool`: it forks workers, gives each one item at a time, and watches them.

It has a single thread and runs none of the work, so that nothing in a file can keep it from ending a worker.
It ends, with its workers, as soon as the process that started it closes the pipe or dies.
"""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, BinaryIO, Final

from leaderboard.intake.pool import (
    KILLED,
    TRIES,
    Limits,
    Loss,
    out_of_memory,
    out_of_seconds,
    out_of_total_seconds,
    unexpected,
)

NICENESS: Final = 5
"""The web server goes first."""
MEMORY_WORTH_A_NEW_WORKER: Final = 64 << 20
"""A worker that has grown by so many bytes is replaced, so that the next item has all of its memory."""
MARGIN: Final = 32 << 20
"""Bytes of a worker's memory that its limit does not count: pages of libraries that it loads later."""
BACKSTOP: Final = 10
"""A worker that neither answers nor uses the processor is killed after so many times the limit's seconds."""
SECONDS_TO_END: Final = 10
_TO_DIE_WITH_PARENT: Final = 1
"""``PR_SET_PDEATHSIG`` of Linux."""
_forks = multiprocessing.get_context("fork")


class _Worker:
    """A process that works on items, one at a time."""

    def __init__(self, work: Callable[[Any], Any], limits: Limits, others: list[_Worker]) -> None:
        self.pipe, inner = _forks.Pipe()
        pipes = [self.pipe, *(other.pipe for other in others)]
        self.process = _forks.Process(target=_work, args=(work, inner, pipes, limits, os.getpid()))
        self.process.start()
        inner.close()
        self.number: int | None = None
        self.ends = 0.0

    def give(self, number: int, packed: bytes, seconds: float) -> None:
        self.number, self.ends = number, time.monotonic() + seconds * BACKSTOP
        with suppress(OSError):
            # If it was killed while it waited, this shows when its answer is read.
            self.pipe.send_bytes(packed)

    def take(self) -> bytes | None:
        """Its answer; None if it was killed, or ended after its last answer."""
        try:
            return self.pipe.recv_bytes()
        except (EOFError, OSError):
            return None

    def exit_status(self) -> int | None:
        """Of a worker that gives no more answers: 0, or a signal's number, negative."""
        self.process.join(SECONDS_TO_END)
        return self.process.exitcode

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _Pool:
    """All items of one request, and the workers that work on them."""

    def __init__(
        self,
        request: tuple[Callable[[Any], Any], dict[int, bytes], int, Limits],
        requests: BinaryIO,
        answers: BinaryIO,
    ) -> None:
        self._work, self._items, workers, self._limits = request
        # What the work imports at its first use takes seconds: import it once, before workers are forked.
        getattr(sys.modules[_function(self._work).__module__], "warm_up", lambda: None)()
        self._requests, self._answers = requests, answers
        self._waiting = deque(self._items)
        self._tries: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        self._size = min(workers, len(self._items))

    def run(self) -> None:
        """Write ``(number, pickled result)`` for each item; the result of one that is lost is its `Loss`."""
        try:
            while self._waiting or self._busy():
                if time.monotonic() >= self._limits.ends:
                    loss = pickle.dumps(out_of_total_seconds(self._limits))
                    for number in (*(worker.number for worker in self._busy()), *self._waiting):
                        self._write(number, loss)
                    return
                self._give()
                self._take()
        finally:
            for worker in self._workers:
                worker.end()

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.number is not None]

    def _give(self) -> None:
        idle = [worker for worker in self._workers if worker.number is None]
        while self._waiting and (idle or len(self._workers) < self._size):
            if not idle:
                idle.append(_Worker(self._work, self._limits, self._workers))
                self._workers.append(idle[0])
            number = self._waiting.popleft()
            self._tries[number] += 1
            idle.pop().give(number, self._items[number], self._limits.seconds)

    def _take(self) -> None:
        busy = self._busy()
        until = min([self._limits.ends, *(worker.ends for worker in busy)])
        ready = wait(
            [self._requests.fileno(), *(worker.pipe for worker in self._workers)],
            max(0.0, until - time.monotonic()),
        )
        if self._requests.fileno() in ready:
            # Nothing more is ever sent: the process that started this one has closed the pipe, or died.
            raise BrokenPipeError
        for worker in list(self._workers):
            if worker.pipe in ready:
                self._answer(worker, worker.take())
            elif worker.number is not None and time.monotonic() >= worker.ends:
                self._lose(worker, out_of_seconds(self._limits))

    def _answer(self, worker: _Worker, answer: bytes | None) -> None:
        number = worker.number
        if answer is not None:
            worker.number = None
            self._write(number, answer)
            return
        status = worker.exit_status()
        if number is not None and status == 0:
            # It had grown, and ended before it saw the item.
            self._tries[number] -= 1
        if status == -signal.SIGXCPU:
            self._lose(worker, out_of_seconds(self._limits))
        elif number is not None and self._tries[number] < TRIES:
            self._waiting.appendleft(number)
            self._remove(worker)
        else:
            self._lose(worker, KILLED)

    def _lose(self, worker: _Worker, loss: Loss) -> None:
        number = worker.number
        self._remove(worker)
        if number is not None:
            self._write(number, pickle.dumps(loss))

    def _remove(self, worker: _Worker) -> None:
        worker.end()
        self._workers.remove(worker)

    def _write(self, number: int | None, result: bytes) -> None:
        pickle.dump((number, result), self._answers, protocol=pickle.HIGHEST_PROTOCOL)
        self._answers.flush()


def _function(work: Callable[..., Any]) -> Callable[..., Any]:
    return work.func if isinstance(work, partial) else work


def _work(
    work: Callable[[Any], Any], pipe: Connection, not_mine: list[Connection], limits: Limits, helper: int
) -> None:
    """Run in a worker: answer items until the pipe is closed, or until much memory was used."""
    _die_with(helper)
    for other in not_mine:
        other.close()
    os.nice(NICENESS)
    at_start = _limit_memory(limits)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(EOFError, OSError):
        while _data_bytes() <= at_start + MEMORY_WORTH_A_NEW_WORKER:
            packed = pipe.recv_bytes()
            _limit_time(limits)
            pipe.send_bytes(_call(work, packed, limits))


def _call(work: Callable[[Any], Any], packed: bytes, limits: Limits) -> bytes:
    try:
        return pickle.dumps(work(pickle.loads(packed)), protocol=pickle.HIGHEST_PROTOCOL)  # noqa: S301
    except MemoryError:
        loss = out_of_memory(limits)
    except Exception as error:  # noqa: BLE001 - one bad file must not stop the others
        loss = unexpected(error)
    return pickle.dumps(loss)


def _die_with(helper: int) -> None:
    """End this process when the helper is killed, whatever it does then; only Linux can do this."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_TO_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != helper:
        os._exit(1)


def _limit_memory(limits: Limits) -> int:
    """Let this process grow until it has ``limits.memory_mb``; returns the bytes of data that it has now."""
    data, resident = _data_bytes(), _resident_bytes()
    if data:
        most = max(data, data + (limits.memory_mb << 20) - resident - MARGIN)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    return data


def _limit_time(limits: Limits) -> None:
    """Have this process killed when it has used so many more seconds of the processor."""
    soon = math.ceil(time.process_time()) + limits.seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soon, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _data_bytes() -> int:
    """Bytes of private memory of this process; 0 where the system does not say."""
    return _from_status("VmData")


def _resident_bytes() -> int:
    return _from_status("VmRSS")


def _from_status(key: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(f"{key}:")), 0)


def main() -> None:
    # Redirect stdout to stderr, so that a print in a worker can't corrupt the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Who asks is the one to be interrupted, and then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError, EOFError):
        requests = sys.stdin.buffer
        _Pool(pickle.load(requests), requests, answers).run()  # noqa: S301 - from the parent process
        answers.close()


if __name__ == "__main__":
    main()
