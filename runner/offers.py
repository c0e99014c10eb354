"""What the runner offers to those who make runs: agents and sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings

from leaderboard.offers import AgentOffer, SandboxOffer, offer
from runner.agents import scripted
from runner.agents.registry import REGISTRY
from runner.agents.settings import fill
from runner.provision import SCRIPTS, WARM_UP


def offer_everything() -> None:
    """Offer the scripted agents of Warm-up, the agents that ask a model, and both sandboxes."""
    for path in sorted(SCRIPTS.glob("*.json")):
        script = scripted.load(path)
        offer(
            AgentOffer(
                name=path.stem,
                summary=f"No model: follows the script that made the recordings of “{script.model}”.",
                scaffold=script.scaffold,
                model=script.model,
                benchmarks=(WARM_UP,),
                check=_check_none,
            )
        )
    for name, kind in REGISTRY.items():
        if name != scripted.ScriptedAgent.name:
            defaults = {item.name: "" if item.default is None else item.default for item in kind.form()}
            offer(
                AgentOffer(
                    name=name,
                    summary=kind.description,
                    scaffold=name,
                    defaults=defaults,
                    check=partial(_check, kind.settings),
                )
            )
    offer(
        SandboxOffer("local", "A kernel on this machine, without isolation.", _refuse_local),
        SandboxOffer("docker", "A container of its own for every unit."),
    )


def _check_none(values: Mapping[str, Any]) -> None:
    for name in values:
        raise ValueError(f"{name}: there is no such setting; a script has none")


def _check(kind: type[Any], values: Mapping[str, Any]) -> None:
    fill(kind, values)


def _refuse_local(benchmark: str) -> str:
    if benchmark == WARM_UP or settings.RUNNER_LOCAL_FOR_ALL:
        return ""
    return (
        "The local sandbox does not isolate: it runs an agent's code as the user of the worker, and is for "
        "the bundled Warm-up tasks. RUNNER_LOCAL_FOR_ALL=true allows it for every benchmark."
    )
