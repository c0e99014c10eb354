"""What a unit needs, made from rows and settings: its agent, its sandbox, its limits, and what lies in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings

from leaderboard.domain.tasks import TaskSpec
from leaderboard.environment import kept_secret
from leaderboard.models import Unit
from leaderboard.services.units import Claim
from runner.agents.base import Agent
from runner.agents.registry import REGISTRY, make_agent
from runner.execution import Limits, WholeOutputs
from runner.recording import OFFLINE, lay_out
from runner.sandbox import base
from runner.sandbox.base import Sandbox
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.engine import DockerConfig, Labels
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from runner.warmup import SCRIPTS, WARM_UP, WARM_UP_FILES

MEGABYTE = 1_000_000


def agent_of(name: str, agent_settings: Mapping[str, Any]) -> Agent:
    """The agent that a run names: one of the registry, or one of Warm-up's scripts.

    Raises:
        ValueError: there is none, or its settings can't be used; names the setting.
    """
    if name not in REGISTRY and (script := SCRIPTS / f"{name}.json").exists():
        return make_agent("scripted", {"script": str(script)})
    return make_agent(name, agent_settings)


def limits_of(unit: Unit, spec: TaskSpec, agent: Agent) -> Limits:
    """SUPER's limits for the task, with what the agent and then the run want different."""
    return Limits.for_task(spec, **{**agent.limits(), **unit.run.limits})


def sandbox_of(unit: Unit, claim: Claim) -> Sandbox:
    """A sandbox for one take, not started: of the kind that the run names, and labelled as this take's."""
    if unit.run.sandbox == "docker":
        return DockerSandbox(docker_config(unit), Labels(owner_id(), str(unit.run_id), claim_label(claim)))
    folder = local_folder(claim)
    shutil.rmtree(folder, ignore_errors=True)
    packages = prepare_base(settings.VAR / "kernel-env", settings.BASE_DIR / "constraints.txt")
    return LocalSandbox(folder, packages, OFFLINE if _is_warm_up(unit) else {}, output_limits())


def output_limits() -> base.Limits:
    """What a sandbox keeps of outputs: on disk as much as is kept of one in the end."""
    return base.Limits(whole=settings.RUNNER_MAX_OUTPUT_MB * MEGABYTE)


def outputs_of(claim: Claim) -> WholeOutputs:
    """Where the outputs of one take go that are too large for its steps."""
    each, together = settings.RUNNER_MAX_OUTPUT_MB, settings.RUNNER_MAX_OUTPUTS_MB
    return WholeOutputs(outputs_folder(claim), each=each * MEGABYTE, together=together * MEGABYTE)


def furniture_of(unit: Unit) -> Callable[[Sandbox], None]:
    """What puts a task's own files into a started sandbox; other repositories the agents clone themselves."""
    if not _is_warm_up(unit):
        return lambda sandbox: None
    return partial(lay_out, {"github_repo": unit.task.repository}, WARM_UP_FILES)


def docker_config(unit: Unit | None = None) -> DockerConfig:
    """How containers are made here: for a bundled task without an index, or a network but to reach it by."""
    offline = unit is None or _is_warm_up(unit)
    address = settings.RUNNER_DOCKER_ADDRESS or None
    return DockerConfig(
        image=settings.RUNNER_DOCKER_IMAGE,
        address=address,
        publish_on=settings.RUNNER_DOCKER_PUBLISH_ON,
        network=network_of(unit) if unit and (address or not offline) else "none",
        memory=settings.RUNNER_DOCKER_MEMORY_MB << 20,
        environment=OFFLINE if offline else {},
        limits=output_limits(),
    )


def network_of(unit: Unit) -> str:
    """The network that containers for a unit's task set get: one of its own, or everybody's."""
    task_set = unit.run.task_set
    name = f"{task_set.benchmark.slug}/{task_set.slug}"
    network: str = settings.RUNNER_DOCKER_NETWORKS.get(name, settings.RUNNER_DOCKER_NETWORK)
    return network


def owner_id() -> str:
    """This installation among others that may use the same engine: made once, kept in var/."""
    return kept_secret(settings.VAR / "installation-id", length=12)


def claim_label(claim: Claim) -> str:
    """A take's name on what belongs to it: ``12.1`` is the first take of unit 12."""
    return f"{claim.unit_id}.{claim.take}"


def local_folder(claim: Claim) -> Path:
    """Where a local sandbox lives."""
    folder: Path = settings.VAR / "sandboxes" / claim_label(claim)
    return folder


def outputs_folder(claim: Claim) -> Path:
    """Where the large outputs of a take lie until they are recorded."""
    folder: Path = settings.VAR / "outputs" / claim_label(claim)
    return folder


def _is_warm_up(unit: Unit) -> bool:
    return unit.run.task_set.benchmark.slug == WARM_UP
