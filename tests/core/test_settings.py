"""What the settings promise about a site that is local and one that is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

from leaderboard.core.staticfiles import PlotlyFinder

SHOW = """
import json
from leaderboard.core import settings
names = ("SECRET_KEY", "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SUPERBOARD_URL")
print(json.dumps({name: getattr(settings, name) for name in names}))
"""


def read_settings(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
    )


def shown(process: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert process.returncode == 0, process.stderr
    values: dict[str, Any] = json.loads(process.stdout)
    return values


def test_a_local_site_needs_no_variable_and_keeps_its_secret(tmp_path: Path) -> None:
    first = shown(read_settings(SUPERBOARD_VAR=str(tmp_path), PORT="8001"))
    second = shown(read_settings(SUPERBOARD_VAR=str(tmp_path), PORT="8001"))

    assert first == second
    assert first["SUPERBOARD_URL"] == "http://localhost:8001"
    assert not first["SECURE_SSL_REDIRECT"]


def test_a_site_with_a_name_of_its_own_must_be_given_a_secret(tmp_path: Path) -> None:
    process = read_settings(SUPERBOARD_VAR=str(tmp_path), ALLOWED_HOSTS="board.example.org")

    assert process.returncode != 0
    assert "SECRET_KEY is not set, and a site that is not local" in process.stderr


def test_a_site_with_a_name_of_its_own_keeps_to_https(tmp_path: Path) -> None:
    values = shown(
        read_settings(SUPERBOARD_VAR=str(tmp_path), ALLOWED_HOSTS="board.example.org", SECRET_KEY="x" * 50)
    )

    assert values["SECURE_SSL_REDIRECT"]
    assert values["SESSION_COOKIE_SECURE"]
    assert values["CSRF_COOKIE_SECURE"]


def test_a_lease_must_outlast_heartbeats_that_get_lost(tmp_path: Path) -> None:
    process = read_settings(
        SUPERBOARD_VAR=str(tmp_path), RUNNER_LEASE_SECONDS="59", RUNNER_HEARTBEAT_SECONDS="20"
    )

    assert process.returncode != 0
    assert "RUNNER_HEARTBEAT_SECONDS is 20, and RUNNER_LEASE_SECONDS is 59" in process.stderr
    assert "RUNNER_LEASE_SECONDS=60" in process.stderr


@pytest.mark.parametrize("directive", ["default-src", "base-uri", "frame-ancestors"])
def test_the_content_security_policy_allows_nothing_by_default(directive: str) -> None:
    assert settings.CONTENT_SECURITY_POLICY["DIRECTIVES"][directive] == ["'none'"]


def test_no_directive_of_the_content_security_policy_is_unsafe() -> None:
    assert "unsafe" not in repr(settings.CONTENT_SECURITY_POLICY)


def test_plotly_is_the_one_file_taken_from_its_package() -> None:
    assert [name for name, _ in PlotlyFinder().list(None)] == ["plotly.min.js"]
    assert finders.find("plotly/plotly.min.js") is not None
    assert finders.find("plotly/widgetbundle.js") is None
