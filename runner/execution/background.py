"""Waiting for something slow without being deaf meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")


def in_background(work: Callable[[], Result], meanwhile: Callable[[], None], every: float) -> Result:
    """What ``work`` returns or raises; ``meanwhile`` is called every so many seconds until then.

    Where ``meanwhile`` raises, the work is left to itself, in a thread that keeps no process from ending.
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by result()
            future.set_exception(error)

    threading.Thread(target=run, name="agent", daemon=True).start()
    while not wait([future], timeout=every).done:
        meanwhile()
    return future.result()
