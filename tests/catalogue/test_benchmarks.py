"""manage.py add_benchmark: a benchmark and its sets from a file, checked, and changed by a changed file."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.domain.errors import InputError
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import AuditEvent, Benchmark, Figure, TaskSet
from leaderboard.scoring import all_scorings
from tests.cast import PET, all_rows, attempt_at, make_set, report

pytestmark = pytest.mark.django_db

SMALL: dict[str, Any] = {
    "slug": "small",
    "name": "Small",
    "scoring": "super",
    "categories": [{"slug": "data", "name": "Data"}, {"slug": "cpu", "name": "CPU"}],
    "task_sets": [{"slug": "one", "name": "One", "level": 1}, {"slug": "two", "name": "Two", "level": 2}],
}
SCORINGS = ", ".join(all_scorings())
POINTS = {"key": "points", "label": "Points", "about": "Points won.", "unit": "count"}
LOSS = {"key": "loss", "label": "Loss", "about": "What is left.", "unit": "count", "more_is_better": False}
PUBLISHED = {
    "task_set": "Everything", "tasks": 10, "agent": "A", "model": "M", "metric": "accuracy", "value": 0.5,
    "source": "a paper",
}  # fmt: skip
REPORTED = {key: value for key, value in SMALL.items() if key != "scoring"} | {"metrics": [POINTS, LOSS]}


def add(path: Path, record: Any) -> str:
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    out = io.StringIO()
    call_command("add_benchmark", str(path), stdout=out)
    return out.getvalue()


def refused(path: Path, record: Any) -> list[str]:
    """What the command says of each problem, when it stores nothing."""
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    before, err = all_rows(), io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("add_benchmark", str(path), stdout=io.StringIO(), stderr=err)
    assert caught.value.returncode == 1
    assert all_rows() == before
    return err.getvalue().splitlines()


def test_a_file_makes_a_benchmark_and_the_same_file_again_changes_nothing(tmp_path: Path) -> None:
    said = add(tmp_path / "small.json", SMALL)

    assert said.splitlines() == [
        "benchmark small: added",
        "category data: added",
        "category cpu: added",
        "task set small/one: added",
        "task set small/two: added",
    ]
    assert list(TaskSet.objects.values_list("slug", "level", "position")) == [("one", 1, 0), ("two", 2, 1)]
    event = AuditEvent.objects.get()
    assert (event.action, event.target, event.detail["slug"]) == ("add benchmark", "Small", "small")
    before = all_rows()
    assert add(tmp_path / "small.json", SMALL) == "benchmark small: nothing changed\n"
    assert all_rows() == before


def test_a_changed_file_changes_what_it_says_and_removes_what_holds_no_data(tmp_path: Path) -> None:
    add(tmp_path / "small.json", SMALL)
    changed = SMALL | {
        "name": "Smaller",
        "categories": [{"slug": "goal", "name": "Goal"}, *reversed(SMALL["categories"])],
        "task_sets": [{"slug": "two", "name": "Two", "is_default": True}],
    }

    said = add(tmp_path / "small.json", changed)

    assert said.splitlines() == [
        "benchmark small: changed name",
        "category goal: added",
        "category data: changed position",
        "task set small/one: removed",
        "task set small/two: changed is_default, level, position",
    ]
    benchmark = Benchmark.objects.get()
    assert [each.slug for each in benchmark.categories.all()] == ["goal", "cpu", "data"]
    assert list(benchmark.task_sets.values_list("slug", "is_default")) == [("two", True)]
    assert AuditEvent.objects.latest("pk").action == "change benchmark"


def test_the_default_set_can_move_within_a_benchmark_but_not_be_taken_from_another(tmp_path: Path) -> None:
    one, two = ({"slug": slug, "name": slug} for slug in ("one", "two"))
    add(tmp_path / "small.json", SMALL | {"task_sets": [one | {"is_default": True}, two]})
    add(tmp_path / "small.json", SMALL | {"task_sets": [one, two | {"is_default": True}]})

    (problem,) = refused(
        tmp_path / "o.json", SMALL | {"slug": "o", "task_sets": [one | {"is_default": True}]}
    )

    assert TaskSet.objects.get(is_default=True).slug == "two"
    assert problem.startswith(
        "o.json, $.task_sets: small/two is the site's default task set already (leave out"
    )


def test_what_has_data_is_never_removed(tmp_path: Path) -> None:
    task_set = make_set(PET)
    attempt_at(task_set, tmp_path / "run")
    record = {
        "slug": "super",
        "name": "SUPER",
        "metrics": [POINTS],
        "categories": [{"slug": "cpu", "name": "CPU"}],
        "task_sets": [{"slug": "expert", "name": "Expert"}],
    }

    assert refused(tmp_path / "super.json", record) == [
        "super.json, $.scoring: it was “super”, and attempts have scores by it (keep it as it was, or make a"
        " benchmark with another slug)",
        "super.json, $.task_sets: the task set masked is left out, and has 1 task and 1 entry (keep it: a set"
        " with data is never removed)",
        "super.json, $.categories: the category data is left out, and 1 task has it (keep it: a category with"
        " tasks is never removed)",
    ]


def test_a_metric_more_has_figures_at_once_and_one_with_scores_is_kept(tmp_path: Path) -> None:
    add(tmp_path / "small.json", REPORTED | {"metrics": [POINTS]})
    task_set = TaskSet.objects.get(slug="one")
    import_tasks(task_set, [TaskSpec(task_id="pet")])
    run = tmp_path / "run"
    (run / "pet").mkdir(parents=True)
    (run / "pet" / "metrics.json").write_text('{"points": 12.5}')
    call_command("import_run", str(run), set="small/one", agent="A", model="m", stdout=io.StringIO())

    add(tmp_path / "small.json", REPORTED)

    figures = Figure.objects.filter(scorer="board", category="", metric__in=("points", "loss"))
    assert set(figures.values_list("metric", "value")) == {("points", 12.5), ("loss", None)}
    (problem,) = refused(tmp_path / "small.json", REPORTED | {"metrics": [LOSS]})
    assert problem.startswith(
        "small.json, $.metrics: the metric points is left out, and attempts have scores"
    )


def test_everything_wrong_is_said_at_once_with_its_line_and_what_to_do(tmp_path: Path) -> None:
    text = """\
