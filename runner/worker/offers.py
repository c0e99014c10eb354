"""The agents and sandboxes that can be chosen for a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings

from leaderboard.domain.errors import InputError, Problem
from leaderboard.runs.offers import AgentOffer, SandboxOffer, offer
from runner.agents import scripted
from runner.agents.registry import REGISTRY
from runner.agents.settings import SettingError, Settings, fill
from runner.worker.bundled import BUNDLES, scripts

SETTING_LABELS = {
    "model": "Model",
    "base_url": "Address of the endpoint",
    "api_key_variable": "Variable that holds the key",
    "temperature": "Temperature",
    "max_tokens": "Tokens of a reply at most",
    "prompt_price": "US dollars for a million prompt tokens",
    "response_price": "US dollars for a million response tokens",
    "timeout": "Seconds to wait for a reply",
    "tries": "Tries of a call in all",
    "older_observation": "Characters shown of an older output",
    "newest_observation": "Characters shown of the newest output",
    "trials": "Answers found at most",
}


def offer_everything() -> None:
    """Offer the bundled scripted agents, the agents with a model, and both sandboxes."""
    for benchmark, path in scripts():
        script = scripted.load(path)
        offer(
            AgentOffer(
                name=path.stem,
                summary=f"No model: follows the script that made the recordings of “{script.model}”.",
                scaffold=script.scaffold,
                model=script.model,
                benchmarks=(benchmark,),
                check=_check_none,
            )
        )
    for name, kind in REGISTRY.items():
        if name != scripted.ScriptedAgent.name:
            defaults = {
                setting: "" if field.is_required() or field.default is None else field.default
                for setting, field in kind.settings.model_fields.items()
            }
            offer(
                AgentOffer(
                    name=name,
                    summary=kind.description,
                    scaffold=name,
                    defaults=defaults,
                    labels=SETTING_LABELS,
                    check=partial(_check, kind.settings),
                )
            )
    offer(
        SandboxOffer("local", "A kernel on this machine, without isolation.", _refuse_local),
        SandboxOffer("docker", "A container of its own for every job."),
    )


def _check_none(values: Mapping[str, Any]) -> None:
    for name in values:
        raise InputError(Problem(name, "", "there is no such setting; a script has none"))


def _check(kind: type[Settings], values: Mapping[str, Any]) -> None:
    try:
        fill(kind, values)
    except SettingError as error:
        raise InputError(Problem(error.name, "", error.reason)) from error


def _refuse_local(benchmark: str) -> str:
    if benchmark in BUNDLES or settings.RUNNER_LOCAL_FOR_ALL:
        return ""
    return (
        "The local sandbox does not isolate: it runs an agent's code as the user of the worker, and is for "
        "the bundled tasks. RUNNER_LOCAL_FOR_ALL=true allows it for every benchmark."
    )
