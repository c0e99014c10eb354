"""`super-paper` against a plain transcription of the authors' rules, on random attempts."""

from __future__ import annotations

import random
import re
from typing import Any

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.scoring.super.rules import PAPER, SCORING

ANSWERS, ATTEMPTS = 2_000, 400
"""Enough to fail at once where a rule changes; 200,000 and 10,000 of four landmarks each agreed as well."""
LEAVES: list[Any] = [0, 1, 2, 0.5, 0.509, 0.51, -1, 1e308, True, False, None, "", "a", " a ", "A", "1"]
LEAVES += [float("inf"), float("nan"), 2**53, 2**53 + 1, 10**400]
KINDS = [StepKind.EXECUTE, StepKind.EDIT, StepKind.EXCEPTION]
ACTIONS = ["!python src/train.py", "python -m src.train", "cat train.py", "run.sh", "bash run.sh --x", "ls"]
WORDS = ["epoch 1", "loss 0.5\n", "Traceback", "train.py: error", "done", "a\nb", "GPU"]
PIECES = ["epoch", r"\d", "loss", " ", ".", "[a-g]", "b$", "^a", "(done|GPU)", "x?", "zzz"]
SCRIPTS = ["src/train.py", "run.sh", "train", "other.py"]


def compare(a: Any, b: Any) -> float:
    a, b = (float(each) if type(each) is int else each for each in (a, b))
    if type(a) is not type(b):
        return 0
    if isinstance(a, list):
        return float(sum(compare(x, y) for x, y in zip(a, b, strict=False)) / len(b))
    if isinstance(a, dict):
        return float(sum(compare(b[key], a.get(key)) for key in b) / len(b))
    if isinstance(a, str):
        return float(a.strip() == b.strip())
    if isinstance(a, float):
        return float(abs(a - b) < 0.01)
    raise TypeError


def accuracy(gold: Any, trajectory: Trajectory) -> float | None:
    """None without a gold answer, and where the authors' code raises."""
    if not gold or gold is MISSING:
        return None
    if not submitted(trajectory):
        return 0
    try:
        return compare(gold, trajectory.answer)
    except (TypeError, ZeroDivisionError, OverflowError):
        return None


def submitted(trajectory: Trajectory) -> float:
    return trajectory.steps[-1].kind is StepKind.SUBMIT and bool(trajectory.answer)


def recorded(trajectory: Trajectory) -> list[Step]:
    """An exception never entered the authors' history."""
    return [step for step in trajectory.steps if step.kind is not StepKind.EXCEPTION]


def landmarks(patterns: tuple[str, ...], trajectory: Trajectory) -> float | None:
    seen = (step.observation for step in recorded(trajectory))
    outputs = [observation.replace("\n", " ") for observation in seen if observation is not None]
    hits = [any(re.search(pattern, output) for output in outputs) for pattern in patterns]
    return sum(hits) / len(hits) if hits else None


def script_executed(entrypoint: str, trajectory: Trajectory) -> float | None:
    if not entrypoint.endswith((".py", ".sh")):
        return None
    name = entrypoint.rpartition("/")[2]
    module = name.removesuffix(".py")
    for step in recorded(trajectory):
        named = name in step.action or ("python -m" in step.action and module in step.action)
        output = step.observation or ""
        clean = "Traceback" not in output and f"{name}: error" not in output
        if named and clean and (step.duration or 0) >= 10:
            return 1
    return 0


def a_value(rng: random.Random, depth: int = 0) -> Any:
    form = rng.random()
    if depth == 4 or form < 0.5:
        return rng.choice(LEAVES) if form < 0.4 else round(rng.uniform(-1, 1), 2)
    if form < 0.75:
        return [a_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abcd"): a_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def a_guess(rng: random.Random, gold: Any) -> Any:
    """The gold answer with some of it wrong, missing, or too much."""
    if rng.random() < 0.15:
        return a_value(rng, 2)
    if isinstance(gold, dict):
        kept = {key: a_guess(rng, value) for key, value in gold.items() if rng.random() > 0.15}
        return kept | ({rng.choice("abcdef"): a_value(rng, 2)} if rng.random() < 0.2 else {})
    if isinstance(gold, list):
        kept_items = [a_guess(rng, value) for value in gold[: None if rng.random() > 0.2 else -1]]
        return kept_items + ([a_value(rng, 2)] if rng.random() < 0.2 else [])
    if type(gold) is float and rng.random() < 0.5:
        return gold + rng.choice([0.009, 0.01, 0.011, -0.005])
    return gold


def a_step(rng: random.Random, number: int) -> Step:
    return Step(
        number=number,
        kind=rng.choice(KINDS),
        action_type="execute",
        action=rng.choice(ACTIONS),
        observation=rng.choice([None, "", *(" ".join(rng.choices(WORDS, k=3)) for _ in range(6))]),
        duration=rng.choice([None, 5.0, 9.99, 10.0, 12.0]),
        pre_executed=number == 1 and rng.random() < 0.3,
    )


def an_attempt(rng: random.Random, answer: Any, steps: int) -> Trajectory:
    made = [a_step(rng, number) for number in range(1, steps + 1)]
    if rng.random() < 0.9:
        made.append(Step(number=steps + 1, kind=StepKind.SUBMIT, action_type="submit", action=""))
    ending = Ending.SUBMITTED if made[-1].kind is StepKind.SUBMIT else Ending.UNKNOWN
    return Trajectory(steps=tuple(made), format="f", answer=answer, ending=ending)


def differences(rng: random.Random, *, steps: int, patterns: int) -> list[tuple[Any, ...]]:
    """What the two say of one random attempt where they disagree."""
    gold = a_value(rng)
    found = tuple("".join(rng.choices(PIECES, k=rng.randint(1, 3))) for _ in range(patterns))
    spec = TaskSpec(task_id="t", gold=gold, landmarks=found, entrypoint=rng.choice(SCRIPTS))
    attempt = an_attempt(rng, a_guess(rng, gold), steps)
    expected = {
        "accuracy": accuracy(gold, attempt),
        "landmarks": landmarks(found, attempt),
        "script_executed": script_executed(spec.entrypoint, attempt),
        "submitted": submitted(attempt),
    }
    (card,) = (card for card in SCORING.score(spec, attempt).cards if card.scorer == PAPER.name)
    given = {key: score.value for key, score in card.scores.items()}
    return [
        (spec, attempt, key, given[key], expected[key]) for key in expected if given[key] != expected[key]
    ]


def test_random_answers_score_what_the_authors_rules_give() -> None:
    rng = random.Random(1)  # noqa: S311 - the same attempts at each run
    assert [each for _ in range(ANSWERS) for each in differences(rng, steps=1, patterns=0)] == []


def test_random_landmarks_and_scripts_score_what_the_authors_rules_give() -> None:
    rng = random.Random(2)  # noqa: S311 - the same attempts at each run
    assert [each for _ in range(ATTEMPTS) for each in differences(rng, steps=5, patterns=4)] == []
