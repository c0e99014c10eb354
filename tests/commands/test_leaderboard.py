"""manage.py leaderboard: the figures of a board as a table, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.cast import CET, NOVICE, PET, SOLVER, make_set, report

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _entries() -> None:
    task_set = make_set(PET, CET)
    report(task_set, NOVICE, {"pet": 0.25})
    report(task_set, SOLVER, {"pet": 1.0, "cet": 2 / 3})


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("leaderboard", "--set", "masked", *options, stdout=out)
    return out.getvalue()


def test_json_has_every_figure_with_its_tasks_and_source() -> None:
    board = json.loads(run("--json"))

    assert (board["task_set"], board["total"]) == ("masked", 2)
    assert [(row["rank"], row["agent"], row["attempted"]) for row in board["entries"]] == [
        (1, SOLVER, 2),
        (2, NOVICE, 1),
    ]
    assert board["entries"][1]["figures"]["accuracy"] == {
        "value": 0.125,
        "low": None,
        "high": None,
        "percent": "12.5",
        "tasks": 2,
        "scored": 1,
        "attempts": 1,
        "mean_of_scored": 0.25,
        "source": "reported",
        "version": "",
        "evidence": "accepted",
        "stale": False,
    }
    assert board["entries"][0]["figures"]["accuracy:cpu"]["percent"] == "66.7"
    assert board["entries"][0]["figures"]["landmarks"]["value"] is None


def test_csv_has_percentages_and_the_number_of_tasks_behind_each() -> None:
    best, _ = csv.DictReader(io.StringIO(run("--csv")))

    assert (best["rank"], best["agent"], best["model"]) == ("1", SOLVER, "gpt-4o")
    assert (best["accuracy"], best["accuracy tasks"]) == ("83.3", "2")
    assert (best["accuracy:cpu"], best["accuracy:cpu tasks"]) == ("66.7", "1")
    assert best["landmarks"] == ""


def test_the_plain_table_has_whole_words_and_figures() -> None:
    said = run()

    for words in (SOLVER, "gpt-4o", "Script executed", "83.3 (2)", "12.5 (2)", "66.7 (1)"):
        assert words in said


def test_a_scorer_without_scores_has_no_figures() -> None:
    board = json.loads(run("--json", "--scorer", "super-strict"))

    assert {row["rank"] for row in board["entries"]} == {None}


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(CommandError, match="“lost” is not a task set"):
        call_command("leaderboard", "--set", "lost")


def test_a_column_more_and_another_order_are_chosen_by_their_keys() -> None:
    board = json.loads(run("--json", "--column", "cost", "--sort=agent"))

    assert [column["key"] for column in board["columns"]][-1] == "cost"
    assert [row["agent"] for row in board["entries"]] == [NOVICE, SOLVER]
    assert "Cost" in run("--column", "cost")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sort", "speed"), "there is no column to sort by speed: choose from accuracy, accuracy:cpu"),
        (("--column", "speed"), "there is no metric speed: choose from accuracy, landmarks"),
        (("--scorer", "nobody"), "there is no scorer nobody: choose from board, reported"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(options: tuple[str, str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(*options)
