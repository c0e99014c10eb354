"""docs/agents.md lists every agent, setting and limit, and the limits' defaults as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from runner.agents.registry import REGISTRY
from runner.execution.limits import Limits
from runner.execution.records import OutcomeKind

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text()
SETTINGS = {name for kind in REGISTRY.values() for name in kind.settings.model_fields} - {"script"}


def test_every_limit_is_listed_with_its_default() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| *(\S*) *\|", TEXT, flags=re.MULTILINE))
    defaults = {
        name: "" if field.default is None else str(field.default).removesuffix(".0")
        for name, field in Limits.model_fields.items()
    }

    assert {name: listed.get(name) for name in defaults} == defaults


def test_every_agent_is_listed() -> None:
    assert missing(REGISTRY, r"^\| `{}` \|") == []


def test_every_setting_is_listed() -> None:
    assert missing(sorted(SETTINGS), r"^\| [`\w, ]*`{}`") == []


def test_every_outcome_is_listed() -> None:
    assert [kind for kind in OutcomeKind if f"| `{kind}` |" not in TEXT] == []


def missing(names: Iterable[str], row: str) -> list[str]:
    """Those without a row: ``row`` is a pattern with ``{}`` for the name."""
    return [name for name in names if not re.search(row.format(name), TEXT, flags=re.MULTILINE)]
