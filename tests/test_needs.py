"""What `make test` leaves out, and that CI leaves out nothing."""

from __future__ import annotations

import pytest

from tests import needs


def test_a_machine_without_an_engine_leaves_its_tests_out_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NEED_EVERYTHING", raising=False)
    monkeypatch.delenv("SKIP_DOCKER", raising=False)
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")

    assert needs.left_out()["SKIP_DOCKER"] == "no Docker engine answers"


def test_a_machine_without_redis_leaves_its_tests_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEED_EVERYTHING", raising=False)
    monkeypatch.delenv("SKIP_REDIS", raising=False)
    monkeypatch.setenv("SKIP_DOCKER", "1")
    monkeypatch.setenv("PATH", "")

    assert "apt-get install redis-server" in needs.left_out()["SKIP_REDIS"]


def test_ci_leaves_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEED_EVERYTHING", "1")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")

    assert needs.left_out() == {}
