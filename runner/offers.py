"""What the runner offers to those who make runs: agents and sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.texts import NOTHING, Text, gettext
from leaderboard.offers import AgentOffer, SandboxOffer, offer
from runner.agents import scripted
from runner.agents.registry import REGISTRY
from runner.agents.settings import SettingError, fill
from runner.execution.sentences import text_of
from runner.warmup import SCRIPTS, WARM_UP

SETTING_LABELS = {
    "model": _("Model"),
    "base_url": _("Address of the endpoint"),
    "api_key_variable": _("Variable that holds the key"),
    "temperature": _("Temperature"),
    "max_tokens": _("Tokens of a reply at most"),
    "prompt_price": _("US dollars for a million prompt tokens"),
    "response_price": _("US dollars for a million response tokens"),
    "timeout": _("Seconds to wait for a reply"),
    "tries": _("Tries of a call in all"),
    "older_observation": _("Characters shown of an older output"),
    "newest_observation": _("Characters shown of the newest output"),
    "trials": _("Answers found at most"),
}


def offer_everything() -> None:
    """Offer the scripted agents of Warm-up, the agents that ask a model, and both sandboxes."""
    for path in sorted(SCRIPTS.glob("*.json")):
        script = scripted.load(path)
        offer(
            AgentOffer(
                name=path.stem,
                summary=format_lazy(
                    _("No model: follows the script that made the recordings of “{model}”."),
                    model=script.model,
                ),
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
                    summary=_(kind.description),
                    scaffold=name,
                    defaults=defaults,
                    labels=SETTING_LABELS,
                    check=partial(_check, kind.settings),
                )
            )
    offer(
        SandboxOffer("local", _("A kernel on this machine, without isolation."), _refuse_local),
        SandboxOffer("docker", _("A container of its own for every unit.")),
    )


def _check_none(values: Mapping[str, Any]) -> None:
    for name in values:
        raise InputError(Problem(name, "", gettext("there is no such setting; a script has none")))


def _check(kind: type[Any], values: Mapping[str, Any]) -> None:
    try:
        fill(kind, values)
    except SettingError as error:
        raise InputError(Problem(error.name, "", text_of(error))) from error


def _refuse_local(benchmark: str) -> Text:
    if benchmark == WARM_UP or settings.RUNNER_LOCAL_FOR_ALL:
        return NOTHING
    return gettext(
        "The local sandbox does not isolate: it runs an agent's code as the user of the worker, and is for "
        "the bundled Warm-up tasks. RUNNER_LOCAL_FOR_ALL=true allows it for every benchmark."
    )
