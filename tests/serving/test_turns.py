"""Clients take turns, however many requests one of them has sent."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.serving.turns import Turns


@dataclass(frozen=True)
class Request:
    client: str
    number: int


def test_a_client_waits_for_one_request_of_another_and_its_own_stay_in_order() -> None:
    turns = Turns()
    for number in range(3):
        turns.append(Request("greedy", number))
    turns.append(Request("other", 0))

    taken = []
    while turns:
        taken.append(turns.popleft())

    assert [(each.client, each.number) for each in taken if isinstance(each, Request)] == [
        ("greedy", 0),
        ("other", 0),
        ("greedy", 1),
        ("greedy", 2),
    ]
