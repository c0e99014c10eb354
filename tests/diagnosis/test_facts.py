"""What happened in an attempt: facts with their steps, whatever stopped it."""

from __future__ import annotations

from typing import Any

from leaderboard.diagnosis import Finding, diagnose
from leaderboard.domain.scores import LandmarkResult, LandmarkStatus, StepHits
from leaderboard.domain.trajectory import Ending, StepKind
from tests.domain.trajectories import Piece, pre_executed, ran, submitted, trajectory, waited

REFUSED = ran("a.py", "Could not find the following lines to replace", 0.0, kind=StepKind.EDIT)


def facts(*pieces: Piece, **fields: Any) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for fact in diagnose(trajectory(*pieces, **fields)).facts:
        found.setdefault(fact.kind, []).append(fact)
    return found


def test_the_last_command_that_failed_with_the_line_of_its_error() -> None:
    pieces = [
        ran("!python a.py", "KeyError: 'a'"),
        ran("!python b.py", "KeyError: 'b'\n"),
        ran("!ls", "a.py"),
    ]

    (fact,) = facts(*pieces)["last-error"]

    assert (fact.sentence, fact.evidence) == ("The last command that failed: !python b.py", "KeyError: 'b'")
    assert fact.first_step == 2


def test_the_longest_repetition_with_its_first_and_last_step() -> None:
    (fact,) = facts(*[ran("!ls")] * 14, *[REFUSED] * 35, ran("!cat a.py"), REFUSED)["repetition"]

    assert fact.sentence == "Steps 15 to 49: the same edit refused 35 times."
    assert (fact.first_step, fact.last_step) == (15, 49)


def test_the_same_with_other_steps_between_is_a_repetition_where_there_is_no_other() -> None:
    fails, tries = ran("!python a.py", "KeyError: 'a'"), ran("a.py", "File updated.", kind=StepKind.EDIT)

    (fact,) = facts(ran("!ls"), fails, tries, fails, tries, fails)["repetition"]

    assert fact.sentence == "Steps 2 to 6: the same command sent 3 times, 3 of them without success."


def test_waiting_for_a_command_is_no_repetition() -> None:
    assert "repetition" not in facts(*[waited("Your command has already run for 300 seconds.")] * 5)


def test_twice_is_no_repetition_and_neither_is_the_same_again_much_later() -> None:
    others = [ran(f"!python {name}.py") for name in "abcd"]

    assert "repetition" not in facts(REFUSED, REFUSED, *others, REFUSED, REFUSED)


def test_the_command_that_took_most_of_the_time() -> None:
    pieces = [
        ran("!python a.py", duration=90.0),
        ran("!ls", duration=1.0),
        ran("!python a.py", duration=90.0),
    ]

    (fact,) = facts(*pieces)["slowest-command"]

    assert (
        fact.sentence
        == "Of 3 min 1 s of execution, 3 min 0 s went to one command, executed 2 times: !python a.py"
    )
    assert "slowest-command" not in facts(ran("!ls", duration=2.0))


def test_the_last_landmark_and_how_much_followed() -> None:
    hits = [
        LandmarkResult(1, "a", LandmarkStatus.HIT, (StepHits(2, ((0, 1),)),)),
        LandmarkResult(2, "b", LandmarkStatus.HIT),
        LandmarkResult(3, "c", LandmarkStatus.MISSED),
        LandmarkResult(4, "d", LandmarkStatus.GIVEN, (StepHits(1, ((0, 1),)),)),
    ]
    pieces = [pre_executed("!setup"), *[ran("!ls")] * 4]

    told = {fact.kind: fact for fact in diagnose(trajectory(*pieces), hits).facts}

    # Landmark 2 has no places: its pattern would reveal the gold answer.
    assert told["last-landmark"].sentence == (
        "The last landmark that is shown, number 1, was reached in step 2; 3 steps followed."
    )


def test_the_budgets_at_the_end() -> None:
    (fact,) = facts(ran("!ls", duration=61.0), cost=1.5, prompt_tokens=12345, ending=Ending.COST)["budget"]

    assert fact.sentence == (
        "Its cost limit was reached after 1 step, 1 min 1 s of execution, 12,345 prompt tokens, $1.50."
    )


def test_a_cost_below_a_cent_is_not_nothing() -> None:
    (fact,) = facts(ran("!ls", duration=None), cost=0.004)["budget"]

    assert fact.sentence == "It ended after 1 step, $0.004."


def test_where_each_number_of_the_answer_is_seen_first() -> None:
    pieces = [
        pre_executed("!cat log", "loss 0.4321"),
        ran("!a", "f1: 0.87654"),
        ran("!b", "f1: 0.8765"),
        submitted(),
    ]

    told = facts(*pieces, answer={"loss": 0.4321, "f1": 0.8765, "em": 0.1234})["number"]

    assert [(fact.sentence, fact.first_step) for fact in told] == [
        ("loss = 0.4321: first seen in step 1, printed.", 1),
        ("f1 = 0.8765: first seen in step 2, rounded.", 2),
        ("em = 0.1234: not seen in any output.", None),
    ]


def test_an_attempt_without_steps_has_no_diagnosis() -> None:
    assert facts(answer={"loss": 1.0}) == {}
