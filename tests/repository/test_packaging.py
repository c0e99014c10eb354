"""What is installed is said once, exactly, and for every package index."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository.files import ROOT

CONSTRAINTS = (ROOT / "constraints.txt").read_text().splitlines()


@pytest.fixture
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared: dict[str, Any] = tomllib.load(file)["project"]
    return declared


def test_the_version_is_the_one_the_changelog_begins_with(project: dict[str, Any]) -> None:
    newest = re.search(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)

    assert newest is not None
    assert newest[1] == project["version"]


def test_a_constraint_is_a_name_and_an_exact_version() -> None:
    found = [
        f"constraints.txt:{number}: {line}"
        for number, line in enumerate(CONSTRAINTS, start=1)
        if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line)
    ]

    assert not found, "\n".join(found)


def test_constraints_are_sorted_and_name_each_package_once() -> None:
    names = [canonicalize_name(line.split("==")[0]) for line in CONSTRAINTS]

    assert sorted(CONSTRAINTS, key=str.lower) == CONSTRAINTS
    assert len(set(names)) == len(names)


def test_every_dependency_is_pinned_to_a_version_that_it_allows(project: dict[str, Any]) -> None:
    pins = {canonicalize_name(name): version for name, version in (line.split("==") for line in CONSTRAINTS)}
    declared = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]

    for requirement in map(Requirement, declared):
        pin = pins.get(canonicalize_name(requirement.name))
        assert pin is not None, f"constraints.txt does not pin {requirement.name}"
        assert requirement.specifier.contains(pin), (
            f"constraints.txt pins {requirement.name}=={pin}: {requirement}"
        )
