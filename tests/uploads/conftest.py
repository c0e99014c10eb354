"""Each test has its own folder of uploads."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.runs.workers import Broker, Workers


@pytest.fixture(autouse=True)
def _uploads_of_their_own(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uploads")
    settings.SUPERBOARD_UPLOADS = folder
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0
    return folder


@pytest.fixture
def workers(transactional_db: None, settings: Settings) -> Iterator[Workers]:
    """Real workers, whose data folder also has the uploads."""
    # Not pytest's folder: sockets need a short path.
    var = Path(tempfile.mkdtemp(prefix="sb-"))
    settings.SUPERBOARD_UPLOADS = var / "uploads"
    broker = Broker(var)
    started = Workers(var, broker)
    yield started
    started.close()
    broker.close()
    shutil.rmtree(var, ignore_errors=True)
