"""Which entries are on the Pareto front of a chart."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.pareto import pareto_front

VALUES = st.integers(0, 5).map(float)


@given(st.lists(st.tuples(VALUES, VALUES), max_size=12), st.booleans(), st.booleans())
def test_on_the_front_is_what_no_other_beats(
    points: list[tuple[float, float]], more_across: bool, more_up: bool
) -> None:
    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        ways = zip(one, other, (more_across, more_up), strict=True)
        gains = [(mine - theirs) * (1 if more else -1) for mine, theirs, more in ways]
        return min(gains) >= 0 and max(gains) > 0

    beaten = {b for a, b in product(range(len(points)), repeat=2) if beats(points[a], points[b])}
    front = pareto_front(points, more_across=more_across, more_up=more_up)

    assert sorted(front) == sorted({*range(len(points))} - beaten)


def test_it_leads_from_the_best_across_to_the_best_up() -> None:
    # Cost, of which less is better, against accuracy.
    points = [(3.0, 60.0), (1.0, 20.0), (2.0, 50.0), (2.5, 40.0)]

    assert pareto_front(points, more_across=False, more_up=True) == [1, 2, 0]
