"""Who ended a container, by what its engine recorded."""

from __future__ import annotations

from typing import Any

import pytest

from runner.sandbox.engine import ended_by_engine

NOW = "2026-11-01T12:00:00.5Z"
NOON = 1_793_534_400


class Recorded:
    """A client of an engine that recorded these actions at these seconds after noon."""

    def __init__(self, **recorded: float) -> None:
        self._recorded = recorded

    def info(self) -> dict[str, str]:
        return {"SystemTime": NOW}

    def events(self, *, since: float, until: str, **_options: Any) -> list[dict[str, str]]:
        return [
            {"Action": action}
            for action, after in self._recorded.items()
            if since <= NOON + after <= float(until)
        ]


@pytest.mark.parametrize(
    ("client", "engine"),
    [
        pytest.param(Recorded(kill=0.1, die=0.2), True, id="it sent a signal"),
        pytest.param(Recorded(die=0.1, kill=0.2), True, id="it recorded the signal after the end"),
        pytest.param(Recorded(die=0.1), False, id="it only saw the end"),
        pytest.param(Recorded(), True, id="it was restarted and saw no end"),
    ],
)
def test_an_end_is_the_engines_if_it_sent_the_signal_or_was_restarted(client: Recorded, engine: bool) -> None:
    assert ended_by_engine(client, "some-container") is engine
