"""docs/agents.md lists every agent, setting and limit, and the limits' defaults as they are."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from runner.agents.registry import REGISTRY
from runner.execution import Limits, OutcomeKind

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text()


@pytest.mark.parametrize("limit", dataclasses.fields(Limits), ids=lambda limit: limit.name)
def test_a_limit_is_listed_with_its_default(limit: dataclasses.Field[object]) -> None:
    row = re.search(rf"^\| `{limit.name}` \| *(\S*) *\|", TEXT, flags=re.MULTILINE)

    assert row is not None
    assert row[1] == ("" if limit.default is None else str(limit.default).removesuffix(".0"))


@pytest.mark.parametrize("name", REGISTRY)
def test_an_agent_is_listed(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", TEXT, flags=re.MULTILINE)


SETTINGS = sorted({setting.name for kind in REGISTRY.values() for setting in kind.form()} - {"script"})


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_listed(name: str) -> None:
    assert re.search(rf"^\| [`\w, ]*`{name}`", TEXT, flags=re.MULTILINE)


@pytest.mark.parametrize("kind", OutcomeKind)
def test_an_outcome_is_listed(kind: OutcomeKind) -> None:
    assert f"| `{kind}` |" in TEXT
