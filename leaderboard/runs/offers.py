"""The agents and sandboxes that can be picked for a run.

The runner says where its list is (`runner.apps`): the leaderboard must not import it, and yet has to show
what there is. The list is loaded when it is first asked for: most commands and pages never ask.
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
    """An agent that a run can be made of.

    Attributes:
        name: in the runner's registry.
        summary: what it does, a sentence.
        scaffold: what it is called on a board.
        model: what its model is called on a board; empty where the settings say.
        defaults: its settings, with a value for each.
        labels: what its settings are called.
        check: raises InputError, naming the setting, where settings can't be used.
        benchmarks: slugs of the benchmarks it is for; empty for any.
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
        """Raise `InputError` unless the agent is for ``benchmark``, given by its slug."""
        if self.benchmarks and benchmark not in self.benchmarks:
            known = ", ".join(self.benchmarks)
            reason = f"{self.name} is for {known} only"
            raise InputError(Problem("agent", "", reason, "pick another"))


@dataclass(frozen=True, slots=True)
class SandboxOffer:
    """A kind of sandbox; ``refusal`` says why it can't be used for a benchmark's slug, or is nothing."""

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
            # Removed only afterwards: another thread must wait until everything is offered.
            import_string(_sources[0])()
            del _sources[0]


def offer(*offers: AgentOffer | SandboxOffer) -> None:
    """Add to what can be picked; the same name again replaces."""
    for each in offers:
        if isinstance(each, AgentOffer):
            _agents[each.name] = each
        else:
            _sandboxes[each.name] = each


def agents() -> list[AgentOffer]:
    """Every agent, in the order in which they were offered."""
    _load_sources()
    return list(_agents.values())


def sandboxes() -> list[SandboxOffer]:
    """Every kind of sandbox, in the order in which they were offered."""
    _load_sources()
    return list(_sandboxes.values())


def get_agent(name: str) -> AgentOffer:
    """The agent called ``name``.

    Raises:
        InputError: there is none; the message lists what there is.
    """
    _load_sources()
    if name not in _agents:
        reason = f"there is no agent “{name}”"
        remedy = f"agents: {', '.join(_agents)}"
        raise InputError(Problem("agent", "", reason, remedy))
    return _agents[name]


def get_sandbox(name: str, benchmark: str) -> SandboxOffer:
    """The kind of sandbox called ``name``, if it may be used for tasks of ``benchmark``.

    Raises:
        InputError: there is none, or it may not; the message says why and what to do.
    """
    _load_sources()
    if name not in _sandboxes:
        unknown = f"there is no sandbox “{name}”"
        remedy = f"sandboxes: {', '.join(_sandboxes)}"
        raise InputError(Problem("sandbox", "", unknown, remedy))
    if reason := _sandboxes[name].refusal(benchmark):
        raise InputError(Problem("sandbox", name, reason))
    return _sandboxes[name]
