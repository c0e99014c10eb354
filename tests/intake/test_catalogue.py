"""The tasks that the package knows, and how ids are matched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.intake.known_tasks import KnownTasks, read_known_tasks, shipped_tasks
from tests.intake.shipped import sets_of_fixtures

KNOWN_TASKS = KnownTasks({"super/expert": ("cet", "conv_graph"), "super/masked": ("cet_data", "Conv-Graph")})


def test_the_shipped_catalogue_has_the_tasks_of_the_fixtures() -> None:
    shipped = shipped_tasks()
    known = {
        key: {
            "max_attempts": shipped.attempts_allowed(key),
            "scoring": shipped.scorings[key].name,
            "tasks": list(tasks),
        }
        for key, tasks in shipped.sets.items()
    }

    assert known == sets_of_fixtures(), "python -m tests.intake.shipped writes it anew"


def test_an_exact_id_is_preferred_to_one_retyped() -> None:
    found = KNOWN_TASKS.find_tasks("conv_graph", KNOWN_TASKS.sets)

    assert found == (("super/expert", "conv_graph"),)


@pytest.mark.parametrize("word", ["CONV-GRAPH", "conv graph", "Conv_Graph"])
def test_case_and_separators_do_not_matter(word: str) -> None:
    assert ("super/expert", "conv_graph") in KNOWN_TASKS.find_tasks(word, KNOWN_TASKS.sets)


def test_the_set_that_most_files_mean_is_guessed() -> None:
    words = [["cet_data"], ["conv-graph"], ["notes"]]

    assert KNOWN_TASKS.guess(words, KNOWN_TASKS.sets) == ("super/masked",)


def test_nothing_is_guessed_from_unknown_names() -> None:
    assert KNOWN_TASKS.guess([["notes"]], KNOWN_TASKS.sets) == ()


def test_a_file_of_tasks_makes_a_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps({"task_id": name, "set": "one"}) for name in ("a", "b")))

    assert read_known_tasks(path).sets == {"mine/one": ("a", "b")}


def test_a_line_without_a_task_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"task_id": "a"}\n{}\n')

    with pytest.raises(InputError, match=r"mine\.jsonl, line 2: the line has no task_id"):
        read_known_tasks(path)
