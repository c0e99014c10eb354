"""One round of chaos on one site: `python -m tests.chaos` starts it with the site's environment."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from random import Random

import django
from django.conf import settings
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.core.settings")
django.setup()

from leaderboard.core.staticfiles import collect_static_files_if_stale  # noqa: E402 - needs the setup
from leaderboard.core.tokens import create_token  # noqa: E402
from leaderboard.domain.access import Scope  # noqa: E402
from leaderboard.models import Job, TaskSet, Upload  # noqa: E402
from runner.sandbox.environment import prepare_base  # noqa: E402
from tests.chaos import verdict  # noqa: E402
from tests.chaos.killing import KERNEL, Killer  # noqa: E402
from tests.chaos.load import Caller, Operator, Reader, Record, Submitter, at_work  # noqa: E402
from tests.chaos.plan import make_task_set  # noqa: E402
from tests.chaos.site import Site  # noqa: E402
from tests.people import person  # noqa: E402

SUBMITTERS, READERS = 2, 2


def prepare() -> TaskSet:
    call_command("migrate", verbosity=0)
    collect_static_files_if_stale()
    task_set = make_task_set()
    # Kept from round to round: making it takes longer than a short round.
    kernels = settings.BASE_DIR / "var" / "kernel-env"
    prepare_base(kernels, settings.BASE_DIR / "constraints.txt")
    (settings.VAR / "kernel-env").symlink_to(kernels)
    return task_set


def token_of(name: str, scope: Scope) -> str:
    _token, secret = create_token(user=person(name), name="chaos", scopes=[scope], expires=None)
    return secret


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Round:
    """The people of a round, its site, and what they have done."""

    def __init__(self, task_set: TaskSet, *, seed: int, sandbox: str, jobs: int, demo: bool) -> None:
        self.random = Random(seed)
        self.record = Record()
        self.sandbox = sandbox
        port = free_port()
        self.nobody = Caller(port, self.record, "readers")
        self.alice = Caller(port, self.record, "submitters", token_of("alice", Scope.SUBMIT))
        self.olga = Caller(port, self.record, "operators", token_of("olga", Scope.OPERATE))
        scripts = settings.VAR / "scripts"
        scripts.mkdir()
        self.works = [
            *(Submitter(self.alice, self._chance(), number).submit for number in range(1, SUBMITTERS + 1)),
            *(Reader(self.nobody, self._chance()).read for _ in range(READERS)),
            Operator(self.olga, self._chance(), task_set, scripts, jobs, sandbox).operate,
        ]
        self.site = Site(port, demo=demo)

    def _chance(self) -> Random:
        return Random(self.random.random())

    def run(self, *, seconds: float, pause: float) -> None:
        """Have all work while processes are killed, then check what has come of it."""
        try:
            self.site.wait_until_it_answers()
            killer = Killer(self.site, self._chance(), pause=pause)
            over = threading.Event()
            threads = [at_work(self.record, over, work) for work in self.works]
            killer.start()
            over.wait(seconds)
            killer.stop()
            over.set()
            self.site.wait_until_it_answers()
            for thread in threads:
                thread.join()
            problems = [*self.record.errors, *killer.problems]
            assert not problems, "\n".join(problems)
            self.judge(killer)
        except BaseException:
            sys.stderr.write(f"{self.site.said()}\n")
            raise
        finally:
            self.site.kill()

    def judge(self, killer: Killer) -> None:
        settled = verdict.settle()
        failed = verdict.check_readers(self.record, killer.excuses)
        states = [
            *Job.objects.values_list("state", flat=True),
            *Upload.objects.values_list("state", flat=True),
        ]
        verdict.retry_all(self.alice, self.olga)
        verdict.check_states(self.record)
        verdict.publish_all(self.alice, self.olga, self.record)
        figures = verdict.check_figures(self.nobody, self.record, kernels=killer.kills[KERNEL])
        files = verdict.check_blobs()
        verdict.check_nothing_is_left(self.site, self.sandbox)
        kills = ", ".join(f"{kind} {count}" for kind, count in sorted(killer.kills.items()))
        requests = ", ".join(f"{count:,} of {who}" for who, count in sorted(self.record.requests.items()))
        sys.stdout.write(
            f"  killed: {sum(killer.kills.values())} ({kills})\n"
            f"  requests: {requests}; {failed} unanswered, each as its server process was killed\n"
            f"  uploads: {Upload.objects.count()}, jobs: {Job.objects.count()}; "
            f"all ended {settled:.0f} s after the last kill, {states.count('failed')} as failed\n"
            f"  right: {figures:,} figures of {len(self.record.plans)} entries, {files:,} files\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--pause", type=float, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--sandbox", required=True)
    parser.add_argument("--demo", action="store_true")
    asked = parser.parse_args()
    start = time.monotonic()
    made = Round(prepare(), seed=asked.seed, sandbox=asked.sandbox, jobs=asked.jobs, demo=asked.demo)
    made.run(seconds=asked.seconds, pause=asked.pause)
    sys.stdout.write(f"  took {time.monotonic() - start:.0f} s\n")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
