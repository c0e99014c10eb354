"""docs/agents.md lists every agent, setting and limit, and the limits' defaults as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runner.agents.registry import REGISTRY
from runner.execution import Limits, OutcomeKind

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text()


@pytest.mark.parametrize("name", Limits.model_fields)
def test_a_limit_is_listed_with_its_default(name: str) -> None:
    default = Limits.model_fields[name].default
    row = re.search(rf"^\| `{name}` \| *(\S*) *\|", TEXT, flags=re.MULTILINE)

    assert row is not None
    assert row[1] == ("" if default is None else str(default).removesuffix(".0"))


@pytest.mark.parametrize("name", REGISTRY)
def test_an_agent_is_listed(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", TEXT, flags=re.MULTILINE)


SETTINGS = sorted({name for kind in REGISTRY.values() for name in kind.settings.model_fields} - {"script"})


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_listed(name: str) -> None:
    assert re.search(rf"^\| [`\w, ]*`{name}`", TEXT, flags=re.MULTILINE)


@pytest.mark.parametrize("kind", OutcomeKind)
def test_an_outcome_is_listed(kind: OutcomeKind) -> None:
    assert f"| `{kind}` |" in TEXT
