"""The Pareto front: the points than which no other is better in one way and at least as good in the other."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]], *, more_across: bool, more_up: bool) -> list[int]:
    """The places in ``points`` of those on the front, from the best across to the worst.

    ``more_across`` and ``more_up`` say whether more is better in each. Equal points are on it together.
    """
    across, up = (1 if more else -1 for more in (more_across, more_up))
    order = sorted(range(len(points)), key=lambda at: (-across * points[at][0], -up * points[at][1]))
    front: list[int] = []
    for at in order:
        if not front or up * points[at][1] > up * points[front[-1]][1] or points[at] == points[front[-1]]:
            front.append(at)
    return front
