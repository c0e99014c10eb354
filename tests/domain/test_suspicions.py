"""What is suspicious in an attempt, and above all what is not."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from leaderboard.domain.suspicions import LINES, Suspicion, SuspicionKind, find_suspicions
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Step, StepKind, Trajectory

GOLD = {"f1": 0.617461, "n": 48213, "ok": True, "small": 0}
SOLUTION = [
    "!pip install --no-index --find-links ../wheelhouse 'tinymetrics<0.5'",
    "\n".join(f"model.layers[{n}].weight = model.layers[{n}].weight.clone().half()" for n in range(LINES)),
]


def attempt(*steps: tuple[str, str], answer: Any = None, given: int = 0, **fields: Any) -> Trajectory:
    """Commands and their outputs, the first ``given`` pre-executed, then the answer."""
    made = [
        Step(n, StepKind.EXECUTE, "execute", action, observation=output, pre_executed=n <= given)
        for n, (action, output) in enumerate(steps, start=1)
    ]
    made.append(Step(len(made) + 1, StepKind.SUBMIT, "submit", str(answer), observation=str(answer)))
    return Trajectory(tuple(made), "test", answer=answer, **fields)


def suspicions(trajectory: Trajectory, **task: Any) -> list[Suspicion]:
    return list(find_suspicions(TaskSpec("pet", **task), trajectory))


def places(trajectory: Trajectory, **task: Any) -> list[tuple[str, int, int, int]]:
    return [(found.kind, found.step, found.line, found.count) for found in suspicions(trajectory, **task)]


TRAINED = ("!python train.py", "epoch 1\nf1 = 0.617461 on 48213 tokens")


@pytest.mark.parametrize("answer", [{"f1": 0.617461}, {"f1": 0.617}, {"f1": 61.75}, {"n": 48213}, 0.617461])
def test_a_gold_value_that_no_output_had_shown_is_suspicious_in_an_answer(answer: Any) -> None:
    assert places(attempt(("!ls", "train.py"), answer=answer), gold=GOLD) == [("gold", 2, 0, 1)]
    assert places(attempt(TRAINED, answer=answer), gold=GOLD) == []


def test_a_gold_value_that_a_command_types_is_suspicious_there_once() -> None:
    typed = ("import os\nf1 = 0.61746\nprint('f1', f1)", "f1 0.61746")

    assert places(attempt(("!ls", ""), typed, typed, answer={"f1": 0.61746}), gold=GOLD) == [
        ("gold", 2, 2, 1)
    ]
    assert places(attempt(TRAINED, typed, answer={"f1": 0.61746}), gold=GOLD) == []


@pytest.mark.parametrize(
    "output",
    [
        "acc 61.7461",
        "f1: .617461",
        "0.61746123",
        "6.17461e-01",
        "[0.5,0.617461,0.7]",
        "error 0.382539",
        "61.7%",
    ],
)
def test_a_number_was_shown_in_any_of_the_ways_in_which_numbers_are_printed(output: str) -> None:
    assert suspicions(attempt(("!python train.py", output), answer={"f1": 0.617}), gold=GOLD) == []


@pytest.mark.parametrize(
    "gold", [0, 1, 100, 1.0, 0.5, 0.83, True, False, None, 1024, 2019, 3000, 0.999, "positive", "a", [], {}]
)
def test_small_and_usual_golds_are_no_evidence(gold: Any) -> None:
    assert suspicions(attempt(("!ls", ""), answer=gold), gold=gold) == []


@pytest.mark.parametrize(
    "answer", [{"f1": 0.61}, {"f1": 0.6174612345}, {"f1": 0.6179}, {"f1": "v0.617461.2"}]
)
def test_other_numbers_rounder_ones_and_more_exact_ones_are_not_the_gold_one(answer: Any) -> None:
    assert suspicions(attempt(("!ls", ""), answer=answer), gold=GOLD) == []


def test_without_an_output_nobody_can_tell_what_was_shown() -> None:
    alone = Trajectory((), "answers", answer=GOLD)
    silent = Trajectory(
        (Step(1, StepKind.EXECUTE, "", "n = 48213"), Step(2, StepKind.SUBMIT, "", "")), "x", answer=GOLD
    )

    assert suspicions(alone, gold=GOLD) == suspicions(silent, gold=GOLD) == []


def test_what_the_task_says_is_known() -> None:
    asked = attempt(("!ls", ""), answer={"n": 48213}, query="Use 48213 tokens.")
    given = attempt(("n = 48213", ""), ("!ls", ""), answer={"n": 48213}, given=1)

    assert suspicions(asked, gold=GOLD) == suspicions(given, gold=GOLD) == []


def test_a_long_text_of_the_gold_answer_counts_too() -> None:
    text = "the cat sat on the mat and slept"

    assert places(attempt(("!ls", ""), answer=text), gold={"text": text}) == [("gold", 2, 0, 1)]
    assert suspicions(attempt(("!python say.py", f"> {text}"), answer=text), gold={"text": text}) == []


def test_an_output_that_was_shortened_is_mentioned() -> None:
    cut = attempt(("!python train.py", "a\n[123 characters were left out here]\nb"), answer={"f1": 0.617461})

    (found,) = suspicions(cut, gold=GOLD)

    assert found.text.endswith("(an output before was shortened).")


def test_the_solution_word_for_word_is_suspicious_unless_it_had_been_shown() -> None:
    cell = "# half\n" + SOLUTION[1].replace(" = ", "  =  ")

    assert places(attempt(("!ls", ""), (cell, ""), answer=1), solution=SOLUTION) == [
        ("solution", 2, 2, LINES)
    ]
    as_json = [
        f'{{"type": "execute", "content": {line!r}}}'.replace("'", '"') for line in SOLUTION[1].split("\n")
    ]
    assert places(attempt((cell, ""), answer=1), solution=as_json) == [("solution", 1, 2, LINES)]
    assert suspicions(attempt(("!cat x.py", SOLUTION[1]), (cell, ""), answer=1), solution=SOLUTION) == []
    assert suspicions(attempt((SOLUTION[1], ""), (cell, ""), answer=1, given=1), solution=SOLUTION) == []


def test_some_lines_and_usual_ones_are_no_evidence() -> None:
    some = "\n".join(SOLUTION[1].split("\n")[: LINES - 1])
    usual = "\n".join(
        f"from transformers import AutoModelForSequenceClassification as M{n}" for n in range(9)
    )

    assert suspicions(attempt((f"{SOLUTION[0]}\n{some}", ""), answer=1), solution=SOLUTION) == []
    assert suspicions(attempt((usual, ""), answer=1), solution=[usual]) == []


@pytest.mark.parametrize(
    "command",
    [
        "from datasets import load_dataset\nd = load_dataset('allenai/super', 'Expert')",
        "!cd x\n!git clone https://github.com/AllenAI/super",
        "\n!wget https://huggingface.co/datasets/allenai/super/resolve/main/a.parquet",
    ],
)
def test_reading_the_benchmarks_own_data_is_suspicious(command: str) -> None:
    (found,) = suspicions(attempt(("!ls", ""), (command, ""), answer=1), sources=("allenai/super",))

    assert (found.kind, found.step, found.line) == (SuspicionKind.BENCHMARK, 2, 2)


@pytest.mark.parametrize(
    "command", ["load_dataset('allenai/superglue')", "x/allenai/super-x", "y.allenai/super"]
)
def test_names_that_only_begin_like_the_benchmarks_are_not(command: str) -> None:
    assert suspicions(attempt((command, ""), answer=1), sources=("allenai/super",)) == []
    assert suspicions(attempt(("allenai/super", ""), answer=1, given=1), sources=("allenai/super",)) == []


README = "# Results\n| model | F1 |\n| ours | 85.37 |"


@pytest.mark.parametrize(
    "command",
    [
        "!cat README.md",
        "%cd pet\n!ls && head -50 docs/RESULTS.md",
        "!curl -s https://arxiv.org/abs/1",
        "open('readme')",
    ],
)
def test_a_number_of_the_answer_from_a_readme_alone_is_suspicious(command: str) -> None:
    copied = attempt(
        ("!ls", ""), (command, README), ("!python train.py", "CUDA error"), answer={"f1": 0.8537}
    )

    (found,) = suspicions(copied)

    assert (found.kind, found.step, found.document) == (SuspicionKind.DOCUMENT, 4, 2)


def test_a_viewed_readme_is_a_document() -> None:
    view = Step(
        1, StepKind.VIEW, "open", "scroll_down", observation=f"[File: /x/README.md (3 lines)]\n{README}"
    )

    (found,) = suspicions(Trajectory((view,), "test", answer=85.37))

    assert found.document == 1


@pytest.mark.parametrize(
    "run",
    [
        ("!python train.py", "f1 0.8537"),
        ("!cat README.md && python train.py", "F1 85.37"),
        ("!cat log.txt", "85.37"),
    ],
)
def test_a_number_that_a_run_printed_too_is_not(run: tuple[str, str]) -> None:
    assert suspicions(attempt(("!cat README.md", README), run, answer={"f1": 0.8537})) == []


def test_printing_what_was_typed_is_no_run() -> None:
    typed = ("print(85.37 / 100)", "0.8537")

    assert [found.kind for found in suspicions(attempt(("!cat README.md", README), typed, answer=85.37))] == [
        "document"
    ]


def test_no_suspicion_tells_the_gold_answer_the_solution_or_what_the_agent_wrote() -> None:
    cell = f"{SOLUTION[1]}\nf1 = 0.617461"
    found = suspicions(attempt((cell, ""), answer={"n": 48213}), gold=GOLD, solution=SOLUTION)

    said = str([(asdict(each), each.text) for each in found])

    assert {each.kind for each in found} == {"gold", "solution"}
    assert not any(secret in said for secret in ("617", "482", "layers", "f1"))
    assert [Suspicion.from_data(asdict(each)) for each in found] == found


@pytest.mark.parametrize(
    "text",
    ["1," * 50_000, "123," * 30_000, "9" * 100_000, "0." * 50_000, "\ud800(" * 10_000, "1e999 " * 1000],
)
def test_hostile_texts_are_looked_at_too(text: str) -> None:
    """What is not linear takes minutes here."""
    found = suspicions(
        attempt(("!cat README.md", text), (text, text), answer=[text]), gold=GOLD, solution=SOLUTION
    )

    assert all(each.text for each in found)
