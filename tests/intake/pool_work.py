"""What the tests of the process pool have it do: a module that a process imports at once."""

from __future__ import annotations

import signal

DEADLY = 3


def square(number: int) -> int | str:
    return number * number


def die_at_three(number: int) -> int | str:
    if number == DEADLY:
        signal.raise_signal(signal.SIGKILL)
    return number * number


def refuse(number: int) -> int | str:
    raise LookupError(f"no {number}")
