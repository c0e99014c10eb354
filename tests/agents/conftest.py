"""A key, and endpoints that end with their test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.agents.server import Answer, ModelServer

KEY = "sk-this-key-must-stay-where-it-is"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return KEY


@pytest.fixture
def serve(key: str) -> Iterator[Callable[..., ModelServer]]:
    with ExitStack() as stack:

        def start(*answers: Answer | str) -> ModelServer:
            return stack.enter_context(ModelServer(answers))

        yield start
