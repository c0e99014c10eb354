"""`manage.py demo`: prepare var/, then serve the site and run its worker until Ctrl-C."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from leaderboard.accounts.services import ensure_operator
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.environment import stored_secret
from leaderboard.core.staticfiles import collect_static_files_if_stale
from leaderboard.domain.entries import EntryState
from leaderboard.models import Attempt
from runner.processes import SECONDS_BETWEEN_LOOKS, ChildDied, ChildProcess, following

HOST = "127.0.0.1"
SECONDS_TO_START = 60
OPERATOR = "olga"
RESULTS_TO_TRY = "fixtures/warmup/runs/scripted-expert"


class Command(BaseCommand):
    help = "Prepare var/ and load the fixtures, then serve the site and run its worker until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="the port to serve on (default: 8000)")

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        check_port_is_free(port)
        # SIGINT as well, as a shell that starts us in the background ignores it.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupt)
        try:
            self.prepare()
            self.serve(port)
        except ChildDied as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")

    def prepare(self) -> None:
        call_command("migrate", verbosity=0)
        call_command("load_fixtures", verbosity=0)
        collect_static_files_if_stale()
        ensure_operator(OPERATOR, stored_secret(password_file(), length=12))

    def serve(self, port: int) -> None:
        logs = settings.VAR / "log"
        mails = logs / "mail.txt"
        # Children write their mails to this file, and we print them here.
        os.environ.setdefault("EMAIL_URL", mails.as_uri())
        os.environ.setdefault("SUPERBOARD_URL", f"http://{HOST}:{port}")
        with ExitStack() as stack:
            stack.enter_context(following(mails, self.say))
            web = stack.enter_context(ChildProcess("web server", web_command(port), logs / "web.log"))
            worker = stack.enter_context(ChildProcess("worker", worker_command(), logs / "worker.log"))
            try:
                wait_until(lambda: answers(port), children=(web, worker))
                self.announce(port, logs)
                self.keep_running((web, worker))
            except KeyboardInterrupt:
                # The worker takes some seconds to stop.
                self.stdout.write("\nStopping.")
                self.stdout.flush()
                raise

    def keep_running(self, children: tuple[ChildProcess, ...]) -> NoReturn:
        while True:
            for child in children:
                if said := child.restart_if_ended():
                    self.say(f"{said}\n")
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def announce(self, port: int, logs: Path) -> None:
        address = f"http://{HOST}:{port}"
        self.stdout.write(self.style.SUCCESS(f"Superboard is at {address}/"))
        pages = [
            *things_to_try(),
            (reverse("runs"), f"runs: sign in as {OPERATOR} with the password {password_file().read_text()}"),
            (reverse("account_signup"), "sign up: the mail with the link is printed here"),
            (reverse("submit"), f"submit results: try the folder {RESULTS_TO_TRY}"),
        ]
        for path, what in pages:
            self.stdout.write(f"  {address}{path:<22} {what}")
        self.stdout.write(f"For `superboard submit` and the like: export SUPERBOARD_URL={address}")
        self.stdout.write(f"Logs are in {logs}. Ctrl-C stops.")
        self.stdout.flush()


def password_file() -> Path:
    """The file with the operator's password, which only this user can read."""
    return Path(settings.VAR, "operator-password")


def things_to_try() -> list[tuple[str, str]]:
    """Return addresses of pages, each with what it shows."""
    boards = [
        (task_set.get_absolute_url(), f"the board of {task_set.benchmark.name}, {task_set.name}")
        for task_set in all_task_sets()
        if task_set.task_count  # type: ignore[attr-defined]
    ]
    trajectories = [
        (attempt.get_absolute_url(), f"a trajectory: {attempt.entry.agent} at {attempt.task.task_id}")
        for attempt in Attempt.objects.filter(
            has_trajectory=True, entry__state=EntryState.PUBLISHED
        ).select_related("entry__agent", "task")[:1]
    ]
    return [*boards, *trajectories, (reverse("about"), "what each metric means")]


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal like Ctrl-C."""
    raise KeyboardInterrupt


def web_command(port: int) -> list[str]:
    return [sys.executable, "manage.py", "serve", "--host", HOST, "--port", str(port)]


def worker_command() -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--app", "runner.worker.app", "worker"),
        *("--loglevel", settings.LOG_LEVEL),
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "-O", "fair"),
    ]


def check_port_is_free(port: int) -> None:
    """Raise CommandError with what to do, unless a server could listen on the port."""
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((HOST, port))
        except (OSError, OverflowError) as error:
            raise CommandError(
                f"Port {port} of {HOST} cannot be used ({error}). "
                f"Choose another: PORT={port % 65535 + 1} make demo"
            ) from error


def answers(port: int) -> bool:
    """Whether the server on this port answers a request for its first page."""
    with closing(HTTPConnection(HOST, port, timeout=10)) as connection, suppress(OSError, HTTPException):
        connection.request("GET", "/")
        return connection.getresponse().status < 500
    return False


def wait_until(happens: Callable[[], bool], *, children: tuple[ChildProcess, ...]) -> None:
    """Wait for a condition, as long as all children live.

    Raises:
        ChildDied: one of them ended; the message has the end of its log.
        CommandError: the condition has not come true in time.
    """
    deadline = time.monotonic() + SECONDS_TO_START
    while not happens():
        if time.monotonic() > deadline:
            raise CommandError(f"No good answer within {SECONDS_TO_START} s.\n{children[0].log_tail()}")
        for child in children:
            child.check_it_lives(wait=0.05)
