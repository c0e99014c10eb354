"""An entry's model, beside the models that its files name."""

from collections import Counter

import pytest

from leaderboard.intake.named_models import agrees, contradiction


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ("GPT-4o", "openai/gpt-4o-2024-08-06"),
        ("Claude Sonnet 4.5", "anthropic/claude-sonnet-4-5-20250929"),
        ("litellm_proxy/gpt-5-mini", "gpt-5-mini"),
        ("o3", "openai/o3"),
    ],
)
def test_a_provider_or_a_date_is_no_contradiction(declared: str, named: str) -> None:
    assert agrees(declared, named)


@pytest.mark.parametrize(
    ("declared", "named"),
    [("GPT-4o", "openai/gpt-5-mini"), ("Claude Sonnet 4.5", "claude-opus-4-5"), ("o3", "o1")],
)
def test_another_model_is_one(declared: str, named: str) -> None:
    assert not agrees(declared, named)


def test_a_contradiction_is_told_once_for_all_files() -> None:
    named = Counter({"gpt-5-mini": 3, "gpt-4o": 2, "": 7, "o3": 1})

    found = contradiction("GPT-4o", named, name="run.zip")

    assert found is not None
    assert (found.problem.file, found.problem.place) == ("run.zip", "model")
    assert found.problem.reason == (
        "the model is given as “GPT-4o”, but the files of 4 attempts name “gpt-5-mini”, “o3”"
    )


def test_files_that_name_no_model_contradict_none() -> None:
    assert contradiction("GPT-4o", Counter({"": 3}), name="run.zip") is None
    assert contradiction("", Counter({"o3": 1}), name="run.zip") is None
