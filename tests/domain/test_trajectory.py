"""What is said of how a trajectory ended."""

from __future__ import annotations

import pytest

from leaderboard.domain.trajectory import Ending, ending_words


@pytest.mark.parametrize(
    ("ending", "detail", "words"),
    [
        (Ending.SUBMITTED, "submit", ""),
        (Ending.SUBMITTED, "mark_task_complete", ""),
        (Ending.EMPTY, "Submitted", ""),
        (Ending.EXCEPTION, "exception", ""),
        (Ending.SUBMITTED, "submitted (exit_cost)", "submitted (exit_cost)"),
        (Ending.CONTEXT, "Total context tokens exceeded.", "Total context tokens exceeded."),
        (Ending.EXCEPTION, "KeyError: 'x'", "KeyError: 'x'"),
    ],
)
def test_the_file_s_term_for_an_ending_is_said_only_where_it_says_more(
    ending: Ending, detail: str, words: str
) -> None:
    assert ending_words(ending, detail) == words
