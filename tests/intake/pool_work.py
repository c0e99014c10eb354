"""What the tests of the process pool have it do: a module that a process imports at once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from leaderboard.intake.pool import Loss

DEADLY = 3


def square(number: int) -> int | str:
    return number * number


def lost(_number: object, loss: Loss) -> str:
    return loss.reason


def die_at_three(number: int) -> int | str:
    if number == DEADLY:
        signal.raise_signal(signal.SIGKILL)
    return number * number


def refuse(number: int) -> int | str:
    raise LookupError(f"no {number}")


def stay_at_three(number: int) -> int | str:
    while number == DEADLY:
        pass
    return number * number


def take_memory(megabytes: int) -> int | str:
    # Written to, so that it is not only promised.
    return len(b"x" * (megabytes << 20))


def grow_and_keep(number: int) -> int | str:
    _kept.append(b"x" * (80 << 20))
    return number * number


_kept: list[bytes] = []


def answer_with_a_riddle(number: int) -> object:
    """An answer that can't be sent."""
    return (lambda: number) if number == DEADLY else number * number


def die_once(folder: str) -> int | str:
    """Be killed, unless it was done before."""
    mark = Path(folder, "died")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def kill_the_helper_once(folder: str) -> int | str:
    mark = Path(folder, "killed")
    if not mark.exists():
        mark.touch()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return "done"


def kill_the_helper(_number: int) -> int | str:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
    return "not reached"


def never_return(folder: str) -> int | str:
    Path(folder, "begun").touch()
    while True:
        pass
