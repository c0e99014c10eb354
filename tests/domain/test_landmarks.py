"""Landmarks are found as ``re.search`` finds them, with their places, in bounded time."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.landmarks import MAX_COUNTED, MAX_SPANS, find_landmarks, landmark_problem
from leaderboard.domain.scores import LandmarkResult, LandmarkStatus, StepHits
from leaderboard.domain.terminal import shown_text
from leaderboard.domain.trajectory import StepKind, Trajectory
from tests.domain.trajectories import observed, pre_executed, ran, trajectory

RUNAWAY = "a" * 50_000 + "b"


def find(pattern: str, where: Trajectory, seconds: float = 2.0) -> LandmarkResult:
    (result,) = find_landmarks([pattern], where, seconds=seconds)
    return result


def test_a_hit_carries_its_steps_and_spans() -> None:
    result = find("loss", observed("none", "loss 1, loss 2", None, "loss"))
    assert result.status is LandmarkStatus.HIT
    assert [(hit.step, hit.spans) for hit in result.hits] == [(2, ((0, 4), (8, 12))), (4, ((0, 4),))]
    assert result.first_step == 2


def test_a_landmark_without_a_match_is_missed() -> None:
    assert find("loss", observed("accuracy")) == LandmarkResult(1, "loss", LandmarkStatus.MISSED)


def test_newlines_become_spaces_and_offsets_stay() -> None:
    assert find("Epoch 1 done", observed("a\nEpoch 1\ndone")).hits[0].spans == ((2, 14),)


def test_landmarks_are_numbered_from_1_in_their_order() -> None:
    assert [found.number for found in find_landmarks(["b", "a"], observed("a"))] == [1, 2]


def test_a_landmark_hit_by_a_pre_executed_step_is_given() -> None:
    result = find("done", trajectory(pre_executed("!a", "done"), ran("!b", "done")))
    assert result.status is LandmarkStatus.GIVEN
    assert [hit.step for hit in result.hits] == [1, 2]


def test_an_exception_never_entered_the_history() -> None:
    assert find("x", trajectory(ran("", "x", kind=StepKind.EXCEPTION))).status is LandmarkStatus.MISSED


def test_spans_are_bounded_and_the_rest_counted() -> None:
    (hit,) = find("a", observed("a" * 60)).hits
    assert (len(hit.spans), hit.more) == (MAX_SPANS, 10)


def test_counting_is_bounded() -> None:
    (hit,) = find("a", observed("a" * 3 * MAX_COUNTED)).hits
    assert hit.more == MAX_COUNTED - MAX_SPANS


def test_a_match_of_nothing_is_a_hit_with_one_empty_span() -> None:
    result = find("x*", observed("abc"))
    assert result.status is LandmarkStatus.HIT
    assert result.hits[0].spans == ((0, 0),)


def test_an_empty_span_gives_way_to_real_ones() -> None:
    assert find("a*", observed("baab")).hits[0].spans == ((1, 3),)


def test_a_runaway_pattern_times_out_instead_of_missing() -> None:
    assert find("(a+)+$", observed(RUNAWAY), seconds=0.1).status is LandmarkStatus.TIMED_OUT


def test_what_was_found_before_the_time_ran_out_stands() -> None:
    result = find("(a+)+$", observed("aa", RUNAWAY), seconds=0.1)
    assert (result.status, result.first_step) == (LandmarkStatus.HIT, 1)


def test_an_attempt_searched_piece_by_piece_has_one_budget_for_all_pieces() -> None:
    left: dict[int, float] = {}
    patterns = ["(a+)+$", "b"]
    first = find_landmarks(patterns, observed(RUNAWAY), seconds=0.1, left=left)
    # It would be found at once, were it looked for again.
    second = find_landmarks(patterns, observed("aa b"), seconds=0.1, left=left)

    assert [result.status for result in first] == [LandmarkStatus.TIMED_OUT, LandmarkStatus.HIT]
    assert [result.status for result in second] == [LandmarkStatus.TIMED_OUT, LandmarkStatus.HIT]
    assert left[1] == 0
    assert 0 < left[2] < 0.1


def test_one_runaway_landmark_leaves_the_others_their_time() -> None:
    statuses = [r.status for r in find_landmarks(["(a+)+$", "b"], observed(RUNAWAY), seconds=0.1)]
    assert statuses == [LandmarkStatus.TIMED_OUT, LandmarkStatus.HIT]


def test_a_leading_wildcard_reaches_to_the_last_match_on_any_line() -> None:
    assert find(".*Saved", observed("a\nSaved\nSaved b")).hits[0].spans == ((0, 13),)


def test_an_alternative_to_a_leading_wildcard_is_tried_everywhere() -> None:
    assert find(".*Saved|b", observed("ab")).hits[0].spans == ((1, 2),)


def test_a_landmark_with_colours_inside_is_found_as_a_terminal_shows_it() -> None:
    result = find("epoch 10/10 loss 0\\.5", observed("epoch \x1b[1m10/10\x1b[0m loss 0.5\n"))
    assert (result.status, result.printed) == (LandmarkStatus.HIT, LandmarkStatus.MISSED)
    assert result.hits == (StepHits(1, ((0, 28),)),)


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("\r 50%\r100% !\rdone", "done !", [" !", "done"]),
        ("abcdef\rXY", "XYcd", ["cd", "XY"]),
        ("one\ntwo\x1b[A\rTHREE\x1b[B", "THREE two", ["two", "THREE"]),
        ("loss\x1b[10G0.5", "loss +0\\.5", ["loss\x1b[10G0.5"]),
        ("a\x1b[20Gb", "  ", [""]),
        ("one\r\ntwo", "one two", ["one\r\ntwo"]),
        ("\x1b]8;;https://e.example\x1b\\he\x1b]8;;\x07re", "here", ["he\x1b]8;;\x07re"]),
    ],
)
def test_what_a_terminal_shows_is_marked_where_it_was_printed(
    text: str, pattern: str, found: list[str]
) -> None:
    (hit,) = find(pattern, observed(text)).hits
    assert [text[start:end] for start, end in hit.spans] == found


def test_what_was_printed_stays_a_hit_when_it_is_overwritten() -> None:
    result = find("100%", observed("\r 50%\r100%\rdone\n"))
    assert (result.status, result.printed) == (LandmarkStatus.HIT, None)


def test_a_search_of_what_is_shown_that_runs_out_of_time_was_missed_as_printed() -> None:
    result = find("^(a+)+$", observed("x\r" + "\x1b[m" + RUNAWAY), seconds=0.1)
    assert (result.status, result.printed) == (LandmarkStatus.TIMED_OUT, LandmarkStatus.MISSED)


@pytest.mark.parametrize("pattern", ["(", "a**", r"\p{L}", "(?V1)a", "a{99999999999999999999}", "(" * 5000])
def test_what_re_refuses_is_invalid_with_a_reason(pattern: str) -> None:
    assert landmark_problem(pattern)
    assert find(pattern, observed(pattern)).status is LandmarkStatus.INVALID


@pytest.mark.parametrize("pattern", ["", "a+", r"\d+\.\d{2}", "{'loss': .*}", "(?i)done"])
def test_what_re_compiles_is_no_problem(pattern: str) -> None:
    assert landmark_problem(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a{e<=1}", "b"),
        ("x{d}", "x"),
        ("[[:alpha:]]", "z]"),
        (r"[\[[:x:]", "a"),
        (r"\N{BULLET}", "•"),
        ("a{,2}b", "aab"),
    ],
)
def test_no_extension_changes_what_a_pattern_means(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = re.search(pattern, text) is not None
    assert (find(pattern, observed(text)).status is LandmarkStatus.HIT) == expected


PATTERNS = st.text("ab.{}[]:,^$()|?*+e1\\d ", max_size=10).filter(lambda text: not landmark_problem(text))
TEXTS = st.text("ab1 \n{}[]:e,\r\x1b", max_size=30)


@given(PATTERNS, st.lists(TEXTS, max_size=4))
def test_a_landmark_hits_where_re_search_hits(pattern: str, texts: list[str]) -> None:
    found = find(pattern, observed(*texts))
    printed = searched(pattern, texts)
    shown = [shown.text if (shown := shown_text(text)) else "" for text in texts]
    expected = {*printed, *(step for step in searched(pattern, shown) if shown[step - 1])}
    assert [hit.step for hit in found.hits] == sorted(expected)
    assert (found.printed or found.status) == (LandmarkStatus.HIT if printed else LandmarkStatus.MISSED)


def searched(pattern: str, texts: list[str]) -> list[int]:
    """The numbers, from 1, of the texts in which Python's ``re`` finds the pattern."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [n for n, text in enumerate(texts, 1) if re.search(pattern, text.replace("\n", " "))]


@given(st.sampled_from(["a+", "a b", "[ab]+1?", ".*b", "1|e", r"\s+", "(?<=a)b"]), TEXTS)
def test_spans_are_sorted_apart_and_hold_what_matches(pattern: str, text: str) -> None:
    last = 0
    if not searched(pattern, [text]):
        return  # Then it is found in what a terminal shows, if at all.
    for start, end in [span for hit in find(pattern, observed(text)).hits for span in hit.spans]:
        assert last <= start < end
        found = re.compile(pattern).match(text.replace("\n", " "), start)
        assert found is not None
        assert found.end() == end
        last = end
