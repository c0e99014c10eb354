"""Importing tasks: by id, all or none, and what a change of them makes stale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.catalogue.services import TaskImport, import_tasks
from leaderboard.domain.errors import InputError
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Figure, Score, Task, TaskSet
from tests.cast import CET, DPT, PET, all_rows, attempt_at, make_set, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET)


def stale() -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Scorer and metric of the stale scores, and of the stale overall figures."""
    scores = Score.objects.filter(stale=True).values_list("scorer", "metric")
    figures = Figure.objects.filter(stale=True, category="").values_list("scorer", "metric")
    return set(scores), set(figures)


def test_tasks_are_known_by_id(task_set: TaskSet) -> None:
    done = import_tasks(task_set, [PET, CET, replace(PET, task_id="pet-2")])

    assert done == TaskImport(added=2, changed=0, unchanged=1, stale=0)
    assert import_tasks(task_set, [replace(CET, query="Anew.")]) == TaskImport(0, 1, 0, 0)
    assert list(task_set.tasks.values_list("task_id", "query")) == [
        ("cet", "Anew."),
        ("pet", PET.query),
        ("pet-2", PET.query),
    ]


def test_the_same_again_changes_nothing(task_set: TaskSet) -> None:
    before = all_rows()

    assert import_tasks(task_set, [PET]) == TaskImport(0, 0, 1, 0)

    assert all_rows() == before


def test_the_order_of_golds_keys_is_no_change(task_set: TaskSet) -> None:
    import_tasks(task_set, [replace(CET, gold={"a": 1, "b": 2})])

    assert import_tasks(task_set, [replace(CET, gold={"b": 2, "a": 1})]).unchanged == 1


def test_empty_fields_do_not_take_back_what_is_stored(task_set: TaskSet) -> None:
    before = all_rows()

    assert import_tasks(task_set, [TaskSpec(task_id="pet")]).unchanged == 1

    assert all_rows() == before


def test_a_gold_of_null_is_a_gold(task_set: TaskSet) -> None:
    import_tasks(task_set, [replace(PET, gold=None)])

    assert Task.objects.get().gold == "null"


@pytest.mark.parametrize(
    ("change", "metric"),
    [
        ({"gold": {"loss": 0.75}}, "accuracy"),
        ({"landmarks": ("loss",)}, "landmarks"),
        ({"entrypoint": "other.py"}, "script_executed"),
    ],
)
def test_a_change_marks_just_the_scores_that_depend_on_it(
    change: dict[str, object], metric: str, task_set: TaskSet, tmp_path: Path
) -> None:
    attempt_at(task_set, tmp_path)
    report(task_set, "Rival", {"pet": 1.0})

    done = import_tasks(task_set, [replace(PET, **change)])  # type: ignore[arg-type]

    strict, paper = ("super-strict", metric), ("super-paper", metric)
    assert done == TaskImport(added=0, changed=1, unchanged=0, stale=2)
    assert stale() == ({strict, paper}, {strict, paper, ("board", metric)})
    assert not Figure.objects.filter(entry__agent__name="Rival", stale=True).exists()


def test_a_change_of_words_makes_nothing_stale(task_set: TaskSet, tmp_path: Path) -> None:
    attempt_at(task_set, tmp_path)

    assert import_tasks(task_set, [replace(PET, query="Anew.", title="PET")]).stale == 0

    assert stale() == (set(), set())


def test_reported_figures_never_go_stale(task_set: TaskSet) -> None:
    report(task_set, "Rival", {"pet": 1.0})

    assert import_tasks(task_set, [replace(PET, gold=1)]).stale == 0

    assert stale() == (set(), set())


def test_a_new_task_counts_as_failed_at_once(task_set: TaskSet) -> None:
    report(task_set, "Rival", {"pet": 1.0})

    import_tasks(task_set, [DPT])

    figure = Figure.objects.get(scorer="board", metric="accuracy", category="")
    assert (figure.value, figure.attempted, figure.scored, figure.tasks) == (0.5, 1.0, 1, 2)


def test_a_task_that_changes_category_takes_its_score_along(task_set: TaskSet) -> None:
    report(task_set, "Rival", {"pet": 1.0})

    import_tasks(task_set, [replace(PET, categories=("issue",))])

    categories = Figure.objects.filter(scorer="board", metric="accuracy").values_list("category", "value")
    assert dict(categories) == {"": 1.0, "issue": 1.0}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"task_id": "a/b"}, "task_id has a character that is not allowed in an address"),
        ({"task_id": ".."}, "task_id has a character that is not allowed in an address"),
        ({"task_id": "x" * 201}, "task_id has 201 characters, more than 200"),
        ({"repository": "x" * 301}, "repository has 301 characters, more than 300"),
        ({"entrypoint": "x" * 301}, "entrypoint has 301 characters, more than 300"),
    ],
)
def test_what_no_page_or_column_can_hold_is_refused_with_all_of_the_import(
    change: dict[str, str], reason: str, task_set: TaskSet
) -> None:
    before = all_rows()

    with pytest.raises(InputError) as caught:
        import_tasks(task_set, [CET, replace(DPT, **change)])  # type: ignore[arg-type]

    assert [problem.reason for problem in caught.value.problems] == [reason]
    assert all_rows() == before


def test_text_that_no_database_can_hold_is_replaced_sign_by_sign(task_set: TaskSet) -> None:
    odd = "a\x00b\ud800"
    spec = replace(
        PET,
        query=odd,
        landmarks=(odd,),
        gold=odd,
        solution={odd: [odd, float("nan")]},
        pre_execute_cells=(("execute", odd),),
        query_components=[odd, float("inf")],
    )

    import_tasks(task_set, [spec])

    task = Task.objects.get()
    assert (task.query, task.landmarks) == ("a␀b�", ["a␀b�"])
    assert task.solution == {"a␀b�": ["a␀b�", "NaN"]}
    assert task.query_components == ["a␀b�", "Infinity"]
    assert task.pre_execute_cells == [["execute", "a␀b�"]]
    assert import_tasks(task_set, [spec]).unchanged == 1
