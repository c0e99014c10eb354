"""Makes what a job needs from rows and settings: agent, sandbox, limits, files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings

from leaderboard.core.environment import stored_secret
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Job, Task, TaskSet
from leaderboard.runs.claims import Claim
from runner.agents.base import Agent
from runner.agents.registry import REGISTRY, make_agent
from runner.execution.limits import Limits
from runner.execution.recording import OFFLINE, lay_out, repository_folder
from runner.execution.whole import WholeOutputs
from runner.sandbox import base
from runner.sandbox.base import Sandbox
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from runner.worker.bundled import BUNDLES, script_called

MEGABYTE = 1_000_000
CLAIM_FOLDERS = ("sandboxes", "outputs")
"""For local sandboxes, and for large outputs until they are recorded."""
IN_A_FOLDER = "repositories/"
"""How the repository of a task begins whose code `make_masked` has written beside its file."""


def agent_of(name: str, agent_settings: Mapping[str, Any], *, attempt: int = 1) -> Agent:
    """The agent called ``name``: one of the registry, or a bundled script, for its attempt of this number.

    Raises:
        SettingError: there is none, or a setting can't be used.
    """
    if name not in REGISTRY and (script := script_called(name)):
        return make_agent("scripted", {"script": str(script), "attempt": attempt})
    return make_agent(name, agent_settings)


def limits_of(job: Job, spec: TaskSpec, agent: Agent) -> Limits:
    """SUPER's limits for the task, with the changes of the agent, and above these those of the run."""
    return Limits.for_task(spec, **{**agent.limits(), **job.run.limits})


def sandbox_of(job: Job, claim: Claim) -> Sandbox:
    """A sandbox for one claim, not started, of the kind that the run names."""
    labels = Labels(owner_id(), str(job.run_id), claim_label(claim))
    return make_sandbox(job.run.sandbox, job.run.task_set, claim_folder("sandboxes", claim), labels)


def make_sandbox(kind: str, task_set: TaskSet, folder: Path, labels: Labels) -> Sandbox:
    """A sandbox for a task of ``task_set``, not started: local in ``folder``, or docker with ``labels``."""
    if kind == "docker":
        return DockerSandbox(docker_config(task_set), labels)
    shutil.rmtree(folder, ignore_errors=True)
    packages = prepare_base(settings.VAR / "kernel-env", settings.BASE_DIR / "constraints.txt")
    return LocalSandbox(folder, packages, OFFLINE if bundle_of(task_set) else {}, output_limits())


def output_limits() -> base.Limits:
    """The limits of a sandbox: a whole output is kept up to the size that is stored later."""
    return base.Limits(whole=settings.RUNNER_MAX_OUTPUT_MB * MEGABYTE)


def outputs_of(claim: Claim) -> WholeOutputs:
    """Keeps the outputs of one claim that are too large for its steps."""
    each, together = settings.RUNNER_MAX_OUTPUT_MB, settings.RUNNER_MAX_OUTPUTS_MB
    return WholeOutputs(claim_folder("outputs", claim), each=each * MEGABYTE, together=together * MEGABYTE)


def task_files_of(task: Task) -> Callable[[Sandbox], None]:
    """Puts a bundled task's files into a started sandbox; for other tasks agents clone the repository.

    Raises:
        InputError: the bundle has no such repository, or the task's code is a folder that no bundle has.
    """
    bundle = bundle_of(task.task_set)
    if bundle is None and task.repository.startswith(IN_A_FOLDER):
        reason = f"its code is in {task.repository[:100]}, a folder beside its file, which runs do not have"
        remedy = "put the code into a repository that agents can clone, and say so in the query"
        raise InputError(Problem("task", "repository", reason, remedy))
    if bundle is None:
        return lambda sandbox: None
    repository_folder(task.repository, bundle)
    return partial(lay_out, {"github_repo": task.repository}, bundle)


def docker_config(task_set: TaskSet | None = None) -> DockerConfig:
    """The configuration of containers. Bundled tasks get no package index, and a network for TCP only."""
    offline = task_set is None or bundle_of(task_set) is not None
    address = settings.RUNNER_DOCKER_ADDRESS or None
    return DockerConfig(
        image=settings.RUNNER_DOCKER_IMAGE,
        address=address,
        publish_on=settings.RUNNER_DOCKER_PUBLISH_ON,
        network=network_of(task_set) if task_set and (address or not offline) else "none",
        memory=settings.RUNNER_DOCKER_MEMORY_MB << 20,
        environment=OFFLINE if offline else {},
        limits=output_limits(),
    )


def network_of(task_set: TaskSet) -> str:
    """The Docker network for the tasks of a set: its own, or the default."""
    return str(settings.RUNNER_DOCKER_NETWORKS.get(task_set.key, settings.RUNNER_DOCKER_NETWORK))


def owner_id() -> str:
    """The id of this installation, as others may use the same engine; made once, kept in var/."""
    return stored_secret(settings.VAR / "installation-id", length=12)


def claim_label(claim: Claim) -> str:
    """The name of a claim on its folders and containers: ``12.1`` is the first claim of job 12."""
    return f"{claim.job_id}.{claim.number}"


def claim_folder(kind: str, claim: Claim) -> Path:
    """A claim's folder, of one of the ``CLAIM_FOLDERS``."""
    return Path(settings.VAR, kind, claim_label(claim))


def bundle_of(task_set: TaskSet) -> Path | None:
    """The folder of a task set's benchmark, if that is bundled."""
    return BUNDLES.get(task_set.benchmark.slug)
