"""Sandboxes for the tests, on the kernels' environment that stays in var/ from run to run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.execution.recording import OFFLINE
from runner.sandbox.environment import prepare_base
from runner.sandbox.local import LocalSandbox
from tests.warmup.places import ROOT


@pytest.fixture(scope="session")
def base_packages() -> Path:
    return prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")


@pytest.fixture
def sandbox(base_packages: Path, tmp_path: Path) -> Iterator[LocalSandbox]:
    with LocalSandbox(tmp_path / "sandbox", base_packages, OFFLINE) as started:
        yield started
