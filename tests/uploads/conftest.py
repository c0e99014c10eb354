"""Uploads lie in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _uploads_of_their_own(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uploads")
    settings.SUPERBOARD_UPLOADS = folder
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0
    return folder
