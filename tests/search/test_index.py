"""The index of either database: the same is found, and all of it is of steps that there are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from django.db import connection

from leaderboard.domain.words import INDEXED_END, read_terms
from leaderboard.models import Attempt, AttemptStep, StepWords, TaskSet
from leaderboard.search.index import steps_with
from tests.cast import PET, add_attempt, attempt_at, bring_in, history, make_set

LOG = """Traceback (most recent call last):
  File "/app/src/train_model.py", line 3, in <module>
    from .__init__ import x
ModuleNotFoundError: No module named 'flash_attn'
$ python -m src.train --learning-rate 0.01 --dataset=SST-2 > out.log 2>&1
100%|██████| 12/12 [00:01<00:00, 8.31it/s, loss=0.0312]
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB; İzmir Größe naïve 模型
https://huggingface.co/google/flan-t5-base/resolve/main/config.json user@example.org v1.13.1+cu117
"""
TYPED = [
    "ModuleNotFoundError: No module named 'flash_attn'",
    '"No module named flash_attn"',
    "__init__",
    "train_model.py",
    "/app/src/train_model.py",
    'File "/app/src/train_model.py", line 3',
    "src.train",
    "--learning-rate 0.01",
    "learning_rate",
    "--dataset=SST-2",
    "sst-2",
    "2>&1",
    "100%",
    "loss=0.0312",
    "CUDA OUT of memory.",
    "2.00 GiB",
    "mem*",
    "flash_at*",
    '"out of mem"*',
    "izmir größe NAÏVE 模型",
    "google/flan-t5-base",
    "https://huggingface.co/google/flan-t5-base/resolve/main/config.json",
    "user@example.org",
    "v1.13.1+cu117",
    "train it memory",
]
NOT_THERE = [
    "memor",
    '"memory of out"',
    "named torch",
    "train.model.py.line.4",
    "tokeniz*",
    # The action and the output are not one text.
    '"train py traceback"',
    "memory OR nothing",
    "grosse",
]
HOSTILE = [
    "words:memory",
    "memory NEAR(out, 5)",
    "^memory - {a b}: + ()",
    "'memory' & !out | <->",
    "memory\x00; DROP TABLE leaderboard_attempt --",
    "%memory_ \\ ?",
    '""memory"" "',
    "memory:* | a:A",
    " ".join(f"word{number}" for number in range(40)),
]


def found(text: str) -> set[int]:
    """The numbers of the steps that are found."""
    steps = AttemptStep.objects.filter(pk__in=steps_with(read_terms(text)))
    return set(steps.values_list("number", flat=True))


def check_index() -> None:
    """Each step is indexed once with its own words, and nothing else is."""
    assert set(StepWords.objects.values_list("pk")) == set(AttemptStep.objects.values_list("pk"))
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            # Raises where the index differs from the table of words.
            cursor.execute(
                "INSERT INTO leaderboard_stepindex (leaderboard_stepindex, rank)"
                " VALUES ('integrity-check', 1)"
            )


@pytest.fixture
def attempt(db: None, tmp_path: Path) -> Attempt:
    return attempt_at(make_set(PET), tmp_path, observation=LOG)


def test_code_is_found_as_people_type_it(attempt: Attempt) -> None:
    assert {typed: found(typed) for typed in TYPED} == {typed: {1} for typed in TYPED}


def test_what_is_not_in_a_step_is_not_found_in_it(attempt: Attempt) -> None:
    assert [typed for typed in NOT_THERE if 1 in found(typed)] == []


def test_nothing_typed_is_a_language_of_the_database(attempt: Attempt) -> None:
    assert [typed for typed in HOSTILE if found(typed) - {1}] == []


def test_the_end_of_a_long_output_is_found(db: None, tmp_path: Path) -> None:
    words = "\n".join(f"word{number}" for number in range(INDEXED_END // 5))

    attempt_at(make_set(PET), tmp_path, observation=f"{words}\nFinally: Killed")

    assert found('"finally killed"') == {1}
    check_index()


def test_an_output_that_an_index_can_hardly_hold_is_recorded(db: None, tmp_path: Path) -> None:
    hostile = "".join(chr(code) + " " * (code % 7 == 0) for code in range(0x20000, 0x20000 + 90_000))

    attempt_at(make_set(PET), tmp_path, observation=f"{hostile} {'é' * 5000} zebra")

    assert found("zebra " + "é" * 100) == {1}


def test_what_was_recorded_again_or_deleted_is_not_found(attempt: Attempt, tmp_path: Path) -> None:
    task_set = attempt.entry.task_set
    add_attempt(tmp_path / "again", "pet", history=history({"loss": 0.5}, observation="A zebra."))
    bring_in(tmp_path / "again", task_set)

    assert (found("memory"), found("zebra")) == (set(), {1})
    check_index()

    attempt.entry.delete()

    assert (found("zebra"), StepWords.objects.count()) == (set(), 0)
    check_index()


@pytest.mark.django_db(transaction=True)
def test_two_recordings_at_once_leave_the_words_of_one(tmp_path: Path) -> None:
    task_set = make_set(PET)
    together = Barrier(2)

    def record(word: str) -> None:
        try:
            add_attempt(tmp_path / word, "pet", history=history({"loss": 0.5}, observation=word))
            together.wait(timeout=10)
            bring_in(tmp_path / word, TaskSet.objects.get(pk=task_set.pk))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(record, ("zebra", "okapi")))

    assert [found("zebra"), found("okapi")] in ([{1}, set()], [set(), {1}])
    check_index()
