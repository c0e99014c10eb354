"""What is wrong with an answer, as far as the query and the steps tell; and what is right raises no alarm."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.diagnosis import diagnose
from leaderboard.domain.trajectory import Ending, StepKind
from tests.domain.trajectories import Piece, ran, submitted, trajectory

LOSS = 'Train roberta-base for one epoch. Report the loss on the validation set as {"loss": 0.0}.'
TRAIN = "!python train.py --model roberta-base --num_train_epochs 1"


def wrong(answer: Any, *pieces: Piece, query: str = LOSS) -> list[str]:
    """The classes of what is wrong with an answer after some steps."""
    given = trajectory(*pieces, submitted(), answer=answer, query=query, ending=Ending.SUBMITTED)
    return [finding.kind for finding in diagnose(given).findings]


@pytest.mark.parametrize(
    "output",
    [
        "eval_loss = 0.71234",
        "eval_loss = 0.712341234",
        "{'valid_loss': 0.71234, 'epoch': 1.0}",
        "train_loss 0.71234\nvalid loss: 0.71234",
        "| epoch 1 | loss 0.71234 |",
        "\x1b[32mloss\x1b[0m 0.71234",
        "x " * 300 + "loss 0.71234",
    ],
)
def test_a_number_that_was_printed_or_rounded_raises_no_alarm(output: str) -> None:
    assert wrong({"loss": 0.71234}, ran(TRAIN, output)) == []


def test_a_number_in_no_output_is_said_to_be_in_none() -> None:
    assert wrong({"loss": 0.71234}, ran(TRAIN, "loss 0.5")) == ["fabricated-answer"]


@pytest.mark.parametrize("answer", [1, 0.5, 10, True])
def test_of_a_number_that_is_anywhere_nothing_is_claimed(answer: Any) -> None:
    assert wrong({"loss": answer}, ran(TRAIN, "done")) == []


def test_a_number_that_was_printed_a_hundred_times_larger_is_of_another_scale() -> None:
    assert wrong({"loss": 0.8731}, ran(TRAIN, "loss: 87.31")) == ["wrong-scale"]


@pytest.mark.parametrize(
    "output",
    [
        "2024 | INFO | train | epoch 001 | loss 7.822 | ppl 228.63",
        "{'train_runtime': 7.1, 'train_loss': 7.822, 'epoch': 1.0}",
        "{'loss': 7.822, 'learning_rate': 2e-05, 'epoch': 1.0}",
    ],
)
def test_a_number_of_the_training_set_is_not_one_of_the_validation_set(output: str) -> None:
    assert wrong({"loss": 7.822}, ran(TRAIN, output)) == ["wrong-metric-or-split"]


def test_an_evaluation_may_be_on_any_set_but_that_of_the_training() -> None:
    query = 'Use roberta-base. Report the loss on the test set as {"test_loss": 0.0}.'

    assert wrong({"test_loss": 7.822}, ran(TRAIN, "{'eval_loss': 7.822}"), query=query) == []


def test_another_metric_under_the_number_is_said() -> None:
    query = 'Use roberta-base. Report {"f1": 0.0}.'

    assert wrong({"f1": 0.7123}, ran(TRAIN, "accuracy: 0.7123"), query=query) == ["wrong-metric-or-split"]


def test_one_number_is_not_two() -> None:
    query = 'Use roberta-base. Report {"matched": 0.0, "mismatched": 0.0}.'
    answer = {"matched": 36.54, "mismatched": 36.54}

    assert wrong(answer, ran(TRAIN, '"macro-F1": 36.538'), query=query) == ["wrong-metric-or-split"]
    assert wrong(answer, ran(TRAIN, "matched 36.538\nmismatched 36.538"), query=query) == []


def test_values_that_are_missing_null_or_still_the_examples_are_partial_results() -> None:
    query = 'Use roberta-base. Report {"LogMe": 0.0, "f1": 0.0}.'
    printed = ran(TRAIN, "f1 29.5455")

    assert wrong({"f1": 29.5455}, printed, query=query) == ["partial-results"]
    assert wrong({"LogMe": None, "f1": 29.5455}, printed, query=query) == ["partial-results"]
    assert wrong({"LogMe": 0.0, "f1": 29.5455}, printed, query=query) == ["partial-results"]
    assert wrong({"LogMe": 0.0, "f1": 29.5455}, ran(TRAIN, "f1 29.5455\nLogMe: 0.0"), query=query) == []


@pytest.mark.parametrize("answer", ["{loss: 0.71234}", "The loss: 0.71234", {"final": 0.71234}])
def test_values_in_another_form_than_asked_are_in_the_wrong_form(answer: Any) -> None:
    assert wrong(answer, ran(TRAIN, "loss 0.71234"))[:1] == ["answer-format"]


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("!python train.py --seed 5 --model roberta-base", LOSS + " Use seed=755."),
        ("!python train.py --max_steps 3 --model roberta-base", LOSS),
        ("!python train.py --model roberta-large", LOSS.replace("roberta-base", "roberta-base model")),
    ],
)
def test_other_values_than_asked_are_said(command: str, query: str) -> None:
    assert "wrong-hyperparameters" in wrong({"loss": 0.71234}, ran(command, "loss 0.71234"), query=query)


def test_more_epochs_than_one_are_said() -> None:
    assert wrong({"loss": 0.71234}, ran(TRAIN, "  Num Epochs = 3\nloss 0.71234")) == ["wrong-hyperparameters"]


def test_values_and_models_that_are_in_no_command_are_said() -> None:
    query = LOSS + " Use --max_length 150."

    assert wrong({"loss": 0.71234}, ran("!python train.py", "loss 0.71234"), query=query) == [
        "misread-task",
        "wrong-hyperparameters",
    ]


def test_numbers_of_a_script_of_its_own_are_not_what_was_asked() -> None:
    create = ran("with open('mine.py', 'w') as f: f.write('…')", "")

    assert wrong({"loss": 0.71234}, create, ran("!python mine.py roberta-base", "loss 0.71234")) == [
        "misread-task"
    ]


def test_data_that_it_made_up_or_took_from_elsewhere_are_said() -> None:
    result = ran(TRAIN, "loss 0.71234")
    missing = ran("!python train.py", "FileNotFoundError: [Errno 2] No such file or directory: 'data/a.csv'")

    assert wrong({"loss": 0.71234}, ran('!echo \'{"text": "a test"}\' > data/train.jsonl', ""), result) == [
        "fabricated-answer"
    ]
    assert wrong({"loss": 0.71234}, missing, ran("!head -n 5 b.csv > data/a.csv", ""), result) == [
        "misread-task"
    ]
    assert wrong({"loss": 0.71234}, ran("load_dataset('imdb')", ""), result) == ["misread-task"]
    assert wrong({"loss": 0.71234}, ran("load_dataset('imdb')", ""), result, query=LOSS + " Use IMDB.") == []


def test_an_argument_that_the_agent_declared_itself_is_said() -> None:
    refused = ran(TRAIN + " --noise_eps 1", "train.py: error: unrecognized arguments: --noise_eps 1")
    declares = ran(
        "train.py\n<<<AFTER_EDIT>>>\nnoise_eps: float = 0", "Edit was successful.", kind=StepKind.EDIT
    )

    found = wrong({"loss": 0.71234}, refused, declares, ran(TRAIN + " --noise_eps 1", "loss 0.71234"))

    assert found == ["wrong-hyperparameters"]
