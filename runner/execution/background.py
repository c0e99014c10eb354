"""Runs slow work in a thread while the caller can do something else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")


def in_background(work: Callable[[], Result], meanwhile: Callable[[], None], every: float) -> Result:
    """Returns or raises what ``work`` does; calls ``meanwhile`` every ``every`` seconds until then.

    If ``meanwhile`` raises, ``work`` goes on in its daemon thread and its result is ignored.
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