slug: Small Things
name: ""
scorign: super
position: -1
url: example.org
categories:
  - {slug: data, name: Data}
  - {slug: data, name: Also data, colour: red}
task_sets:
  - {slug: one, name: One, is_default: true, level: 1}
  - {slug: one, name: Two, is_default: true, level: 1}
  - three
"""
    assert refused(tmp_path / "b.yaml", text) == [
        "b.yaml, line 2, $.name: it is missing or empty (a benchmark needs one)",
        "b.yaml, line 3, $.scorign: a benchmark has no such key (did you mean scoring?)",
        "b.yaml, line 1, $.slug: it is not a slug (it is a part of addresses: use lower-case letters, digits"
        " and single hyphens)",
        "b.yaml, line 5, $.url: it is not the address of a page (begin it with https://, without user names"
        " and passwords)",
        "b.yaml, line 4, $.position: it is not a number from 0 to 32,767",
        "b.yaml, line 1, $: it names no scoring and lists no metrics, so there is nothing to show (name a"
        f" scoring ({SCORINGS}), or list metrics that are reported, with key, label and about)",
        "b.yaml, line 8, $.categories[1].colour: a category has no such key (the keys are slug, name, about)",
        "b.yaml, line 7, $.categories: the slug data is there twice (remove or rename one of them)",
        "b.yaml, line 12, $.task_sets[2]: it is not an object, as a task set is (its keys are slug, name,"
        " summary, level, is_default)",
        "b.yaml, line 10, $.task_sets: the slug one is there twice (remove or rename one of them)",
        "b.yaml, line 10, $.task_sets: more than one is the default task set (keep is_default on the one that"
        " is shown at /)",
        "b.yaml, line 10, $.task_sets: the level 1 is there twice (remove or rename one of them)",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"scoring": "sooper"},
            f"$.scoring: “sooper” is not a scoring (the scorings are {SCORINGS})",
        ),
        (
            {"metrics": [POINTS]},
            "$.metrics: the metrics are those of the scoring super (leave out metrics, or",
        ),
        ({"task_sets": []}, "$.task_sets: it is missing or empty (a benchmark needs one)"),
        ({"max_attempts": 0}, "$.max_attempts: it is not a number from 1 to 32,767"),
        ({"position": True}, "$.position: it is not a whole number"),
        ({"summary": "a\x00b"}, "$.summary: a text in it has a character that can't be stored"),
        ({"name": "n" * 101}, "$.name: it has 101 characters, more than 100 (shorten it)"),
        ({"sources": ["", "a/b"]}, "$.sources[0]: it is not the name of a source (write a name such as"),
        ({"name": "Small\u200b"}, "$.name: it has a control character, or another one that can't be seen"),
        ({"sources": ["a\u202eb"]}, "$.sources[0]: it is not the name of a source"),
        ({"task_sets": [{"slug": "a", "name": "A\x1b[0m"}]}, "$.task_sets[0].name: it has a control char"),
        ({"categories": [{"slug": "a b", "name": "A"}]}, "$.categories[0].slug: it is not a category's slug"),
        ({"task_sets": [{"slug": "A/B", "name": "A"}]}, "$.task_sets[0].slug: it is not a slug"),
    ],
)
def test_a_wrong_value_is_said_with_its_place(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    (problem,) = refused(tmp_path / "b.json", SMALL | change)

    assert problem.startswith(f"b.json, {said}")


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ({"key": "Points"}, "$.metrics[0].key: it can't be the key of a metric (use up to 20 lower-case"),
        ({"key": "cost"}, "$.metrics[0].key: every board has a column of this key (choose another key)"),
        (
            {"unit": "euros"},
            "$.metrics[0].unit: there is no such unit (the units are share, dollars, tokens,",
        ),
        ({"unit": "share", "highest": 5}, "$.metrics[0]: a share lies in 0 to 1 (leave out lowest and"),
        ({"lowest": 3, "highest": 2}, "$.metrics[0]: its range is empty (write lowest below"),
        (
            {"highest": 10**400},
            "$.metrics[0].highest: it is infinite, no number, or too large (write a finite",
        ),
        ({"lowest": float("-inf")}, "$.metrics[0].lowest: it is infinite, no number, or too large"),
        ({"label": " "}, "$.metrics[0].label: it is missing or empty (a metric needs one)"),
        ({"label": "\x1b[31mred"}, "$.metrics[0].label: it has a control character, or another one that"),
        ({"label": "evil\u202e"}, "$.metrics[0].label: it has a control character, or another one that"),
        ({"about": "turned\u202e round"}, "$.metrics[0].about: it has a control character, or another"),
        ({"reported_as": " "}, "$.metrics[0].reported_as: it is blank (write something, or leave it out)"),
        ({"lowest": "low"}, "$.metrics[0].lowest: it is not a whole number or a number or null"),
        ({"about": ""}, "$.metrics[0].about: it is missing or empty (a metric needs one)"),
        (
            {"reads": ["gold"]},
            "$.metrics[0].reads: a metric has no such key (the keys are key, label, about,",
        ),
        ({"key": "loss"}, "$.metrics: the key loss is there twice (remove or rename one of them)"),
        ({"reported_as": "loss"}, "$.metrics: the key in a metrics.json loss is there twice"),
    ],
)
def test_a_wrong_metric_is_said_with_its_place(tmp_path: Path, metric: dict[str, Any], said: str) -> None:
    (problem,) = refused(tmp_path / "b.json", REPORTED | {"metrics": [POINTS | metric, LOSS]})

    assert problem.startswith(f"b.json, {said}")


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"value": float("nan")}, "value: it is infinite, no number, or too large (write a finite number)"),
        ({"value": float("inf")}, "value: it is infinite, no number, or too large (write a finite number)"),
        ({"value": 10**400}, "value: it is infinite, no number, or too large (write a finite number)"),
        ({"value": 61.5}, "value: 61.5 is not a number from 0 to 1 (write a share: 0.25 for 25 %)"),
        ({"value": None}, "value: it is missing or empty (a published figure needs one)"),
        ({"tasks": 0}, "tasks: it is not a number from 1 to 1,000,000,000"),
        ({"tasks": 10**400}, "tasks: it is not a number from 1 to 1,000,000,000"),
        ({"metric": "acuracy"}, "metric: the benchmark has no such metric (the metrics are accuracy, "),
        ({"agent": "A\u202e"}, "agent: it has a control character, or another one that can't be seen"),
    ],
)
def test_a_wrong_published_figure_is_said_with_its_place(
    tmp_path: Path, figure: dict[str, Any], said: str
) -> None:
    (problem,) = refused(tmp_path / "b.json", SMALL | {"published": [PUBLISHED | figure]})

    assert problem.startswith(f"b.json, $.published[0].{said}")


def test_a_published_figure_of_nothing_and_a_summary_of_several_lines_are_stored(tmp_path: Path) -> None:
    summary = "Two lines,\n\tof می‌خواهم."
    add(tmp_path / "b.json", SMALL | {"summary": summary, "published": [PUBLISHED | {"value": 0}]})

    stored = Benchmark.objects.get(slug="small")
    assert (stored.summary, stored.published[0]["value"]) == (summary, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "b.yaml: the file is empty"),
        ("- 1", "b.yaml, line 1, $: it is not an object, as a benchmark is"),
        ("slug: [", "b.yaml, line 1, column 8: not valid YAML"),
        ("name: 1\nname: 2", "b.yaml, line 2: the key name occurs twice"),
    ],
)
def test_a_file_that_is_no_benchmark_at_all_is_refused(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path / "b.yaml", text)[0].startswith(said)
    with pytest.raises(CommandError):
        call_command("add_benchmark", str(tmp_path / "missing.json"), stderr=io.StringIO())


def test_a_task_of_an_unknown_category_is_refused_and_an_open_one_is_added() -> None:
    task = TaskSpec(task_id="pet", categories=("cooking",))
    with pytest.raises(InputError) as caught:
        import_tasks(make_set(), [task], source="f.jsonl")
    papers = save_benchmark(SMALL | {"scoring": "autoexperiment", "categories": []})

    import_tasks(papers.task_sets.get(slug="one"), [task])

    assert str(caught.value.problem) == (
        "f.jsonl, task pet: “cooking” is not a category of the benchmark (the categories are dependency,"
        " data, cpu, issue, goal, configuration)"
    )
    assert papers.categories.get().slug == "cooking"
    save_benchmark(SMALL | {"scoring": "autoexperiment", "categories": []})
    assert papers.categories.get().slug == "cooking"


def test_where_groups_are_closed_a_free_category_goes(tmp_path: Path) -> None:
    report(make_set(PET), "Solver", {"pet": 1.0})
    add(tmp_path / "small.json", SMALL)

    assert add(tmp_path / "small.json", SMALL | {"categories": []}).splitlines() == [
        "category data: removed",
        "category cpu: removed",
    ]


def test_a_new_benchmark_that_says_no_place_comes_last_and_stays_there() -> None:
    save_benchmark(SMALL | {"slug": "first", "position": 3})

    assert save_benchmark(SMALL | {"slug": "second"}).position == 4
    save_benchmark(SMALL | {"slug": "third", "position": 9})
    assert save_benchmark(SMALL | {"slug": "second", "name": "Second"}).position == 4
