"""A registry of the agents and sandboxes that a run can use.

The runner fills it (`runner.apps`), since the leaderboard must not import the runner. It is loaded at the
first look-up: most commands and pages do not need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from django.utils.module_loading import import_string

from leaderboard.domain.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class AgentOffer:
    """An agent that a run can use.

    Attributes:
        name: in the runner's registry.
        summary: what it does, in a sentence.
        scaffold: its name on a board.
        model: its model's name on a board; empty if the settings choose the model.
        defaults: its settings with their default values.
        labels: display names of its settings.
        check: raises InputError, naming the setting, for invalid settings.
        benchmarks: slugs of the benchmarks that it supports; empty for all.
    """

    name: str
    summary: str
    scaffold: str
    model: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Mapping[str, Any]], None] = lambda settings: None
    benchmarks: tuple[str, ...] = ()

    def check_fits(self, benchmark: str) -> None:
        """Raise `InputError` unless the agent supports ``benchmark``, given by its slug."""
        if self.benchmarks and benchmark not in self.benchmarks:
            reason = f"{self.name} supports {', '.join(self.benchmarks)} only"
            raise InputError(Problem("agent", "", reason, "choose another"))


@dataclass(frozen=True, slots=True)
class SandboxOffer:
    """A kind of sandbox; ``refusal`` returns why a benchmark, given by its slug, can't use it."""

    name: str
    summary: str
    refusal: Callable[[str], str] = lambda benchmark: ""


_agents: dict[str, AgentOffer] = {}
_sandboxes: dict[str, SandboxOffer] = {}
_sources: list[str] = []
_loading = Lock()


def offer_from(source: str) -> None:
    """Call the function with the dotted path ``source``, which calls `offer`, before the first look-up."""
    _sources.append(source)


def _load_sources() -> None:
    with _loading:
        while _sources:
            # Removed afterwards: a waiting thread must not return before everything is registered.
            import_string(_sources[0])()
            del _sources[0]


def offer(*offers: AgentOffer | SandboxOffer) -> None:
    """Register agents and sandboxes; replaces one of the same name."""
    for each in offers:
        if isinstance(each, AgentOffer):
            _agents[each.name] = each
        else:
            _sandboxes[each.name] = each


def agents() -> list[AgentOffer]:
    """Every agent, in the order of registration."""
    _load_sources()
    return list(_agents.values())


def sandboxes() -> list[SandboxOffer]:
    """Every kind of sandbox, in the order of registration."""
    _load_sources()
    return list(_sandboxes.values())


def get_agent(name: str) -> AgentOffer:
    """The agent called ``name``.

    Raises:
        InputError: there is none; the message lists the known ones.
    """
    _load_sources()
    if name not in _agents:
        remedy = f"agents: {', '.join(_agents)}"
        raise InputError(Problem("agent", "", f"there is no agent “{name}”", remedy))
    return _agents[name]


def get_sandbox(name: str, benchmark: str) -> SandboxOffer:
    """The kind of sandbox called ``name``, if it may be used for tasks of ``benchmark``.

    Raises:
        InputError: it is unknown or not allowed; the message says why.
    """
    _load_sources()
    if name not in _sandboxes:
        remedy = f"sandboxes: {', '.join(_sandboxes)}"
        raise InputError(Problem("sandbox", "", f"there is no sandbox “{name}”", remedy))
    if reason := _sandboxes[name].refusal(benchmark):
        raise InputError(Problem("sandbox", name, reason))
    return _sandboxes[name]


def pick_sandbox(name: str | None, benchmark: str) -> SandboxOffer:
    """The kind of sandbox called ``name``, or the first that tasks of ``benchmark`` may use.

    Raises:
        InputError: it is unknown or not allowed, or none is; the message says why.
    """
    if name:
        return get_sandbox(name, benchmark)
    refusal = "no sandbox is offered here"
    for each in sandboxes():
        refusal = each.refusal(benchmark)
        if not refusal:
            return each
    raise InputError(Problem("--sandbox", "", refusal))
