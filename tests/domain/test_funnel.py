"""How many attempts hit each landmark, and where they stop."""

from __future__ import annotations

from leaderboard.domain.funnel import landmark_funnel

FAILED = [
    {1: "hit", 2: "hit", 3: "hit"},
    {1: "hit", 2: "missed", 3: "hit"},
    {1: "given", 2: "hit", 3: "missed"},
    {1: "hit", 2: "timed-out", 3: "missed"},
    {1: "missed", 2: "missed", 3: "missed"},
    {1: "given", 2: "missed", 3: "missed"},
    {},
]
SOLVED = [{1: "missed", 2: "hit", 3: "hit"}]
ATTEMPTS = [*((each, False) for each in FAILED), *((each, True) for each in SOLVED)]


def test_a_landmark_is_hit_by_a_share_of_those_that_could_hit_it() -> None:
    funnel = landmark_funnel(ATTEMPTS, 3)

    found = [(each.hit, each.searched, each.given) for each in funnel.stages]
    assert found == [(3, 5, 2), (3, 6, 0), (3, 7, 0)]
    assert funnel.stages[0].percent == "60.0"
    # No landmark was looked for in one of them.
    assert funnel.attempts == 7


def test_a_failed_attempt_stops_once_at_the_first_landmark_that_it_missed() -> None:
    assert [each.stopped for each in landmark_funnel(ATTEMPTS, 3).stages] == [1, 2, 2]


def test_without_attempts_there_is_no_share() -> None:
    (stage,) = landmark_funnel([], 1).stages
    assert (stage.share, stage.percent) == (None, "")
