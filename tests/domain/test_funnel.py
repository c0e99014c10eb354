"""How many attempts hit each landmark, and where they stop."""

from __future__ import annotations

from leaderboard.domain.funnel import landmark_funnel

ATTEMPTS = [
    {1: "hit", 2: "hit", 3: "hit"},
    {1: "hit", 2: "missed", 3: "hit"},
    {1: "given", 2: "hit", 3: "missed"},
    {1: "hit", 2: "timed-out", 3: "missed"},
    {1: "missed", 2: "missed", 3: "missed"},
    {1: "given", 2: "missed", 3: "missed"},
    {},
]


def test_a_landmark_is_hit_by_a_share_of_those_that_could_hit_it() -> None:
    funnel = landmark_funnel(ATTEMPTS, 3)

    assert [(each.hit, each.searched, each.given) for each in funnel.stages] == [
        (3, 4, 2),
        (2, 5, 0),
        (2, 6, 0),
    ]
    assert funnel.stages[0].percent == "75.0"


def test_an_attempt_stops_once_after_the_last_landmark_that_it_hit_by_itself() -> None:
    funnel = landmark_funnel(ATTEMPTS, 3)

    assert [each.stopped for each in funnel.stages] == [1, 1, 2]
    # No landmark was looked for in the last attempt.
    assert (funnel.none_hit, funnel.attempts) == (2, 6)


def test_without_attempts_there_is_no_share_and_landmarks_that_the_task_no_longer_has_are_left_out() -> None:
    (stage,) = landmark_funnel([], 1).stages
    assert (stage.share, stage.percent) == (None, "")

    funnel = landmark_funnel([{1: "missed", 2: "hit"}], 1)
    assert (funnel.none_hit, len(funnel.stages)) == (1, 1)
