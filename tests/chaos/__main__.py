"""Chaos: a site at work whose processes are killed every few seconds; `make chaos`.

A round is one site on one broker and one database, in a folder and on servers of its own. It prints its seed,
with which the same things are sent and killed in the same order, and what was checked in the end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom

from tests.needs import docker_problem
from tests.servers import postgres_server, redis_server
from tests.supervisor import supervise

BROKERS, DATABASES = ("files", "redis"), ("sqlite", "postgres")
ROOT = Path(__file__).resolve().parents[2]
# Nothing is refused for being much, and what a killed worker held is soon free.
LIMITS = {
    "RUNNER_LEASE_SECONDS": "6",
    "RUNNER_HEARTBEAT_SECONDS": "1",
    "RUNNER_SWEEP_SECONDS": "1",
    "RUNNER_MIN_FREE_DISK_MB": "0",
    "RUNNER_MIN_FREE_MEMORY_MB": "0",
    "RUNNER_LOCAL_FOR_ALL": "1",
    "SUPERBOARD_MIN_FREE_DISK_MB": "0",
    "SUPERBOARD_OPEN_UPLOADS_PER_TEAM": "100000",
    "SUPERBOARD_PUBLICATIONS_PER_DAY": "100000",
    "SUPERBOARD_GOLD_CHECKS_PER_DAY": "100000",
    "SUPERBOARD_API_RATE": "1000000",
    "SUPERBOARD_API_RATE_ANONYMOUS": "1000000",
}


def run_round(asked: argparse.Namespace, broker: str, database: str, *, seconds: float) -> int:
    """One round, in a process with the site's environment; its status."""
    sandbox = asked.sandbox or ("local" if docker_problem() else "docker")
    sys.stdout.write(f"{broker}, {database}, {sandbox} sandbox, {seconds:.0f} s, seed {asked.seed}\n")
    sys.stdout.flush()
    with ExitStack() as stack:
        # A short path: sockets lie in it.
        var = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True))
        )
        (var / "tmp").mkdir()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "TMPDIR": str(var / "tmp"),
            "SUPERBOARD_VAR": str(var),
            **LIMITS,
        }
        if "DOCKER_HOST" in os.environ:
            environment["DOCKER_HOST"] = os.environ["DOCKER_HOST"]
        if broker == "redis":
            environment["CELERY_BROKER_URL"] = stack.enter_context(redis_server())
        if database == "postgres":
            environment["DATABASE_URL"] = stack.enter_context(postgres_server())
        options = {
            "seed": asked.seed,
            "seconds": seconds,
            "pause": asked.pause,
            "jobs": asked.jobs,
            "sandbox": sandbox,
        }
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-m", "tests.chaos.round", *words, *(["--demo"] if asked.demo else [])]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20, help="of killing, in all rounds together")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000))
    parser.add_argument("--broker", choices=BROKERS, help="only this one")
    parser.add_argument("--database", choices=DATABASES, help="only this one")
    parser.add_argument("--sandbox", choices=("local", "docker"), help="docker, where an engine answers")
    parser.add_argument("--pause", type=float, default=3, help="seconds from one kill to the next")
    parser.add_argument("--jobs", type=int, default=4, help="of each run")
    parser.add_argument("--demo", action="store_true", help="have `make demo` serve the site")
    asked = parser.parse_args()
    rounds = [
        (broker, database)
        for broker in BROKERS
        for database in DATABASES
        if asked.broker in (None, broker) and asked.database in (None, database)
    ]
    # However this ends, nothing stays.
    supervise()
    seconds = asked.minutes * 60 / len(rounds)
    failed = [kinds for kinds in rounds if run_round(asked, *kinds, seconds=seconds)]
    for broker, database in failed:
        sys.stdout.write(f"failed: {broker}, {database}; again: make chaos ARGS='--seed {asked.seed} …'\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
