"""How a command ends: exit codes for scripts and CI, and the words for people."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import Any

import typer

from leaderboard.client.show import say, show_findings
from leaderboard.domain.errors import InputError, Problem


class Exit(IntEnum):
    """What a command's exit code says."""

    DONE = 0
    PROBLEMS = 1
    USAGE = 2
    REFUSED = 3
    NETWORK = 4
    STOPPED = 130
    TERMINATED = 143


class RefusedByServer(Exception):
    """The site said no; ``answer`` is its problem detail (RFC 9457), as far as it sent one."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        super().__init__(answer.get("detail", ""))
        self.status = status
        self.answer = answer

    @property
    def kind(self) -> str:
        """What the API calls it, such as ``wrong-offset``."""
        return str(self.answer.get("type", "")).rpartition("#")[2]

    @property
    def problems(self) -> list[Problem]:
        """What the site finds wrong, one by one; else what it says of the whole."""
        told = [problem_of(each) for each in self.answer.get("problems", [])]
        detail = str(self.answer.get("detail") or self.answer.get("title") or self.status)
        return told or [Problem("the site", str(self.status), detail)]


class Unreachable(Exception):
    """The site could not be reached, or did not answer in time; the message says what was tried."""


class Terminated(BaseException):
    """Somebody ended the command by SIGTERM: it unwinds as after Ctrl-C, and removes what it made."""


class Misused(Exception):
    """The command was called in a way that can't be; the message says what to do."""


@contextmanager
def ending(*, as_json: bool) -> Iterator[None]:
    """Turn what went wrong in a command into words and its exit code."""
    try:
        with _unwinding_on_sigterm():
            yield
    except RefusedByServer as error:
        _end(Exit.REFUSED, error.problems, as_json=as_json)
    except Unreachable as error:
        _end(Exit.NETWORK, [Problem("the site", "", str(error))], as_json=as_json)
    except Misused as error:
        _end(Exit.USAGE, [Problem("the command", "", str(error))], as_json=as_json)
    except InputError as error:
        _end(Exit.PROBLEMS, [error.problem], as_json=as_json)
    except BrokenPipeError:
        # Whoever read the output has enough (`| head`): typer ends the command with 1, without a word.
        raise
    except OSError as error:
        why = error.strerror or type(error).__name__
        _end(Exit.USAGE, [Problem(str(error.filename or "a file"), "", why)], as_json=as_json)
    except (KeyboardInterrupt, Terminated) as error:
        say("Stopped. The same command goes on where this one was.")
        ended = isinstance(error, Terminated)
        raise typer.Exit(Exit.TERMINATED if ended else Exit.STOPPED) from None


@contextmanager
def _unwinding_on_sigterm() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may say what a signal does.
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def problem_of(said: Mapping[str, Any]) -> Problem:
    """A problem as the API sends it."""
    return Problem(
        str(said.get("file", "")),
        str(said.get("place", "")),
        str(said.get("reason", "")),
        str(said.get("remedy", "")),
    )


def write_json(data: Any) -> None:
    """Print plain data for programs."""
    sys.stdout.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _end(code: Exit, problems: list[Problem], *, as_json: bool) -> None:
    if as_json:
        names = ("file", "place", "reason", "remedy")
        told = [{name: getattr(problem, name) for name in names} for problem in problems]
        write_json({"exit": code.value, "problems": told})
    show_findings([("error", problem) for problem in problems])
    raise typer.Exit(code)
