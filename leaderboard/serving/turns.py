"""The queue of requests that wait for a thread: clients take turns."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class Waiting(Protocol):
    """A connection with a request; ``client`` is who sent it."""

    @property
    def client(self) -> str: ...


class Turns:
    """Takes the place of the server's first-in-first-out queue, with those of its methods that are used.

    However many requests one client has sent, another's waits for one of them at most.
    """

    def __init__(self) -> None:
        # The first one's turn is next.
        self._waiting: dict[str, deque[Waiting]] = {}

    def append(self, connection: Waiting) -> None:
        self._waiting.setdefault(connection.client, deque()).append(connection)

    def popleft(self) -> Waiting:
        client = next(iter(self._waiting))
        of_client = self._waiting.pop(client)
        connection = of_client.popleft()
        if of_client:
            self._waiting[client] = of_client
        return connection

    def __len__(self) -> int:
        return sum(len(each) for each in self._waiting.values())
