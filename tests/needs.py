"""Which engines the tests can use here: `make test` leaves out what there is none for, and says so.

`python -m tests.needs` prints shell assignments for what to leave out, and why on standard error. With
NEED_EVERYTHING=1, as in CI, nothing is left out: tests that lack an engine then fail and name it.
"""

from __future__ import annotations

import os
import shutil
import sys

from docker.errors import DockerException, ImageNotFound

from runner.sandbox.base import SandboxError
from runner.sandbox.engine import DockerConfig, connect


def docker_problem() -> str:
    """Why Docker tests can't run here; empty where they can."""
    config = DockerConfig()
    try:
        client = connect(config)
    except SandboxError:
        return "no Docker engine answers"
    try:
        client.images.get(config.image)
    except ImageNotFound:
        return "the sandbox image is not built: make sandbox-image"
    except DockerException as error:
        return f"the Docker engine says: {error}"
    finally:
        client.close()
    return ""


def dockerd_problem() -> str:
    """Why tests with a Docker engine of their own can't run here; empty where they can."""
    if problem := docker_problem():
        return problem
    if os.geteuid() != 0:
        return "only root can start a Docker engine"
    missing = [program for program in ("dockerd", "docker", "unshare") if not shutil.which(program)]
    return f"there is no {missing[0]}" if missing else ""


def redis_problem() -> str:
    """Why Redis tests can't run here; empty where they can."""
    return "" if shutil.which("redis-server") else "there is no redis-server: apt-get install redis-server"


def left_out() -> dict[str, str]:
    """Variable to reason, for what can't be tested here and was not left out anyway."""
    if os.environ.get("NEED_EVERYTHING") == "1":
        return {}
    problems = {"SKIP_DOCKER": docker_problem, "SKIP_DOCKERD": dockerd_problem, "SKIP_REDIS": redis_problem}
    asked = {name: problem() for name, problem in problems.items() if os.environ.get(name) != "1"}
    return {name: reason for name, reason in asked.items() if reason}


if __name__ == "__main__":
    for name, reason in left_out().items():
        sys.stderr.write(f"Left out, {name}=1: {reason}\n")
        sys.stdout.write(f"export {name}=1\n")
