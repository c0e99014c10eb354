"""Turns errors into messages, and exit codes for scripts and CI."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from enum import IntEnum
from types import FrameType
from typing import Any

import typer

from leaderboard.client.show import say, show_findings
from leaderboard.domain.errors import InputError, Problem, problem_from_data


class Exit(IntEnum):
    """The exit codes of all commands."""

    DONE = 0
    PROBLEMS = 1
    USAGE = 2
    REFUSED = 3
    NETWORK = 4
    STOPPED = 130
    TERMINATED = 143


class RefusedByServer(Exception):
    """The site refused a request; ``body`` is its problem detail (RFC 9457), empty if it sent none."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(body.get("detail", ""))
        self.status = status
        self.body = body

    @property
    def kind(self) -> str:
        """The API's name for the problem, such as ``wrong-offset``."""
        return str(self.body.get("type", "")).rpartition("#")[2]

    @property
    def problems(self) -> list[Problem]:
        """Each problem that the site reported; else one with its overall message."""
        problems = [problem_from_data(each) for each in self.body.get("problems", [])]
        detail = str(self.body.get("detail") or self.body.get("title") or self.status)
        return problems or [Problem("the site", str(self.status), detail)]


class Unreachable(Exception):
    """The site could not be reached, or did not answer in time."""


class Terminated(BaseException):
    """SIGTERM arrived; a `BaseException` as for Ctrl-C, so that the command removes its temporary files."""


class UsageProblem(Exception):
    """The command was called wrongly; the message says what to do."""


@contextmanager
def exit_on_errors(*, as_json: bool) -> Iterator[None]:
    """Turn an exception in a command into a message and an exit code."""
    try:
        with _unwinding_on_sigterm():
            yield
    except RefusedByServer as error:
        _end(Exit.REFUSED, error.problems, as_json=as_json)
    except Unreachable as error:
        _end(Exit.NETWORK, [Problem("the site", "", str(error))], as_json=as_json)
    except UsageProblem as error:
        _end(Exit.USAGE, [Problem("the command", "", str(error))], as_json=as_json)
    except InputError as error:
        _end(Exit.PROBLEMS, [error.problem], as_json=as_json)
    except BrokenPipeError:
        # The reader of the output closed it (`| head`): typer exits with 1, without a message.
        raise
    except OSError as error:
        why = error.strerror or type(error).__name__
        _end(Exit.USAGE, [Problem(str(error.filename or "a file"), "", why)], as_json=as_json)
    except (KeyboardInterrupt, Terminated) as error:
        say("Stopped. Run the same command again to continue.")
        raise typer.Exit(Exit.TERMINATED if isinstance(error, Terminated) else Exit.STOPPED) from None


@contextmanager
def _unwinding_on_sigterm() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may set a signal handler.
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def write_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _end(code: Exit, problems: list[Problem], *, as_json: bool) -> None:
    if as_json:
        write_json({"exit": code.value, "problems": [asdict(problem) for problem in problems]})
    show_findings([("error", problem) for problem in problems])
    raise typer.Exit(code)
